/// A way to find a stream's subject: by a screen's colour, the camera's own matte, depth, or a network. Each stream has its own instances.
///
/// ``subjectSources`` lists all. The first source that applies to a scene finds its subject.
protocol SubjectSource: AnyObject, SendableMetatype {
  /// The parameters that only this source uses.
  static var parameters: ParameterTable<AnalyzerOptions> { get }
  /// Whether its mattes already have the shape that a look requests.
  static var shapesMattes: Bool { get }

  init(_ analyzer: SceneAnalyzer)

  /// Loads what it needs for a request.
  ///
  /// - Returns: whether scenes of this stream need no later source; by default not, because only a scene shows whether the source applies.
  /// - Throws: `unsupported` for a missing network; `wrongArgument` for a clean plate that has no use.
  func prepare(for request: EvidenceRequest) throws(BackdropError) -> Bool

  func applies(to scene: Scene) -> Bool

  /// Finds the subject, and records its origin in the evidence.
  ///
  /// - Throws: the error that left the scene without a subject; `badData` for a single picture without a person.
  func find(in scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError)

  func keepsState(with wanted: AnalyzerOptions) -> Bool

  func forget()

  var warnings: [BackdropError] { get }
}

/// All sources, in the order of their priority.
let subjectSources: [any SubjectSource.Type] = [
  ScreenSource.self, CameraMatteSource.self, DepthSource.self, PictureSource.self, NetworkSource.self,
]

extension SubjectSource {
  static var parameters: ParameterTable<AnalyzerOptions> { [:] }
  static var shapesMattes: Bool { false }
  func prepare(for request: EvidenceRequest) -> Bool { false }
  func keepsState(with wanted: AnalyzerOptions) -> Bool { true }
  func forget() {}
  var warnings: [BackdropError] { [] }
}

/// The memory of a source's mattes: the next scene's matte is made in that of the last one.
struct SpareMatte {
  private var matte = Matte.nothing

  /// Makes the evidence's subject.
  ///
  /// - Parameter update: makes the matte in the last one, or in a matte of one sample.
  mutating func make(
    _ evidence: inout Evidence, _ update: (inout Matte) throws(BackdropError) -> Void
  ) throws(BackdropError) {
    var next = Matte.nothing
    swap(&next, &matte)
    // Release the last matte in the evidence to avoid a copy.
    evidence.subject = .nothing
    try update(&next)
    (matte, evidence.subject) = (next, next)
  }
}

extension Matte {
  static let nothing = Matte(constant: 0, width: 1, height: 1)
}
