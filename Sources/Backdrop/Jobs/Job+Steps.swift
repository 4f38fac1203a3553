import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropLooks
import BackdropMatting

extension Job.Plan {
  /// Whether a still picture's output of that name is a moving one, which something in the look has to fill. A video of a picture
  /// before a background is one of a single frame.
  func makesFilm(_ target: OutputTarget) -> Bool {
    switch target.kind {
    case .animation: true
    case .video: look.motion != nil || look.matteSource != .depth
    case .pipe, .pictures, .picture, .y4m, .observer: false
    }
  }
}

/// A photo, drawn with one value of a parameter after the other.
extension Job {
  /// The longer side of each picture of a strip.
  private static let tileSide = 480

  /// All values of a sweep, or of what moves in the look: side by side in a picture, or one after the other in a film.
  func drawSteps(
    _ pipeline: RenderPipeline, _ summary: inout JobSummary, _ progress: (Int) -> Void, _ isInterrupted: () -> Bool
  ) throws(BackdropError) {
    guard let target = plan.output else {
      throw BackdropError(.wrongArgument, "a sweep has no matte of its own", hint: .nameResult)
    }
    let film =
      target.isVideo || plan.makesFilm(target)
      ? FilmOutput(
        try OutputFile(target.path, overwrite: plan.writing.overwrite),
        animation: target.animation, options: plan.writing) : nil
    let sweep = try sweep(film, target)
    var source = source
    guard let scene = try source.next() else {
      throw BackdropError(.badData, "the input has no frames", path: source.name, hint: "give another")
    }
    do throws(BackdropError) {
      try pipeline.analyze(scene)
      var values = plan.values
      try focus(pipeline, &values)
    } catch {
      throw error.path == nil && error.kind == .badData ? error.at(source.name) : error
    }
    // Found in the whole picture, then drawn small.
    let small = try scene.reduced(to: film?.side ?? Self.tileSide)
    let drawing = try SceneDrawing(small, pipeline.evidence, plan, workers: WorkerPool(threads: plan.threads))
    var tiles: [LookSheet.Tile] = []
    var values = plan.values
    for value in sweep.values {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      values[sweep.parameter] = value
      summary.frames += 1
      let image = try drawing.draw(plan.look, values)
      try summary.take(
        visibleRoom: drawing.visibleRoom, isSeen: drawing.showsRoom, isStrict: plan.isStrict)
      if let film {
        try film.append(image, isSweep: plan.sweep != nil)
      } else {
        tiles.append(
          LookSheet.Tile(name: "\(sweep.parameter) \(brief((value * 1000).rounded() / 1000))", image: image))
      }
      progress(summary.frames)
    }
    summary.take(pipeline, plan, source)
    if let film {
      try film.finish()
    } else {
      let page = try LookSheet.page(tiles, columns: tiles.count <= 24 ? tiles.count : 12)
      let output = try StreamOutput(
        target, for: StreamOutput.Stream(width: page.width, height: page.height, frameRate: Rational(1, 1)),
        color: page.color, format: page.format, options: plan.writing)
      try output.write(page, time: 0, duration: 1)
      try output.commit()
      summary.readerIsGone = output.readerIsGone
    }
    summary.outputs = [target.path]
  }

  private func sweep(_ film: FilmOutput?, _ target: OutputTarget) throws(BackdropError) -> ParameterSweep {
    if let given = plan.sweep { return given }
    guard let film, let motion = plan.look.motion,
      let range = plan.look.parameters.first(where: { $0.name == motion.parameter })?.range
    else {
      throw BackdropError(
        .wrongArgument, "nothing moves in the look '\(plan.look.id)'", path: target.path,
        hint: .addSweep(parameter: plan.look.parameters.first?.name ?? "focus"))
    }
    // The last picture is the one before the first.
    let count = max(2, Int((motion.seconds * film.motionRate).rounded()))
    let step = (range.upperBound - range.lowerBound) / Double(count)
    return ParameterSweep(
      motion.parameter, from: range.lowerBound, to: range.upperBound - step, count: count)
  }
}

