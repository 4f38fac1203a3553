import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// All that can be chosen of how scenes are analyzed and drawn.
public struct StreamSettings: Sendable {
  /// The audience of the pictures.
  public enum Audience: Sendable, Equatable {
    /// The person at the machine, in files of one's own: scenes are drawn as asked.
    case oneself
    /// The person at the machine, before others look: the standby frame takes the place of scenes that show the real
    /// background by mistake, and of those with looks that are made to show it while nobody is seen.
    case rehearsal
    /// Others: the real background is not shown, whatever the look.
    case others
  }

  /// The look.
  public var look: Look
  /// The values of its parameters; the others have their defaults, or follow the scene.
  public var values: [String: Double] = [:]
  /// The background, for looks that have one; `nil` is black.
  public var background: BackgroundChoice?
  /// The picture of the standby frame; `nil` for the background alone.
  public var standby: Image?
  /// How scenes are analyzed.
  public var analysis = AnalyzerOptions()
  /// Options for drawing. ``StreamEngine`` sets those that depend on the use of a stream.
  public var drawing = Renderer.Options()
  /// The audience; `nil` means others for a camera's pictures, else oneself.
  public var audience: Audience?
  /// Whether others may see the real background: through looks that show it, or a weak blur.
  public var showsRealBackground = false

  /// Settings of a look, with the defaults of everything else.
  public init(_ look: Look = .backdrop) { self.look = look }
}

/// Analyzes the scenes of a stream for what a look asks, and draws them. Photos, videos and live sessions are loops round it.
///
/// The use of a stream decides, here alone, whatever the settings leave open: how much is done for a matte, whether the network may
/// rest, whether the old background's colour is taken out of soft edges, whether mistakes are hidden, and when a pause is a cut.
///
/// One stream, one engine: it is not safe to call from two threads at once.
public final class StreamEngine {
  /// The use of the pictures.
  public enum Use: Sendable, Equatable {
    /// A single picture.
    case still
    /// The frames of a file: each is analyzed, however long that takes.
    case file
    /// The frames of a camera, at `rate` frames a second; `nil` if that is not known.
    case live(rate: Double?)
    /// A single picture that is drawn again and again on a screen, while something is changed.
    case preview

    /// Whether there is one scene only.
    var isStill: Bool { self == .still || self == .preview }
  }

  /// A scene, analyzed and drawn.
  public struct Result: Sendable {
    /// The picture.
    public let rendering: Rendering
    /// The matte of the scene that the look is drawn through, at its own size; `nil` where it was not wanted, or there is none.
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
  /// Finds what the look asks for.
  public private(set) var analyzer: SceneAnalyzer
  /// Draws.
  public private(set) var renderer: Renderer
  /// The evidence of the last scene.
  public private(set) var evidence = Evidence()
  private let workers: WorkerPool
  private let networks: ModelCache
  private var lastTime: Double?

  /// A pause of a camera's stream that is longer than this is a cut, in seconds; or three frames, where those take longer.
  private static let longestPause = 0.5

  /// Makes an engine; networks are loaded by ``prepare()``, or with the first scene that needs them.
  ///
  /// - Parameters:
  ///   - settings: the choices.
  ///   - stream: what is known of the scenes. Whether a camera's have depth is seen again in each of them.
  ///   - use: the use of the pictures.
  ///   - workers: threads that the work is shared by.
  ///   - networks: where loaded networks stay for the next stream.
  /// - Throws: errors in values of the look, or the background; `unsupported` for a look that cannot leave it out.
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

  // MARK: - What the use decides

  private static func analysis(_ settings: StreamSettings, _ use: Use) -> AnalyzerOptions {
    var options = settings.analysis
    if case .live(let rate) = use {
      options.quality = options.quality ?? .live
      options.person.restsWhenCalm = true
      options.person.minimumRate = rate ?? options.person.minimumRate
    }
    return options
  }

  private static func drawing(_ settings: StreamSettings, _ use: Use) -> Renderer.Options {
    var options = settings.drawing
    options.isStill = use.isStill
    let quality = settings.analysis.quality ?? (use.isStill ? .best : .live)
    let isOfSubject = settings.look.matteSource != .depth
    // A matte by distance alone is soft at every edge because its look wants that.
    if isOfSubject || settings.analysis.mattes != .depth && quality == .best {
      options.decontaminates = options.decontaminates ?? true
    }
    var audience = settings.audience ?? .oneself
    if case .live = use { audience = settings.audience ?? .others }
    options.failsClosed = audience != .oneself
    options.realBackground =
      switch audience {
      case _ where settings.showsRealBackground: .allowed
      case .oneself: .allowed
      case .rehearsal: .withSubject
      case .others: .forbidden
      }
    return options
  }

  private static func renderer(
    _ settings: StreamSettings, _ stream: StreamDescription, _ use: Use, _ workers: WorkerPool
  ) throws(BackdropError) -> Renderer {
    let options = drawing(settings, use)
    let isTransparent = settings.background?.isTransparent ?? false
    var background: BackgroundSource?
    if let choice = settings.background, !isTransparent {
      let size = options.composition.size(width: stream.width, height: stream.height)
      background = try BackgroundSource(choice, width: size.width, height: size.height, limits: stream.limits)
    }
    return try Renderer(
      settings.look, try settings.look.settings(settings.values), width: stream.width, height: stream.height,
      background: background, isTransparent: isTransparent, before: settings.background?.veil,
      standby: settings.standby, options: options, workers: workers)
  }

