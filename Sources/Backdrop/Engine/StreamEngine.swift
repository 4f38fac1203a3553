/// Analyzes the scenes of a stream for a look, and draws them. Jobs and live sessions run it in a loop.
///
/// The stream's use determines everything that the settings leave open: the quality of mattes, whether the network may rest, whether to
/// remove the old background's colour from soft edges, whether to hide mistakes, and when a pause is a cut. No other code decides these.
///
/// Use one engine for one stream. It is not safe to call from two threads at once.
public final class StreamEngine {
  /// The use of the pictures.
  public enum Use: Sendable, Equatable {
    case still
    /// The frames of a file: each is analyzed, however long it takes.
    case file
    /// The frames of a camera, at `rate` frames a second; `nil` if unknown.
    case live(rate: Double?)
    /// A single picture that a screen draws repeatedly during changes.
    case preview

    var isStill: Bool { self == .still || self == .preview }
  }

  /// A scene, analyzed and drawn.
  public struct Result: Sendable {
    /// The picture.
    public let rendering: Rendering
    /// The matte that the look draws through, at its own size; `nil` if it was not requested or does not exist.
    public let matte: Matte?
    /// How the subject was found.
    public let findings: Evidence.Findings
  }

  /// The use of the pictures; a camera's rate may change.
  public var use: Use
  /// The current choices.
  public private(set) var settings: StreamSettings
  /// Facts about the scenes.
  public private(set) var stream: StreamDescription
  package private(set) var analyzer: SceneAnalyzer
  package private(set) var renderer: Renderer
  /// The evidence of the last scene.
  public private(set) var evidence = Evidence()
  private let workers: WorkerPool
  private let networks: ModelCache
  private var lastTime: Double?

  /// The longest pause in a camera's stream that is not a cut, in seconds; or three frames, if that is longer.
  private static let longestPause = 0.5

  /// Makes an engine. ``prepare()``, or the first scene that needs them, loads networks.
  ///
  /// - Parameters:
  ///   - settings: the choices.
  ///   - stream: facts about the scenes. With a camera, each scene determines again whether there is depth.
  ///   - use: the use of the pictures.
  ///   - workers: the threads that share the work.
  ///   - networks: the cache that keeps loaded networks for later streams.
  /// - Throws: errors in values of the look, or the background; `unsupported` for a look that cannot leave out the background.
  public init(
    _ settings: StreamSettings, _ stream: StreamDescription, for use: Use, workers: WorkerPool,
    networks: ModelCache = ModelCache()
  ) throws(BackdropError) {
    var stream = stream
    stream.isStill = use.isStill
    (self.settings, self.stream, self.use) = (settings, stream, use)
    (self.workers, self.networks) = (workers, networks)
    renderer = try Self.renderer(settings, stream, use, workers)
    analyzer = SceneAnalyzer(stream, options: Self.analysis(settings, use), workers: workers, networks: networks)
  }

  // MARK: - Options for the use

  private static func analysis(_ settings: StreamSettings, _ use: Use) -> AnalyzerOptions {
    var options = settings.analysis
    options.followsFace = options.followsFace ?? (settings.values["cutoff"] == nil)
    if case .live(let rate) = use {
      // A chosen quality asks for a network, even if the picture has its own matte.
      options.quality = options.quality(isStill: false)
      options.person.restsWhenCalm = true
      options.person.minimumRate = rate ?? options.person.minimumRate
    }
    return options
  }

  private static func drawing(_ settings: StreamSettings, _ use: Use) -> Renderer.Options {
    var options = settings.drawing
    options.isStill = use.isStill
    let quality = settings.analysis.quality(isStill: use.isStill)
    let isOfSubject = settings.look.matteSource != .depth
    // A matte by distance alone is soft at every edge by design.
    if isOfSubject || settings.analysis.mattes != .depth && quality == .best {
      options.decontaminates = options.decontaminates ?? true
    }
    var audience = settings.audience ?? .oneself
    if case .live = use { audience = settings.audience ?? .others }
    options.failsClosed = audience == .others
    options.realBackground =
      switch audience {
      case _ where settings.showsRealBackground: .allowed
      case .oneself: .allowed
      case .others: settings.othersWatch ? .forbidden : .withSubject
      }
    return options
  }

  private static func renderer(
    _ settings: StreamSettings, _ stream: StreamDescription, _ use: Use, _ workers: WorkerPool
  ) throws(BackdropError) -> Renderer {
    let options = drawing(settings, use)
    var background: BackgroundSource?
    if let choice = settings.background, !settings.isTransparent {
      let size = options.composition.size(width: stream.width, height: stream.height)
      background = try BackgroundSource(choice, width: size.width, height: size.height, limits: stream.limits)
    }
    return try Renderer(
      settings.look, try settings.look.settings(settings.values), width: stream.width, height: stream.height,
      background: background, isTransparent: settings.isTransparent, before: settings.background?.veil,
      standby: settings.standby, options: options, workers: workers)
  }

  // MARK: - Changes

