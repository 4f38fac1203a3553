import BackdropDepth
import BackdropImaging
import BackdropMatting

/// The colour of a green or blue screen.
enum ScreenSource: SubjectSource {
  static func finds(in scene: Scene, _ analyzer: SceneAnalyzer) -> Bool { analyzer.options.mattes == .chroma }

  static func find(
    in scene: Scene, _ request: EvidenceRequest, _ analyzer: SceneAnalyzer, into evidence: inout Evidence
  ) throws(BackdropError) { try analyzer.keyScreen(scene, into: &evidence) }
}

extension SceneAnalyzer {
  fileprivate func keyScreen(_ scene: Scene, into evidence: inout Evidence) throws(BackdropError) {
    let keyer = keyer ?? ChromaKeyer(options.chroma, workers: workers)
    self.keyer = keyer
    var matte = chromaMatte.take() ?? Self.nothing
    var foreground = evidence.foreground.take() ?? Image(.bgra8, width: 1, height: 1)
    // Release the last matte in the evidence to avoid a copy.
    evidence.subject = Self.nothing
    try keyer.update(&matte, foreground: &foreground, from: scene.image)
    matteCount += 1
    chromaMatte = matte
    take(matte, .chroma, by: .screen, keyer.confidence, independent: Evidence.CoarseMatte(matte), into: &evidence)
    evidence.foreground = foreground
  }
}
