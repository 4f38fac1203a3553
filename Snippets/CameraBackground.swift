// Draws a camera's people in front of a computed scene, for others to see. If that fails, draws the standby frame.
import Backdrop

let camera = try Camera("sim:talking?size=640x360&fps=15")
var settings = StreamSettings(.backdrop)
settings.background = .scenery(.northern)
let engine = try StreamEngine(
  settings, StreamDescription(width: 640, height: 360), for: .live(rate: 15), workers: WorkerPool())

var (spare, count) = (Image(.gray8, width: 1, height: 1), 0)
for try await scene in camera.scenes.prefix(10) {
  let rendering = engine.render(scene, into: &spare).rendering
  count += 1
  try Picture(rendering.image).write(to: "frame\(count).png", overwrite: true)
  if case .standby(let reason) = rendering.standing { print("standby:", reason) }
}
