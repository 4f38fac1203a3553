// Camera to mattes: depth and the person network joined where the camera has depth.
import Backdrop

let mattes = MattePipeline(.stream, quality: .live)
for try await scene in try Camera("sim:talking").scenes.prefix(20) {
  let matte = try mattes.matte(of: scene)
  print(scene.time, matte.coverage, mattes.evidence.subjectOrigin?.rawValue ?? "nobody")
}