/// Draws looks of one scene whose evidence is known, again and again.
final class SceneDrawing {
  let scene: Scene
  /// What is known of it; another one's looks are drawn from the next picture on.
  var evidence: Evidence
  private let workers: WorkerPool
  private var background: BackgroundChoice?
  private var options: Renderer.Options
  private var renderer: Renderer?
  /// The subject shaped as the last look's recipe wants it.
  private var shaped: (recipe: DepthMatteRecipe, subject: PixelStorage, evidence: Evidence)?
  /// What the last picture shows of the room: see ``Rendering``.
  private(set) var visibleRoom = 0.0, showsRoom = false

  /// - Parameter plan: its background, light and colours are taken; its look and values are given with each picture.
  convenience init(
    _ scene: Scene, _ evidence: Evidence, _ plan: Job.Plan, workers: WorkerPool
  ) throws(BackdropError) {
    self.init(
      scene, evidence, background: plan.background, drawing: plan.drawing, workers: workers)
  }

  init(
    _ scene: Scene, _ evidence: Evidence, background: BackgroundChoice?, drawing: Renderer.Options = .init(),
    workers: WorkerPool
  ) {
    (self.scene, self.evidence, self.background, self.workers) = (scene, evidence, background, workers)
    options = Self.completed(drawing)
  }

  private static func completed(_ drawing: Renderer.Options) -> Renderer.Options {
    var options = drawing
    options.fillsRoom = true
    options.decontaminates = drawing.decontaminates ?? true
    return options
  }

  /// Puts something else behind, or draws otherwise.
  func change(background: BackgroundChoice?, drawing: Renderer.Options) {
    (self.background, options) = (background, Self.completed(drawing))
    renderer = nil
  }

  /// What is known of the scene, shaped for a look.
  func evidence(for request: EvidenceRequest) -> Evidence {
    guard !request.hasNaturalShape, let recipe = request.recipe, evidence.subjectOrigin != nil else { return evidence }
    let subject = evidence.subject.q15.storage
    if let shaped, shaped.recipe == recipe, shaped.subject === subject { return shaped.evidence }
    var result = evidence
    var shaper = MatteShaper()
    result.subject = shaper.shape(evidence.subject, sigma: recipe.sigma, gamma: recipe.gamma)
    shaped = (recipe, subject, result)
    return result
  }

  /// The renderer for a look, which keeps what it worked out for the last picture where it still holds.
  func prepared(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Renderer {
    let settings = try look.settings(values)
    let isTransparent = background?.isTransparent ?? false
    if let renderer, renderer.isTransparent == (isTransparent && look.isCutout) {
      renderer.change(to: look, settings)
      return renderer
    }
    let (width, height) = (scene.image.width, scene.image.height)
    let size = options.placement.size(width: width, height: height)
    let behind: BackgroundSource? =
      if let background, !isTransparent {
        try BackgroundSource(background, width: size.width, height: size.height)
      } else {
        nil
      }
    let made = try Renderer(
      look, settings, width: width, height: height, background: behind, isTransparent: isTransparent && look.isCutout,
      before: background?.veil, options: options, workers: workers)
    renderer = made
    return made
  }

  /// The scene with a look.
  ///
  /// - Throws: `wrongArgument` for a parameter that the look does not have, or out of range; why it could not be drawn.
  func draw(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Image {
    let renderer = try prepared(look, values)
    var image = Image(.gray8, width: 1, height: 1)
    let rendering = renderer.render(scene, evidence(for: renderer.request), into: &image)
    if case .standby(let reason) = rendering.standing {
      throw reason.error ?? BackdropError(.badData, "the look could not be drawn")
    }
    (visibleRoom, showsRoom) = (rendering.visibleRoom, rendering.showsRoom)
    return rendering.image
  }
}
