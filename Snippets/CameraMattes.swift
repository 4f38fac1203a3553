// Makes mattes of a camera's scenes. If the camera has depth, combines it with the person network.
import Backdrop

let mattes = MattePipeline(.stream, quality: .live)
for try await scene in try Camera("sim:talking").scenes.prefix(20) {
  let matte = try mattes.matte(of: scene)
  print(scene.time, matte.coverage, mattes.evidence.subjectOrigin?.rawValue ?? "nobody")
}
