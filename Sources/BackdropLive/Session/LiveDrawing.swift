import Backdrop

/// The engine with a live session's settings; it does less work when the machine cannot keep up.
///
/// One thread uses it at a time.
final class LiveDrawing {
  /// Settings, a load step, whether others watch, and the background of the settings if it changed.
  struct Change {
    var settings: LiveSettings
    var look: Look
    var background: UncheckedTransfer<BackgroundSource>?
    var step: LoadStep
    var othersWatch: Bool
  }

  private var settings: LiveSettings
  private var standby: Image?
  private let engine: StreamEngine

  /// Prepares the engine for the settings; the first scene loads the networks.
  init(_ settings: LiveSettings, _ look: Look, networks: ModelCache, workers: WorkerPool) throws(BackdropError) {
    self.settings = settings
    standby = try settings.standbyPicture()
    engine = try StreamEngine(
      try settings.streamSettings(look, .none, standby, othersWatch: false),
      StreamDescription(width: settings.request.width, height: settings.request.height),
      for: .live(rate: settings.request.rate), workers: workers, networks: networks)
    if let blur = engine.renderer.backgroundBlur, !settings.showsRealBackground { throw blur.error }
  }

  /// The current matte, as the look uses it. If it fails, the picture that needs it has the error as its reason for standby.
  var matte: Matte? { try? engine.matte() }
  /// The number of mattes made so far; a stream without movement needs few.
  var matteCount: Int { engine.analyzer.matteCount }

  /// The engine's knowledge of the stream stays if it is still valid.
  func apply(_ change: Change) throws(BackdropError) {
    let wanted = change.settings
    if wanted.standby != settings.standby { standby = try wanted.standbyPicture() }
    engine.use = .live(rate: change.step.rate(at: wanted.request.rate))
    try engine.change(
      to: try wanted.streamSettings(change.look, change.step, standby, othersWatch: change.othersWatch),
      prepares: false, reduction: change.step >= .coarseEdges ? 4 : nil)
    if let background = change.background { try engine.renderer.change(background: background.value) }
    settings = wanted
  }

  /// Draws a scene of the outputs' size, or the standby frame in its place; `spare` is reused.
  func render(_ scene: Scene, wantsMatte: Bool = false, into spare: inout Image) -> StreamEngine.Result {
    engine.render(scene, wantsMatte: wantsMatte, into: &spare)
  }

  func standby(_ reason: StandbyReason, at time: Double, into spare: inout Image) -> Rendering {
    engine.standby(reason, at: time, into: &spare)
  }
}

extension LiveSettings {
  /// The settings for analyzing and drawing scenes; the engine keeps the background.
  fileprivate func streamSettings(
    _ look: Look, _ step: LoadStep, _ standby: Image?, othersWatch: Bool
  ) throws(BackdropError) -> StreamSettings {
    var settings = stream
    (settings.look, settings.standby) = (look, standby)
    settings.background = try BackgroundChoice(single: background)
    (settings.audience, settings.othersWatch) = (.others, othersWatch)
    settings.drawing.keepsSize = true
    if step >= .halfMattes {
      settings.analysis.person.mattesPerSecond = min(
        settings.analysis.person.mattesPerSecond ?? .infinity, step.rate(at: request.rate) / 2)
    }
    return settings
  }

  /// The standby picture at the outputs' size; `nil` if the background takes its place.
  func standbyPicture() throws(BackdropError) -> Image? {
    guard let standby else { return nil }
    return try SceneInput.picture(standby).flattened.filling(width: request.width, height: request.height)
      .converted(to: .i420, color: .video)
  }
}
