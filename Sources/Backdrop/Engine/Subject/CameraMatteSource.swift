import BackdropDepth
import BackdropImaging

/// The camera's own portrait matte, unless the options ask for a network.
enum CameraMatteSource: SubjectSource {
  /// A matte that keeps a smaller fraction of the picture contains nobody.
  private static let smallestCoverage = 0.005

  static func finds(in scene: Scene, _ analyzer: SceneAnalyzer) -> Bool {
    analyzer.options.asksNothingOfNetwork && scene.mattes[.portrait].map { $0.coverage >= smallestCoverage } ?? false
  }

  static func find(
    in scene: Scene, _ request: EvidenceRequest, _ analyzer: SceneAnalyzer, into evidence: inout Evidence
  ) throws(BackdropError) {
    guard let matte = scene.mattes[.portrait] else { return }
    analyzer.take(matte, .matte, by: .camera, 1, independent: Evidence.CoarseMatte(matte), into: &evidence)
  }
}
