/// The colour of a green or blue screen.
final class ScreenSource: SubjectSource {
  static let parameters: ParameterTable<AnalyzerOptions> = [
    .mattes: [
      .color(
        "screen", "The screen's colour, for chroma mattes", \.chroma.color,
        automatic: "the green or blue along the picture's border"
      ).titled("Screen colour").needing(.screen),
      .number(
        "spill", "Remove the screen's light from the foreground", \.chroma.spill, in: 0...1
      ).titled("Spill removal").needing(.screen),
    ]
  ]

  private unowned let analyzer: SceneAnalyzer
  private let keyer: ChromaKeyer
  private var spare = SpareMatte()

  init(_ analyzer: SceneAnalyzer) {
    self.analyzer = analyzer
    keyer = ChromaKeyer(analyzer.options.chroma, workers: analyzer.workers)
  }

  func prepare(for request: EvidenceRequest) throws(BackdropError) -> Bool {
    guard analyzer.options.mattes == .chroma else { return false }
    try analyzer.options.refusePlate("a coloured screen")
    return true
  }

  func applies(to scene: Scene) -> Bool { analyzer.options.mattes == .chroma }

  func find(in scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    keyer.options = analyzer.options.chroma
    var foreground = evidence.foreground.take() ?? Image(.bgra8, width: 1, height: 1)
    try spare.make(&evidence) { (matte) throws(BackdropError) in
      try keyer.update(&matte, foreground: &foreground, from: scene.image)
    }
    analyzer.matteCount += 1
    let matte = evidence.subject
    analyzer.store(
      matte, .chroma, by: .screen, keyer.confidence, independent: Evidence.CoarseMatte(matte), into: &evidence)
    evidence.foreground = foreground
  }

  func forget() { keyer.reset() }
}

extension Evidence.Origin {
  /// The colour of a screen.
  public static let chroma = Self("chroma", words: "the screen's colour", [.screen])
}

extension LikelihoodSource {
  /// A screen. Its confidence is the fraction of the picture's border that it covers.
  package static let screen = Self(rawValue: "screen")
}

extension StreamFact {
  package static let screen = Self("screen", absence: "the matte does not come from a screen's colour")
}
