import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropLooks
import BackdropMatting

extension Job.Plan {
  /// Whether this output turns a still picture into a moving one, which needs a look that moves. A video of a picture in front of
  /// a background has a single frame.
  func makesFilm(_ target: OutputTarget) -> Bool {
    switch target.kind {
    case .animation: true
    case .video: look.motion != nil || look.matteSource != .depth
    case .pipe, .pictures, .picture, .y4m, .observer: false
    }
  }
}

/// Draws a photo with several values of a parameter, one after the other.
extension Job {
  /// The longer side of each picture of a strip.
  private static let tileSide = 480

  /// Draws all values of a sweep, or of the look's motion: side by side in a picture, or one after the other in a film.
  func drawSteps(
    _ engine: StreamEngine, _ summary: inout JobSummary, _ progress: (Int) -> Void, _ isInterrupted: () -> Bool
  ) throws(BackdropError) {
    guard let target = plan.output else {
      throw BackdropError(.wrongArgument, "a sweep writes pictures, not a matte", hint: .nameResult)
    }
    let film =
      target.isVideo || plan.makesFilm(target)
      ? FilmOutput(
        try OutputFile(target.path, overwrite: plan.writing.overwrite),
        animation: target.animation, options: plan.writing) : nil
    let sweep = try sweep(film, target)
    var source = source
    guard let scene = try source.next() else {
      throw BackdropError(
        .badData, "the input has no frame to use", path: source.name, hint: "give an input with frames")
    }
    do throws(BackdropError) {
      try engine.analyze(scene)
      var values = plan.values
      try focus(engine, &values)
    } catch {
      throw error.path == nil && error.kind == .badData ? error.at(source.name) : error
    }
    // Find the subject in the full-size picture, then draw small.
    let small = try scene.reduced(to: film?.side ?? Self.tileSide)
    var settings = StreamSettings(plan.look)
    (settings.background, settings.drawing, settings.analysis) = (plan.background, plan.drawing, plan.analysis)
    let drawing = SceneDrawing(small, engine.evidence, settings, workers: WorkerPool(threads: plan.threads))
    var tiles: [LookSheet.Tile] = []
    var values = plan.values
    for value in sweep.values {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      values[sweep.parameter] = value
      summary.frames += 1
      let image = try drawing.draw(plan.look, values)
      try summary.take(
        exposedBackground: drawing.exposedBackground, isSeen: drawing.showsRealBackground,
        isForbidden: plan.hidesRealBackground)
      if let film {
        try film.append(image, isSweep: plan.sweep != nil)
      } else {
        tiles.append(
          LookSheet.Tile(name: "\(sweep.parameter) \(brief((value * 1000).rounded() / 1000))", image: image))
      }
      progress(summary.frames)
    }
    summary.take(engine, plan, source)
    if let film {
      try film.finish()
    } else {
      let page = try LookSheet.page(tiles, columns: tiles.count <= 24 ? tiles.count : 12)
      summary.readerIsGone = try LookSheet.write(page, to: target, plan.writing).readerIsGone
    }
    summary.outputs = [target.path]
  }

  private func sweep(_ film: FilmOutput?, _ target: OutputTarget) throws(BackdropError) -> ParameterSweep {
    if let given = plan.sweep { return given }
    guard let film, let motion = plan.look.motion,
      let range = plan.look.parameters.first(where: { $0.name == motion.parameter })?.range
    else {
      throw BackdropError(
        .wrongArgument, "nothing changes over time in the look '\(plan.look.id)'", path: target.path,
        hint: .addSweep(parameter: plan.look.parameters.first?.name ?? "focus"))
    }
    // The loop ends one picture before it would repeat the first.
    let count = max(2, Int((motion.seconds * film.motionRate).rounded()))
    let step = (range.upperBound - range.lowerBound) / Double(count)
    return ParameterSweep(
      motion.parameter, from: range.lowerBound, to: range.upperBound - step, count: count)
  }
}