  // MARK: - Changes

  /// Takes over other settings from the next scene on; what was learned of the stream is kept where it still holds. Nothing changes
  /// where that throws.
  ///
  /// - Parameters:
  ///   - wanted: the other settings.
  ///   - reloads: whether the background is another one, and is read anew.
  ///   - prepares: whether networks that are needed now are loaded at once, as by ``prepare()``.
  ///   - reduction: how many times smaller the picture is to whose edges mattes are drawn; `nil` for the usual.
  /// - Throws: errors in the settings, or with a background that is read; what loading networks throws.
  public func change(
    to wanted: StreamSettings, reloads: Bool = false, prepares: Bool = true, reduction: Int? = nil
  ) throws(BackdropError) {
    let former = (settings: settings, values: renderer.settings, renderer: renderer)
    let values = try wanted.look.settings(wanted.values)
    if reloads { renderer = try Self.renderer(wanted, stream, use, workers) }
    do throws(BackdropError) {
      try takeOver(wanted, values, reduction)
      if prepares && !use.isStill { try prepare() }
    } catch {
      renderer = former.renderer
      // An analyzer refuses options that are out of range, and these were not.
      try? takeOver(former.settings, former.values, reduction)
      throw error
    }
  }

  private func takeOver(_ wanted: StreamSettings, _ values: LookValues, _ reduction: Int?) throws(BackdropError) {
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

  /// Puts something else behind, which was read before, from the next scene on.
  ///
  /// - Throws: as ``Renderer/change(background:)``.
  public func change(background: BackgroundSource) throws(BackdropError) { try renderer.change(background: background) }

  /// Sets the look's parameters, from the next scene on.
  ///
  /// - Throws: `wrongArgument` for a parameter that the look does not have, or a value out of range.
  public func change(values: [String: Double]) throws(BackdropError) {
    renderer.change(to: settings.look, try settings.look.settings(values))
    settings.values = values
  }

  /// Forgets what was learned of the stream.
  public func begin() {
    analyzer = SceneAnalyzer(stream, options: Self.analysis(settings, use), workers: workers, networks: networks)
    (evidence, lastTime) = (Evidence(), nil)
  }

  /// Loads what scenes of this stream will need.
  ///
  /// - Throws: as ``SceneAnalyzer/prepare(for:)``.
  public func prepare() throws(BackdropError) { try analyzer.prepare(for: renderer.request) }

  /// Begins anew where a camera's scene cannot go on with the last one: after a pause, or where depth came or went.
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

  /// Only finds the evidence for the look, to draw the same scene several times, or to get its matte alone.
  ///
  /// - Parameters:
  ///   - scene: the scene.
  ///   - request: the evidence to find; `nil` for that of the look.
  ///   - next: the picture of the scene after that one, if it is known.
  /// - Throws: as ``SceneAnalyzer/analyze(_:for:into:next:)``.
  public func analyze(
    _ scene: Scene, for request: EvidenceRequest? = nil, next: Image? = nil
  ) throws(BackdropError) {
    follow(scene)
    try StageClock.shared.measure(.refine) { () throws(BackdropError) in
      try analyzer.analyze(scene, for: request ?? renderer.request, into: &evidence, next: next)
    }
  }

  /// Draws a scene with what ``analyze(_:for:next:)`` found in it.
  ///
  /// - Parameters:
  ///   - scene: the scene.
  ///   - wantsMatte: whether its matte is wanted, too.
  ///   - spare: memory to draw into, if it fits.
  public func draw(_ scene: Scene, wantsMatte: Bool = false, into spare: inout Image) -> Result {
    StageClock.shared.measure(.draw) {
      let (rendering, matte) = renderer.render(scene, evidence, wantsMatte: wantsMatte, into: &spare)
      return Result(rendering: rendering, matte: matte, findings: evidence.findings)
    }
  }

  /// Analyzes a scene and draws it, or the standby frame in its place.
  ///
  /// - Parameters: as of ``draw(_:wantsMatte:into:)``.
  public func render(_ scene: Scene, wantsMatte: Bool = false, into spare: inout Image) -> Result {
    do throws(BackdropError) {
      try analyze(scene)
    } catch {
      let rendering = renderer.standby(.fault(error), at: scene.time, into: &spare)
      return Result(rendering: rendering, matte: nil, findings: evidence.findings)
    }
    return draw(scene, wantsMatte: wantsMatte, into: &spare)
  }

  /// The matte of the last scene that the look is drawn through, at its own size.
  ///
  /// - Throws: as ``Renderer/matte(_:)``.
  public func matte() throws(BackdropError) -> Matte { try renderer.matte(evidence) }

  /// Draws what is shown in place of a scene.
  public func standby(_ reason: StandbyReason, at time: Double, into spare: inout Image) -> Rendering {
    renderer.standby(reason, at: time, into: &spare)
  }
}
