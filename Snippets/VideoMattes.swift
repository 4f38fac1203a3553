// Makes a matte for each frame of a video, with one pipeline for the whole stream.
import Backdrop

let mattes = MattePipeline(.stream)
for try await scene in try Video("talk.mp4").scenes {
  let matte = try mattes.matte(of: scene)
  print(scene.time, matte.coverage)
}
