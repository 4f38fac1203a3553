import BackdropDepth
import BackdropImaging
import BackdropModels

/// The person network in a stream without depth.
enum NetworkSource: SubjectSource {
  static func finds(in scene: Scene, _ analyzer: SceneAnalyzer) -> Bool { analyzer.options.mattes != .depth }

  static func find(
    in scene: Scene, _ request: EvidenceRequest, _ analyzer: SceneAnalyzer, into evidence: inout Evidence
  ) throws(BackdropError) {
    guard let maker = try analyzer.personMaker() else {
      preconditionFailure("without depth there is a network or an error")
    }
    // The matte keeps its storage: a picture without movement needs no new one.
    try analyzer.update(&evidence, maker, scene, near: nil)
    if maker.isNewScene { analyzer.forgetScene() }
    analyzer.hasSeenSomebody = analyzer.hasSeenSomebody || evidence.subject.coverage > 0
  }
}
