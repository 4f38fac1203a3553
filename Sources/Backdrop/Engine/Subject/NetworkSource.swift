/// The person network, by itself in a stream without depth. The sources for depth and for single pictures use its network too.
final class NetworkSource: SubjectSource {
  private unowned let analyzer: SceneAnalyzer
  private var opened: PersonMatteMaker?
  /// Whether the network is not available, and depth alone is enough.
  private var isAbsent = false
  private var spare = SpareMatte()

  init(_ analyzer: SceneAnalyzer) { self.analyzer = analyzer }

  func prepare(for request: EvidenceRequest) throws(BackdropError) -> Bool {
    guard analyzer.options.mattes != .depth else { return false }
    try prepare()
    return true
  }

  func applies(to scene: Scene) -> Bool { analyzer.options.mattes != .depth }

  func find(in scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    guard let maker = try maker() else { preconditionFailure("without depth there is a network or an error") }
    try update(&evidence, maker, scene, near: nil)
    if maker.isNewShot { analyzer.forgetShot() }
    analyzer.hasSeenSomebody = analyzer.hasSeenSomebody || evidence.subject.coverage > 0
  }

  func keepsState(with wanted: AnalyzerOptions) -> Bool {
    let (old, new, isStill) = (analyzer.options.person, wanted.person, analyzer.stream.isStill)
    return new.model == old.model && new.classes == old.classes && new.subject == old.subject
      && new.device == old.device && wanted.plate == analyzer.options.plate
      && wanted.quality(isStill: isStill) == analyzer.options.quality(isStill: isStill)
  }

  /// The networks that make the mattes, each with its picture size; empty before the first, and if depth alone is enough.
  var names: [String] { opened?.networkNames ?? [] }
  var warnings: [BackdropError] { opened?.warnings ?? [] }

  func prepare() throws(BackdropError) {
    try maker()?.prepare(width: analyzer.stream.width, height: analyzer.stream.height)
  }

  /// The network with its state; `nil` if depth alone is enough.
  func maker() throws(BackdropError) -> PersonMatteMaker? {
    if opened != nil || isAbsent { return opened }
    let (stream, options) = (analyzer.stream, analyzer.options)
    var wanted = options.person
    wanted.quality = options.quality(isStill: stream.isStill)
    if let path = options.plate { wanted.plate = try plate(path) }
    do throws(BackdropError) {
      opened = try PersonMatteMaker.load(
        wanted, for: (stream.width, stream.height), workers: analyzer.workers, networks: analyzer.networks)
    } catch {
      // Depth alone is enough, unless a network was requested.
      guard analyzer.usesDepth && options.mattes == .auto && error.kind == .unsupported && wanted.model == nil else {
        throw error
      }
      try options.refusePlate("depth")
      isAbsent = true
    }
    return opened
  }

  /// The clean plate of the stream in a picture file; see ``PlateJob``.
  private func plate(_ path: String) throws(BackdropError) -> Image {
    guard FileKind(path) != .absent else {
      throw BackdropError(.wrongArgument, "no such plate", path: path, hint: .givePlate)
    }
    let stream = analyzer.stream
    let picture = try SceneInput.picture(path, limits: stream.limits).image
    let (wide, high) = (Double(picture.width * stream.height), Double(picture.height * stream.width))
    guard abs(wide - high) <= 0.01 * max(wide, high) else {
      throw BackdropError(
        .wrongArgument,
        "the plate (\(picture.width)×\(picture.height)) and the input (\(stream.width)×\(stream.height)) have different aspect ratios",
        path: path, hint: .retakePlate)
    }
    return picture
  }

  /// Makes the subject's matte by a network from ``maker()``, joined with depth if there is any.
  func update(
    _ evidence: inout Evidence, _ maker: PersonMatteMaker, _ scene: Scene, near: PersonMatteMaker.Near?
  ) throws(BackdropError) {
    let runs = maker.runCount
    // The matte keeps its storage: a picture without movement needs no new one.
    try spare.make(&evidence) { (matte) throws(BackdropError) in
      try maker.update(&matte, from: scene.image, at: scene.time, near: near, next: analyzer.next)
    }
    analyzer.matteCount += maker.runCount - runs
    evidence.subjectOrigin = near == nil ? .person : .depthAndPerson
    evidence.independentMattes = maker.coarsePrior.map { [$0] } ?? []
    (evidence.nearPart, evidence.confidence) = (nil, maker.confidence)
    evidence.age = maker.matteAge(at: scene.time)
  }

  /// Changes the options as far as ``keepsState(with:)`` allows; see ``SceneAnalyzer/change(to:reduction:)``.
  func change(to wanted: AnalyzerOptions, reduction: Int?) throws(BackdropError) {
    try opened?.change(to: wanted.person, reduction: reduction)
  }
}

extension PersonMatteMaker {
  var coarsePrior: Evidence.CoarseMatte? { networkPrior.map { Evidence.CoarseMatte($0.matte, $0.frame) } }
}

extension Evidence.Origin {
  /// The person network.
  public static let person = Self("person", words: "the person network", [.network])
}
