import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// Draws every scene of a source with a look, into one or two outputs. A photo becomes a photo, a strip or a film; a stream becomes a
/// stream.
public struct Job {
  /// Receives each frame, its matte and its drawing.
  public typealias Observer = (Scene, Matte, Rendering?) throws(BackdropError) -> Void

  let source: SceneInput
  let plan: Plan
  private let networks: ModelCache

  /// Checks the plan, without decoding or writing anything.
  ///
  /// - Parameters:
  ///   - source: the input.
  ///   - plan: the plan.
  ///   - networks: the cache of loaded networks; it may come from another job that has ended.
  /// - Throws: errors in the look's values, the focus, the sweep; `wrongArgument` if both outputs are the same, neither is given, or the
  ///   job reads one of them.
  public init(
    _ source: SceneInput, _ plan: Plan, networks: ModelCache = ModelCache()
  ) throws(BackdropError) {
    var plan = plan
    if !source.isStill {
      plan.output = plan.output?.moving
      plan.matteOutput = plan.matteOutput?.moving
    }
    for (target, isMatte) in [(\Plan.output, false), (\Plan.matteOutput, true)] {
      plan[keyPath: target] = plan[keyPath: target]?.carrying(source, ResultNaming(plan, isMatte: isMatte))
    }
    try plan.check(source)
    (self.source, self.plan, self.networks) = (source, plan, networks)
  }

