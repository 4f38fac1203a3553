import Backdrop
import BackdropImaging
import BackdropLooks
import TestSupport
import Testing

/// Each parameter of each look changes the picture, or is known to have no effect where it has none.
@Suite struct ParameterEffectTests {
  /// A stream's evidence, by what it is made from.
  enum Stream: String, CaseIterable {
    /// Depth alone; no face is looked for.
    case depth
    /// Depth with a face.
    case depthWithFace
    /// The person network alone.
    case network
  }

  private static let size = (width: 320, height: 180)
  private let workers = WorkerPool(threads: 1)

  @Test(arguments: Look.builtIn.map(\.id)) func depth(id: String) throws { try check(id, .depth) }
  @Test(arguments: Look.builtIn.map(\.id)) func depthWithFace(id: String) throws { try check(id, .depthWithFace) }
  @Test(
    .enabled(if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: make setup-test"),
    arguments: Look.builtIn.map(\.id)) func network(id: String) throws
  {
    try check(id, .network)
  }

  private func check(_ id: String, _ stream: Stream) throws {
    let look = try #require(Look.named(id))
    let shelf = NetworkShelf()
    let usual = try draw(look, [:], stream, shelf)
    let inactive = look.inactive(where: usual.findings.facts(isStill: false, hasBackground: look.hasBackground))
    for parameter in look.parameters {
      let range = try #require(parameter.range)
      let pictures = try [range.lowerBound, (range.lowerBound + range.upperBound) / 2, range.upperBound].map {
        try draw(look, [parameter.name: $0], stream, shelf).image
      }
      let changes = pictures.contains { differs($0, usual.image) }
      #expect(
        changes == (inactive[parameter.name] == nil),
        "\(id), \(parameter.name), \(stream): \(changes ? "changes the picture" : "changes nothing"), \(String(describing: inactive[parameter.name]))"
      )
    }
  }

  private func draw(
    _ look: Look, _ values: [String: Double], _ stream: Stream, _ shelf: NetworkShelf
  ) throws -> (image: Image, findings: Evidence.Findings) {
    var scene = try SimulatedCamera(address: "sim:talking?size=\(Self.size.width)x\(Self.size.height)").frame(0).frame
    var options = AnalyzerOptions()
    options.mattes = .depth
    switch stream {
    case .depth: options.followsFace = false
    case .depthWithFace: break
    case .network:
      options.mattes = .person
      (scene.depth, scene.faces) = (nil, nil)
    }
    let (width, height) = Self.size
    let renderer = try Renderer(
      look, try look.settings(values), width: width, height: height,
      background: try BackgroundSource("scene:dunes", width: width, height: height), workers: workers)
    let analyzer = SceneAnalyzer(
      StreamDescription(width: width, height: height, hasDepth: scene.depth != nil), options: options,
      workers: workers, networks: shelf)
    let pipeline = RenderPipeline(analyzer, renderer)
    var spare = Image(.bgra8, width: width, height: height)
    let rendering = pipeline.render(scene, into: &spare)
    try #require(!rendering.isStandby, "\(rendering.standing)")
    return (rendering.image, pipeline.evidence.findings)
  }

  /// Whether the pictures differ by more than rounding does.
  private func differs(_ a: Image, _ b: Image) -> Bool {
    let (a, b) = (a.converted(to: .bgra8), b.converted(to: .bgra8))
    guard a.width == b.width else { return true }
    for y in 0..<a.height {
      let one = a.row(y)
      let other = b.row(y)
      for x in one.indices where abs(Int(one[x]) - Int(other[x])) > 2 { return true }
    }
    return false
  }
}
