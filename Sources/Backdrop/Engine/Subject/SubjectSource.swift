import BackdropDepth
import BackdropImaging

/// A way to find a scene's subject: by a screen's colour, the camera's own matte, depth, or a network.
///
/// ``subjectSources`` lists all. The first source that finds the subject of a scene decides.
protocol SubjectSource: SendableMetatype {
  /// Whether this source decides the subject of the scene.
  static func finds(in scene: Scene, _ analyzer: SceneAnalyzer) -> Bool

  /// Finds the subject, and records its origin in the evidence.
  ///
  /// - Throws: the error that left the scene without a subject; `badData` for a single picture without a person.
  static func find(
    in scene: Scene, _ request: EvidenceRequest, _ analyzer: SceneAnalyzer, into evidence: inout Evidence
  ) throws(BackdropError)
}

/// All sources, in the order of their priority.
let subjectSources: [any SubjectSource.Type] = [
  ScreenSource.self, CameraMatteSource.self, DepthSource.self, PictureSource.self, NetworkSource.self,
]
