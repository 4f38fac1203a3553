/// The state of one run of a job. It lives as long as ``Job/run(progress:isInterrupted:observe:)``.
final class JobRun {
  var source: SceneInput
  let plan: Job.Plan
  let engine: StreamEngine
  let progress: (Int) -> Void
  private let isInterrupted: () -> Bool
  private let observe: Job.Observer?
  var summary: JobSummary
  /// The values of the look's parameters, without those of keyframes.
  var values: [String: Double]
  /// The matte of the last frame that had one.
  private var shown = Matte.nothing

  /// Opens the background and loads the networks.
  init(
    _ job: Job, _ progress: @escaping (Int) -> Void, _ isInterrupted: @escaping () -> Bool, _ observe: Job.Observer?
  ) throws(BackdropError) {
    (source, plan) = (job.source, job.plan)
    (self.progress, self.isInterrupted, self.observe) = (progress, isInterrupted, observe)
    (summary, values) = (JobSummary(input: source.name, look: plan.look.id), plan.values)
    // Codecs have their own threads, and do more work than the drawing.
    let workers = WorkerPool(threads: plan.threads ?? (source.video == nil ? nil : WorkerPool.halfOfProcessors))
    engine = try plan.engine(source, workers: workers, networks: job.networks)
  }

  func checkInterruption() throws(BackdropError) {
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
  }

  /// The number of frames that may wait on either side of the drawing. Codecs take and give several frames at once, and this many keep
  /// all threads busy. Large frames use fewer.
  private var waitingFrames: Int { source.width * source.height > 4_000_000 ? 2 : 4 }

  func run() throws(BackdropError) -> JobSummary {
    let isFilm = source.isStill && (plan.sweep != nil || plan.output?.kind.makesFilm(of: plan.look) ?? false)
    return try isFilm ? drawSteps() : drawAll()
  }

  private func drawAll() throws(BackdropError) -> JobSummary {
    // Open the outputs before the first frame is read: reading it may take long, and sound is copied from the start.
    let outputs = try JobOutputs(plan, source, engine.renderer)
    let reader = ReadAhead(source, frames: source.info.isWorthReadingAhead ? waitingFrames : 0)
    defer { reader.stop() }
    let writer = WriteBehind(outputs, pictures: outputs.areVideos ? waitingFrames : 0)
    defer { writer.stop() }
    while !writer.areFull {
      try checkInterruption()
      guard let scene = try reader.next() else { break }
      try begin(scene)
      var spare = writer.spareImage()
      let rendering = try draw(scene, next: reader.upcoming?.image, into: &spare)
      summary.coverage += engine.evidence.subject.coverage
      try observe?(scene, shown, rendering)
      try writer.write(
        JobOutputs.Picture(
          rendering: rendering, matte: plan.matteOutput == nil ? nil : shown,
          ticks: scene.ticks ?? SceneTicks(time: 0, duration: 0)))
      progress(summary.frames)
    }
    reader.stop()
    source = reader.source
    try writer.finish()
    try finish(outputs)
    return summary
  }

  /// Sets what changes with time, before a frame is analyzed.
  private func begin(_ scene: Scene) throws(BackdropError) {
    if summary.frames == 0 { engine.renderer.timeOrigin = scene.time }
    if plan.output != nil { try engine.renderer.prepare(scene.image.format, scene.image.color, at: scene.time) }
    summary.frames += 1
    if !plan.keyframes.isEmpty { try change(at: scene.time - engine.renderer.timeOrigin) }
  }

  /// Draws a scene; `nil` if only its matte is requested.
  private func draw(_ scene: Scene, next: Image?, into spare: inout Image) throws(BackdropError) -> Rendering? {
    let result: StreamEngine.Result
    do throws(BackdropError) {
      try engine.analyze(scene, next: next)
      if plan.audience == .others && engine.analyzer.seesNoLikeness { throw SceneAnalyzer.noLikeness }
      if summary.frames == 1 { try focus() }
      guard plan.output != nil else {
        shown = try engine.matte()
        return nil
      }
      result = engine.draw(scene, wantsMatte: plan.matteOutput != nil || observe != nil, into: &spare)
      if case .standby(.fault(let error)) = result.rendering.standing { throw error }
    } catch {
      // A wrong argument fails for every frame alike, and an error in another file is not the scene's fault.
      if error.kind == .wrongArgument || source.isStill && (error.kind == .unsupported || error.path != nil) {
        throw error
      }
      note(error)
      return plan.output == nil ? nil : engine.standby(.fault(error), at: scene.time, into: &spare)
    }
    shown = result.matte ?? shown
    if case .standby(let reason) = result.rendering.standing { note(reason.error) }
    try summary.add(
      exposedBackground: result.rendering.exposedBackground, isSeen: result.rendering.showsRealBackground,
      isForbidden: plan.settings.hidesRealBackground)
    return result.rendering
  }

  /// Notes that the standby frame replaced this frame.
  private func note(_ error: BackdropError?) {
    summary.standby.append(FrameFault(frame: summary.frames, reason: error?.description ?? "", hint: error?.hint))
  }

  /// Sets a focus given as a point, once the distance there is known.
  func focus() throws(BackdropError) {
    guard case .point(let x, let y) = plan.focus, let name = plan.look.focusParameter,
      let disparity = engine.evidence.disparity
    else { return }
    values[name] = disparity.value(atX: x / Double(source.width), y: y / Double(source.height))
    try change(at: 0)
  }

  /// Sets the parameters for a time of the result, in seconds: from the keyframes if given, else from `values`.
  private func change(at seconds: Double) throws(BackdropError) {
    let moved = plan.keyframes.mapValues { $0.value(at: seconds) }
    try engine.change(values: values.merging(moved) { $1 })
  }

  /// Judges the result, moves the outputs into place, and completes the summary.
  private func finish(_ outputs: JobOutputs) throws(BackdropError) {
    summary.add(engine, plan, source)
    summary.coverage /= Double(max(1, summary.frames))
    if !source.isStill { noteAbsence() }
    if outputs.tookTheFirstOnly && !source.isStill {
      summary.warnings.append("Backdrop wrote only the first frame; for all frames, name the output out/%05d.png")
    }
    if !outputs.readerIsGone { try checkUsable() }
    try checkInterruption()
    try outputs.finish()
    summary.warnings += outputs.notes.map { Warning($0) }
    summary.readerIsGone = outputs.readerIsGone
    summary.outputs = [plan.output, plan.matteOutput].compactMap { $0 }.filter { !$0.isObserver }.map(\.path)
  }

  private func noteAbsence() {
    let analyzer = engine.analyzer
    guard plan.look.matteSource == .depth || plan.look.matteSource == .subject, summary.frames > summary.standby.count,
      !analyzer.hasSeenSomebody
    else { return }
    summary.warnings.append(
      analyzer.usesDepth
        ? "no frame has anything nearer than the cutoff, so the output shows only the background; check the depth unit"
        : "Backdrop found no person in any frame, so the output shows only the background")
  }

  private func checkUsable() throws(BackdropError) {
    guard summary.frames > 0 else { throw BackdropError.noFrame(in: source.name) }
    guard summary.standby.count < summary.frames else {
      let first = summary.standby.first.first
      let usesDepth = engine.analyzer.usesDepth
      throw BackdropError(
        .badData,
        summary.frames == 1
          ? first?.reason ?? ""
          : "no frame has \(usesDepth ? "usable depth" : "a usable matte") (the first frame: \(first?.reason ?? ""))",
        path: source.isStill ? source.files.last : source.name,
        hint: usesDepth ? .checkDepthUnit : first?.hint)
    }
  }
}
