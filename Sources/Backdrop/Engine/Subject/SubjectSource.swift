import BackdropDepth
import BackdropImaging

/// A way in which the subject of a scene is found: by a screen's colour, the camera's own matte, depth, or a network.
///
/// ``subjectSources`` lists all, and the first that has the subject of a scene decides.
protocol SubjectSource: SendableMetatype {
  /// Whether this source decides who the scene is about.
  static func finds(in scene: Scene, _ analyzer: SceneAnalyzer) -> Bool

  /// Finds the subject, and says in the evidence where it was found.
  ///
  /// - Throws: why it is not found; `badData` for a single picture without anybody.
  static func find(
    in scene: Scene, _ request: EvidenceRequest, _ analyzer: SceneAnalyzer, into evidence: inout Evidence
  ) throws(BackdropError)
}

/// All of them, in the order in which they are asked.
let subjectSources: [any SubjectSource.Type] = [
  ScreenSource.self, CameraMatteSource.self, DepthSource.self, PictureSource.self, NetworkSource.self,
]
