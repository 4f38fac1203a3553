/// The camera's own portrait matte, unless the options ask for a network.
final class CameraMatteSource: SubjectSource {
  /// A matte that keeps a smaller fraction of the picture contains nobody.
  static let smallestCoverage = 0.005
  private unowned let analyzer: SceneAnalyzer

  init(_ analyzer: SceneAnalyzer) { self.analyzer = analyzer }

  func applies(to scene: Scene) -> Bool {
    analyzer.options.asksNothingOfNetwork
      && scene.mattes[.portrait].map { $0.coverage >= Self.smallestCoverage } ?? false
  }

  func find(in scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) {
    guard let matte = scene.mattes[.portrait] else { return }
    analyzer.store(matte, .matte, by: .camera, 1, independent: Evidence.CoarseMatte(matte), into: &evidence)
  }
}

extension Evidence.Origin {
  /// The camera's own matte.
  public static let matte = Self("matte", words: "the portrait matte")
}

extension LikelihoodSource {
  package static let camera = Self(rawValue: "camera")
}
