/// Draws a photo with several values of a parameter, one after the other.
extension JobRun {
  /// The longer side of each picture of a strip.
  private static let tileSide = 480

  /// Draws all values of a sweep, or of the look's motion: side by side in a picture, or one after the other in a film.
  func drawSteps() throws(BackdropError) -> JobSummary {
    guard let target = plan.output else {
      throw BackdropError(.wrongArgument, "a sweep writes pictures, not a matte", hint: .nameResult)
    }
    let film = target.kind.film
    let sweep = try sweep(film, target)
    let drawing = try analyzed(side: film?.side ?? Self.tileSide)
    var output: StreamOutput?
    var tiles: [LookSheet.Tile] = []
    var values = values
    for value in sweep.values {
      try checkInterruption()
      values[sweep.parameter] = value
      summary.frames += 1
      let image = try drawing.draw(plan.look, values)
      try summary.add(
        exposedBackground: drawing.exposedBackground, isSeen: drawing.showsRealBackground,
        isForbidden: plan.settings.hidesRealBackground)
      if let film {
        if output == nil { output = try open(film, target, image) }
        try output?.write(image, time: Int64(summary.frames - 1), duration: 1)
      } else {
        tiles.append(LookSheet.Tile(name: "\(sweep.parameter) \(brief((value * 1000).rounded() / 1000))", image: image))
      }
      progress(summary.frames)
    }
    summary.add(engine, plan, source)
    if let output {
      try output.complete()
      try output.commit()
    } else {
      let page = try LookSheet.page(tiles, columns: tiles.count <= 24 ? tiles.count : 12)
      summary.readerIsGone = try LookSheet.write(page, to: target, plan.writing).readerIsGone
    }
    summary.outputs = [target.path]
    return summary
  }

  /// Finds the subject in the full-size picture, and then draws small.
  private func analyzed(side: Int) throws(BackdropError) -> SceneDrawing {
    guard let scene = try source.next() else {
      throw BackdropError(
        .badData, "the input has no frame to use", path: source.name, hint: "give an input with frames")
    }
    do throws(BackdropError) {
      try engine.analyze(scene)
      try focus()
    } catch {
      throw error.path == nil && error.kind == .badData ? error.at(source.name) : error
    }
    return SceneDrawing(
      try scene.reduced(to: side), engine.evidence, plan.judgedSettings, workers: WorkerPool(threads: plan.threads))
  }

  private func open(_ film: FilmFormat, _ target: OutputTarget, _ image: Image) throws(BackdropError) -> StreamOutput {
    let stream = StreamOutput.Stream(
      width: image.width, height: image.height, frameRate: plan.sweep == nil ? film.motionRate : film.sweepRate)
    return try StreamOutput(checked: target, for: stream, plan.writing)
  }

  private func sweep(_ film: FilmFormat?, _ target: OutputTarget) throws(BackdropError) -> ParameterSweep {
    if let given = plan.sweep { return given }
    guard let film, let motion = plan.look.motion,
      let range = plan.look.parameters.first(where: { $0.name == motion.parameter })?.range
    else {
      throw BackdropError(
        .wrongArgument, "nothing changes over time in the look '\(plan.look.id)'", path: target.path,
        hint: .addSweep(parameter: plan.look.parameters.first?.name ?? "focus"))
    }
    // The loop ends one picture before it would repeat the first.
    let count = max(2, Int((motion.seconds * film.motionRate.value).rounded()))
    let step = (range.upperBound - range.lowerBound) / Double(count)
    return ParameterSweep(motion.parameter, from: range.lowerBound, to: range.upperBound - step, count: count)
  }
}
