import Backdrop
import BackdropImaging
import BackdropLooks
import Testing

/// Draws looks of a scene of the simulated camera: a person who talks in a living room, with dunes as the background.
struct LookStage {
  /// The source of the subject's matte.
  enum Evidence: String, CaseIterable {
    /// Only depth; no face detection.
    case depth
    /// Depth with a face.
    case depthWithFace
    /// The person network alone.
    case network
  }

  let width = 320, height = 180
  private let workers = WorkerPool(threads: 1)
  private let networks = ModelCache()

  func draw(
    _ look: Look, _ values: [String: Double] = [:], by evidence: Evidence = .depth,
    drawing change: (inout Renderer.Options) -> Void = { _ in }
  ) throws -> (image: Image, matte: Matte, findings: Backdrop.Evidence.Findings) {
    var scene = try SimulatedCamera(address: "sim:talking?size=\(width)x\(height)").frame(0).frame
    var options = AnalyzerOptions()
    options.mattes = .depth
    switch evidence {
    case .depth: options.followsFace = false
    case .depthWithFace: break
    case .network:
      options.mattes = .person
      (scene.depth, scene.faces) = (nil, nil)
    }
    var drawing = Renderer.Options()
    change(&drawing)
    let renderer = try Renderer(
      look, try look.settings(values), width: width, height: height,
      background: try BackgroundSource("scene:dunes", width: width, height: height), options: drawing, workers: workers)
    let analyzer = SceneAnalyzer(
      StreamDescription(width: width, height: height, hasDepth: scene.depth != nil), options: options,
      workers: workers, networks: networks)
    var found = Backdrop.Evidence()
    try analyzer.analyze(scene, for: renderer.request, into: &found)
    var spare = Image(.bgra8, width: width, height: height)
    let rendering = renderer.render(scene, found, into: &spare).rendering
    try #require(!rendering.isStandby, "\(rendering.standing)")
    return (rendering.image.converted(to: .rgba8), try renderer.matte(found), found.findings)
  }
}

/// The difference between two pictures of 8-bit samples.
struct PictureDifference {
  /// The mean over all samples, and the share of samples that differ by more than 8.
  private(set) var mean = 0.0, large = 0.0
  private(set) var maximum = 0

  /// `nil` for pictures of different size or format.
  init?(_ a: Image, _ b: Image) {
    guard a.width == b.width, a.height == b.height, a.format == b.format else { return nil }
    var (sum, count, all) = (0, 0, 0)
    for y in 0..<a.height {
      let one = a.row(y)
      let other = b.row(y)
      for x in one.indices {
        let step = abs(Int(one[x]) - Int(other[x]))
        sum += step
        all += 1
        if step > 8 { count += 1 }
        maximum = max(maximum, step)
      }
    }
    (mean, large) = (Double(sum) / Double(max(all, 1)), Double(count) / Double(max(all, 1)))
  }
}
