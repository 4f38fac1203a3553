/// Draws every scene of a source with a look, into one or two outputs. A photo becomes a photo, a strip or a film; a stream becomes a
/// stream.
public struct Job {
  /// Receives each frame, its matte and its drawing.
  public typealias Observer = (Scene, Matte, Rendering?) throws(BackdropError) -> Void

  let source: SceneInput
  let plan: Plan
  let networks: ModelCache

  /// Checks the plan, without decoding or writing anything.
  ///
  /// - Parameters:
  ///   - source: the input.
  ///   - plan: the plan.
  ///   - networks: the cache of loaded networks; it may come from another job that has ended.
  /// - Throws: errors in the look's values, the focus, the sweep; `wrongArgument` if both outputs are the same, neither is given, or the
  ///   job reads one of them.
  public init(_ source: SceneInput, _ plan: Plan, networks: ModelCache = ModelCache()) throws(BackdropError) {
    var plan = plan
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
    let start = ContinuousClock.now
    if plan.measuresStages { StageClock.shared.start() }
    var summary = try withoutActuallyEscaping(progress) { progress throws(BackdropError) in
      try withoutActuallyEscaping(isInterrupted) { isInterrupted throws(BackdropError) in
        try JobRun(self, progress, isInterrupted, observe).run()
      }
    }
    summary.seconds = (ContinuousClock.now - start) / .seconds(1)
    if plan.measuresStages { summary.timings = StageClock.shared.stop() }
    summary.framesPerSecond = summary.seconds > 0 ? Double(summary.frames) / summary.seconds : 0
    return summary
  }
}
