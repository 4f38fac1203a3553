import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropModels

/// The engine as a live session uses it: built for the settings, changed with them, and gentler when the machine cannot keep up.
///
/// One thread uses it at a time.
final class LiveDrawing {
  private let networks: ModelCache
  private let workers: WorkerPool
  private let width: Int, height: Int
  private var settings: LiveSettings
  private var step = LoadStep.none
  private let renderer: Renderer
  private var pipeline: RenderPipeline?
  private var stream: StreamDescription?

  /// Prepares for the settings; networks are loaded with the first scene.
  ///
  /// - Throws: what is wrong with background or standby picture.
  init(
    _ settings: LiveSettings, _ look: Look, networks: ModelCache, workers: WorkerPool
  ) throws(BackdropError) {
    (self.settings, self.networks, self.workers) = (settings, networks, workers)
    (width, height) = (settings.request.width, settings.request.height)
    let background = try BackgroundSource(settings.background, width: width, height: height)
    if let blur = background.legibleBlur, !settings.showsRoom { throw blur.error }
    renderer = try Renderer(
      look, try look.settings(settings.parameters), width: width, height: height, background: background,
      standby: try settings.standbyPicture(), options: settings.rendererOptions(.withSubject), workers: workers)
  }

  /// What is known of the last scene.
  var evidence: Evidence { pipeline?.evidence ?? Evidence() }
  /// What its matte was, as the look is drawn through it.
  var matte: Matte? {
    do throws(BackdropError) {
      return try renderer.matte(evidence)
    } catch {
      return nil
    }
  }
  /// Mattes made so far, of which a still stream needs few.
  var matteCount: Int { pipeline?.analyzer.matteCount ?? 0 }

  /// Takes over settings, a load step and who looks; what was learned of the stream is kept where it still holds.
  ///
  /// - Parameter background: the one that the settings name, where it changed.
  func change(
    to wanted: LiveSettings, _ look: Look, background: BackgroundSource?, step: LoadStep, room: Renderer.RoomPolicy
  ) throws(BackdropError) {
    let values = try look.settings(wanted.parameters)
    if wanted.standby != settings.standby { renderer.change(standby: try wanted.standbyPicture()) }
    if let pipeline {
      let isTaken = try pipeline.analyzer.change(
        to: wanted.analyzerOptions(step), reduction: step >= .coarseEdges ? 4 : nil)
      if !isTaken { self.pipeline = nil }
    }
    renderer.change(to: wanted.rendererOptions(room))
    renderer.change(to: look, values)
    if let background { try renderer.change(background: background) }
    (settings, self.step) = (wanted, step)
  }

  /// Draws a scene of the outputs' size, or the standby frame in its place; `spare` is reused.
  func render(_ scene: Scene, into spare: inout Image) -> Rendering {
    do throws(BackdropError) {
      let hasDepth = scene.depth != nil || scene.depthFault != nil
      let pipeline = try pipeline(
        for: StreamDescription(width: width, height: height, isStill: false, hasDepth: hasDepth))
      return pipeline.render(scene, into: &spare)
    } catch {
      return renderer.standby(.fault(error), at: scene.time, into: &spare)
    }
  }

  /// Draws what is shown in place of a scene.
  func standby(_ reason: StandbyReason, at time: Double, into spare: inout Image) -> Rendering {
    renderer.standby(reason, at: time, into: &spare)
  }

  private func pipeline(for wanted: StreamDescription) throws(BackdropError) -> RenderPipeline {
    if let pipeline, stream == wanted { return pipeline }
    let analyzer = SceneAnalyzer(
      wanted, options: settings.analyzerOptions(step), workers: workers, networks: networks)
    try analyzer.prepare(for: renderer.request)
    let made = RenderPipeline(analyzer, renderer)
    (pipeline, stream) = (made, wanted)
    return made
  }
}

extension LiveSettings {
  /// How scenes are analyzed with these settings.
  func analyzerOptions(_ step: LoadStep) -> AnalyzerOptions {
    var options = analysis
    options.quality = analysis.quality ?? .live
    options.person.minimumRate = step.rate ?? request.rate
    if step >= .halfMattes {
      options.person.mattesPerSecond = min(
        analysis.person.mattesPerSecond ?? .infinity, (step.rate ?? request.rate) / 2)
    }
    options.person.restsWhenCalm = true
    return options
  }

  /// How they are drawn.
  func rendererOptions(_ room: Renderer.RoomPolicy) -> Renderer.Options {
    var options = drawing
    options.failsClosed = true
    options.keepsSize = true
    options.room = showsRoom ? .allowed : room
    return options
  }

  /// The standby picture at the outputs' size; `nil` where the background serves.
  func standbyPicture() throws(BackdropError) -> Image? {
    guard let standby else { return nil }
    return try SceneInput.picture(standby).flattened.filling(width: request.width, height: request.height)
      .converted(to: .i420, color: .video)
  }
}