  /// Changes the settings from the next scene on, and keeps the state of the stream where that stays valid. If it throws, nothing changes.
  ///
  /// - Parameters:
  ///   - wanted: the other settings.
  ///   - reloads: whether to read the background again, because it is a different one.
  ///   - prepares: whether to load required networks at once, as ``prepare()`` does.
  ///   - reduction: the factor by which to scale down the picture for the mattes' edges; `nil` for the default.
  /// - Throws: errors in the settings or in reading the background; errors of loading networks.
  public func change(
    to wanted: StreamSettings, reloads: Bool = false, prepares: Bool = true, reduction: Int? = nil
  ) throws(BackdropError) {
    let former = (settings: settings, values: renderer.settings, renderer: renderer)
    let values = try wanted.look.settings(wanted.values)
    if reloads { renderer = try Self.renderer(wanted, stream, use, workers) }
    do throws(BackdropError) {
      try apply(wanted, values, reduction)
      if prepares && !use.isStill { try prepare() }
    } catch {
      renderer = former.renderer
      // This cannot fail: an analyzer refuses only options out of range, and these were in range.
      try? apply(former.settings, former.values, reduction)
      throw error
    }
  }

  private func apply(_ wanted: StreamSettings, _ values: LookValues, _ reduction: Int?) throws(BackdropError) {
    settings = wanted
    renderer.change(to: Self.drawing(wanted, use))
    renderer.change(to: wanted.look, values)
    renderer.change(standby: wanted.standby)
    switch use {
    case .preview: break
    case .still: begin()
    case .file, .live:
      if try !analyzer.change(to: Self.analysis(wanted, use), reduction: reduction) { begin() }
    }
  }

  /// Sets the look's parameters, from the next scene on.
  ///
  /// - Throws: `wrongArgument` for a parameter that the look does not have, or a value out of range.
  public func change(values: [String: Double]) throws(BackdropError) {
    renderer.change(to: settings.look, try settings.look.settings(values))
    settings.values = values
  }

  /// Discards the state of the stream.
  public func begin() {
    analyzer = SceneAnalyzer(stream, options: Self.analysis(settings, use), workers: workers, networks: networks)
    (evidence, lastTime) = (Evidence(), nil)
  }

  /// Loads the networks that scenes of this stream need.
  ///
  /// - Throws: as `SceneAnalyzer.prepare(for:)`.
  public func prepare() throws(BackdropError) { try analyzer.prepare(for: renderer.request) }

  /// Restarts if a camera's scene cannot continue from the last one: after a pause, or when depth appears or disappears.
  private func follow(_ scene: Scene) {
    guard case .live(let rate) = use else { return }
    let hasDepth = scene.depth != nil || scene.depthFault != nil
    let pause = max(Self.longestPause, 3 / max(rate ?? .infinity, 0.01))
    if hasDepth != stream.hasDepth || lastTime.map({ abs(scene.time - $0) > pause }) ?? false {
      stream.hasDepth = hasDepth
      begin()
    }
    lastTime = scene.time
  }

  // MARK: - Scenes

  /// Finds the requested evidence, or that of the look, without drawing, to draw the same scene several times, or to get its matte alone.
  package func analyze(_ scene: Scene, for request: EvidenceRequest? = nil, next: Image? = nil) throws(BackdropError) {
    follow(scene)
    try StageClock.shared.measure(.refine) { () throws(BackdropError) in
      try analyzer.analyze(scene, for: request ?? renderer.request, into: &evidence, next: next)
    }
  }

  /// Draws a scene with the evidence of `analyze(_:for:next:)`.
  ///
  /// - Parameters:
  ///   - scene: the scene.
  ///   - wantsMatte: whether to return its matte too.
  ///   - spare: memory for the drawing, if it fits.
  public func draw(_ scene: Scene, wantsMatte: Bool = false, into spare: inout Image) -> Result {
    StageClock.shared.measure(.draw) {
      let (rendering, matte) = renderer.render(scene, evidence, wantsMatte: wantsMatte, into: &spare)
      return Result(rendering: rendering, matte: matte, findings: evidence.findings)
    }
  }

  /// Analyzes a scene and draws it, or the standby frame in its place.
  ///
  /// - Parameters: as for ``draw(_:wantsMatte:into:)``.
  public func render(_ scene: Scene, wantsMatte: Bool = false, into spare: inout Image) -> Result {
    do throws(BackdropError) {
      try analyze(scene)
    } catch {
      let rendering = renderer.standby(.fault(error), at: scene.time, into: &spare)
      return Result(rendering: rendering, matte: nil, findings: evidence.findings)
    }
    return draw(scene, wantsMatte: wantsMatte, into: &spare)
  }

  /// The matte of the last scene that the look draws through, at its own size.
  ///
  /// - Throws: as `Renderer.matte(_:)`.
  public func matte() throws(BackdropError) -> Matte { try renderer.matte(evidence) }

  /// Draws the standby frame in place of a scene.
  public func standby(_ reason: StandbyReason, at time: Double, into spare: inout Image) -> Rendering {
    renderer.standby(reason, at: time, into: &spare)
  }
}