  /// Does the work; a failed job leaves no files.
  ///
  /// The standby frame replaces a frame without a usable matte, and the summary reports it; a single picture without one is an error.
  /// Videos are read, drawn and written in parallel; `progress`, `isInterrupted` and `observe` are called on the caller's thread.
  ///
  /// - Parameters:
  ///   - progress: receives the number of finished frames after each.
  ///   - isInterrupted: called before each frame.
  ///   - observe: receives each frame with its matte and its drawing, which is `nil` if only mattes are requested.
  /// - Throws: `interrupted`; `badData` if no frame had a usable matte; errors of source and outputs.
  public func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false },
    observe: Observer? = nil
  ) throws(BackdropError) -> JobSummary {
    let clock = ContinuousClock()
    let start = clock.now
    if plan.measuresStages { StageClock.shared.start() }
    var summary = JobSummary(input: source.name, look: plan.look.id)
    let isFromFile = source.video != nil
    // Codecs have their own threads, and do more work than the drawing.
    let workers = WorkerPool(threads: plan.threads ?? (isFromFile ? WorkerPool.halfOfProcessors : nil))
    let engine = try plan.engine(source, workers: workers, networks: networks)
    if source.isStill, plan.sweep != nil || plan.output.map({ plan.makesFilm($0) }) ?? false {
      try drawSteps(engine, &summary, progress, isInterrupted)
    } else {
      try drawAll(engine, &summary, progress, isInterrupted, observe)
    }
    summary.seconds = (clock.now - start) / .seconds(1)
    if plan.measuresStages { summary.timings = StageClock.shared.stop() }
    summary.framesPerSecond = summary.seconds > 0 ? Double(summary.frames) / summary.seconds : 0
    return summary
  }

  /// The number of frames that may wait on either side of the drawing. Codecs take and give several frames at once, and this many keep
  /// all threads busy. Large frames use fewer.
  private var waitingFrames: Int { source.width * source.height > 4_000_000 ? 2 : 4 }

  private func drawAll(
    _ engine: StreamEngine, _ summary: inout JobSummary, _ progress: (Int) -> Void, _ isInterrupted: () -> Bool,
    _ observe: Observer?
  ) throws(BackdropError) {
    let (renderer, analyzer) = (engine.renderer, engine.analyzer)
    // Open the outputs before the first frame is read: reading it may take long, and sound is copied from the start.
    let outputs = try JobOutputs(plan, source, renderer)
    let reader = ReadAhead(source, frames: source.info.isWorthReadingAhead ? waitingFrames : 0)
    defer { reader.stop() }
    let writer = WriteBehind(outputs, pictures: outputs.areVideos ? waitingFrames : 0)
    defer { writer.stop() }
    let nothing = Matte(constant: 0, width: 1, height: 1)
    var coverage = 0.0
    var values = plan.values
    while !writer.areFull {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard let scene = try reader.next() else { break }
      if summary.frames == 0 { renderer.timeOrigin = scene.time }
      if plan.output != nil { try renderer.prepare(scene.image.format, scene.image.color, at: scene.time) }
      summary.frames += 1
      if !plan.keyframes.isEmpty { try move(engine, values, to: scene.time - renderer.timeOrigin) }
      var shown = nothing
      let wantsMatte = plan.matteOutput != nil || observe != nil
      let rendering = try draw(
        scene, next: reader.upcoming?.image, engine, writer, &summary, &shown, &values,
        wantsMatte: wantsMatte)
      coverage += engine.evidence.subject.coverage
      try observe?(scene, shown, rendering)
      try writer.write(
        JobOutputs.Picture(
          rendering: rendering, matte: plan.matteOutput == nil ? nil : shown,
          ticks: scene.ticks ?? SceneTicks(time: 0, duration: 0)))
      progress(summary.frames)
    }
    reader.stop()
    try writer.finish()
    summary.take(engine, plan, reader.source)
    summary.coverage = coverage / Double(max(1, summary.frames))
    if !source.isStill { noteAbsence(analyzer, &summary) }
    if outputs.tookTheFirstOnly && !source.isStill {
      summary.warnings.append("Backdrop wrote only the first frame; for all frames, name the output out/%05d.png")
    }
    if !outputs.readerIsGone { try checkUsable(summary, usedDepth: analyzer.usesDepth) }
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
    try outputs.finish()
    summary.warnings += outputs.notes.map { Warning($0) }
    summary.readerIsGone = outputs.readerIsGone
    summary.outputs = [plan.output, plan.matteOutput].compactMap { $0 }.filter { !$0.isObserver }.map(\.path)
  }

  /// Draws a scene; `nil` if only its matte is requested.
  private func draw(
    _ scene: Scene, next: Image?, _ engine: StreamEngine, _ writer: WriteBehind,
    _ summary: inout JobSummary, _ shown: inout Matte, _ values: inout [String: Double], wantsMatte: Bool
  ) throws(BackdropError) -> Rendering? {
    var spare = writer.takeSpare()
    let result: StreamEngine.Result
    do throws(BackdropError) {
      try engine.analyze(scene, next: next)
      if plan.audience == .others && engine.analyzer.seesNoLikeness { throw SceneAnalyzer.noLikeness }
      if summary.frames == 1 { try focus(engine, &values) }
      guard plan.output != nil else {
        shown = try engine.matte()
        return nil
      }
      result = engine.draw(scene, wantsMatte: wantsMatte, into: &spare)
      if case .standby(.fault(let error)) = result.rendering.standing { throw error }
    } catch {
      // A wrong argument fails for every frame alike, and an error in another file is not the scene's fault.
      if error.kind == .wrongArgument || source.isStill && (error.kind == .unsupported || error.path != nil) {
        throw error
      }
      summary.standby.append(FrameFault(frame: summary.frames, reason: error.description, hint: error.remedy))
      return plan.output == nil ? nil : engine.standby(.fault(error), at: scene.time, into: &spare)
    }
    let rendering = result.rendering
    shown = result.matte ?? shown
    if case .standby(let reason) = rendering.standing {
      let error = reason.error
      summary.standby.append(
        FrameFault(frame: summary.frames, reason: error?.description ?? "", hint: error?.remedy))
    }
    try summary.take(
      exposedBackground: rendering.exposedBackground, isSeen: rendering.showsRealBackground,
      isForbidden: plan.hidesRealBackground)
    return rendering
  }

  /// Sets a focus given as a point, once the distance there is known.
  func focus(_ engine: StreamEngine, _ values: inout [String: Double]) throws(BackdropError) {
    guard case .point(let x, let y) = plan.focus, let name = plan.look.focusParameter,
      let disparity = engine.evidence.disparity
    else { return }
    values[name] = disparity.value(atX: x / Double(source.width), y: y / Double(source.height))
    try move(engine, values, to: 0)
  }

  /// Sets the parameters for a time of the result, in seconds: from the keyframes if given, else from `values`.
  private func move(
    _ engine: StreamEngine, _ values: [String: Double], to seconds: Double
  ) throws(BackdropError) {
    let moved = plan.keyframes.mapValues { $0.value(at: seconds) }
    try engine.change(values: values.merging(moved) { $1 })
  }

  private func noteAbsence(_ analyzer: SceneAnalyzer, _ summary: inout JobSummary) {
    guard plan.look.matteSource == .depth || plan.look.matteSource == .subject, summary.frames > summary.standby.count
    else { return }
    if !analyzer.hasSeenSomebody {
      summary.warnings.append(
        analyzer.usesDepth
          ? "no frame has anything nearer than the cutoff, so the output shows only the background; check the depth unit"
          : "Backdrop found no person in any frame, so the output shows only the background")
    }
  }

  private func checkUsable(_ summary: JobSummary, usedDepth: Bool) throws(BackdropError) {
    guard summary.frames > 0 else {
      throw BackdropError(.badData, "the input has no frame to use", path: source.name, hint: "give a longer one")
    }
    guard summary.standby.count < summary.frames else {
      let first = summary.standby.first.first
      throw BackdropError(
        .badData,
        summary.frames == 1
          ? first?.reason ?? ""
          : "no frame has \(usedDepth ? "usable depth" : "a usable matte") (the first frame: \(first?.reason ?? ""))",
        path: source.isStill ? source.files.last : source.name,
        hint: usedDepth ? .checkDepthUnit : first?.hint)
    }
  }
}
