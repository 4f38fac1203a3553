// Frames to mattes: one pipeline, which remembers what came before.
import Backdrop

let mattes = MattePipeline(.stream)
for try await scene in try Video("talk.mp4").scenes {
  let matte = try mattes.matte(of: scene)
  print(scene.time, matte.coverage)
}
