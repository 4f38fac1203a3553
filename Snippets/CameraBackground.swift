// Camera to pictures that others may see: people before a background, and the standby frame where nobody could be made out.
import Backdrop

let camera = try Camera("sim:talking?size=640x360&fps=15")
let (width, height, workers) = (640, 360, WorkerPool())

var options = Renderer.Options()
options.failsClosed = true
options.room = .forbidden
let renderer = try Renderer(
  .backdrop, Look.backdrop.settings([:]), width: width, height: height,
  background: BackgroundSource(.scenery(.northern), width: width, height: height), options: options, workers: workers)
let analyzer = SceneAnalyzer(StreamDescription(width: width, height: height, hasDepth: true), workers: workers)
let pipeline = RenderPipeline(analyzer, renderer)

var (spare, count) = (Image(.gray8, width: 1, height: 1), 0)
for try await scene in camera.scenes.prefix(10) {
  let rendering = pipeline.render(scene, into: &spare)
  count += 1
  try Picture(rendering.image).write(to: "frame\(count).png", overwrite: true)
  if case .standby(let reason) = rendering.standing { print("standby:", reason) }
}
