/// The result of a job.
public struct JobSummary: Codable, Sendable {
  /// The input's name.
  public var input: String
  /// The files that the job wrote.
  public var outputs: [String] = []
  /// The look's name.
  public var look: String
  /// The look's parameter values in the last frame.
  public var values: [String: Double] = [:]
  /// Parameters that the caller set but that had no effect on this input, and the facts that they lack.
  package var inactive: [String: StreamFact] = [:]
  /// Frames written.
  public var frames = 0
  /// Frames replaced by the standby frame, because they had no usable matte.
  public var standby = FaultTally<FrameFault>()
  /// Unreadable frames, left out.
  public var skipped = FaultTally<FrameFault>()
  /// Wall-clock time.
  public var seconds = 0.0
  /// Frames per second of wall-clock time.
  public var framesPerSecond = 0.0
  /// The mean fraction of a frame that is foreground, 0…1.
  public var coverage = 0.0
  /// The origin of subject and distances in the last frame, if they were needed.
  public var subjectFrom: Evidence.Origin?, disparityFrom: Evidence.Origin?
  /// The sources of the last frame's subject, each with its confidence, 0…1; see ``/BackdropMatting/LikelihoodSource``.
  public var confidence: [String: Double] = [:]
  /// The networks that made the mattes, each with its picture size: `rvm 384×216`.
  public var networks: [String] = []
  /// The number of frames with visible real background beside people, and the largest fraction of a frame, 0…1, that shows it. Both count
  /// only areas beyond the look's rim, and the first only frames with at least a twentieth of such area.
  public var framesShowingRealBackground = 0, exposedBackground = 0.0
  /// Cutoff of the last frame in metres.
  public var cutoffMetres: Double?
  /// Whether the reader of a pipe closed it before the last frame.
  public var readerIsGone = false
  /// The time spent in each thread, if the plan asks for it.
  package var timings: [ThreadTimes]?
  /// Warnings and notes.
  public var warnings: [Warning] = []

  /// An empty summary.
  public init(input: String, look: String) { (self.input, self.look) = (input, look) }

  /// Counts the visible real background of a frame.
  mutating func add(exposedBackground part: Double, isSeen: Bool, isForbidden: Bool) throws(BackdropError) {
    exposedBackground = max(exposedBackground, part)
    guard isSeen else { return }
    framesShowingRealBackground += 1
    guard isForbidden else { return }
    throw BackdropError(
      .badData, "the room shows in an empty part of the picture, in \(Self.percent(part)) % of frame \(frames)",
      hint: .hideRealBackground)
  }

  private static func percent(_ part: Double) -> Int { Int((part * 100).rounded()) }

  /// Fills in the facts that are known at the end.
  mutating func add(_ engine: StreamEngine, _ plan: Job.Plan, _ source: any SceneSource) {
    let (evidence, analyzer) = (engine.evidence, engine.analyzer)
    subjectFrom = evidence.subjectOrigin
    for (origin, value) in evidence.confidence { confidence[origin.rawValue] = (value * 1000).rounded() / 1000 }
    networks = analyzer.networkNames
    if engine.renderer.request.needsDisparity { disparityFrom = evidence.disparityOrigin }
    cutoffMetres = evidence.cutoffMetres
    let settings = engine.renderer.resolved(evidence)
    for parameter in plan.look.parameters { values[parameter.name] = settings[.parameter(parameter.name)] }
    let facts = evidence.findings.facts(isStill: source.isStill, hasBackground: plan.look.hasBackground)
    let given = Job.Plan.parameters.changed(in: plan)
    inactive = Job.Plan.parameters.inactive(where: facts).filter { given.contains($0.key) }
      .merging(plan.look.inactive(where: facts, values: plan.values).filter { plan.values[$0.key] != nil }) { $1 }
    warnings += (source.warnings + analyzer.warnings).map { Warning($0) }
    if framesShowingRealBackground > 0 {
      let count = source.isStill ? "" : "in \(framesShowingRealBackground) of \(frames) frames "
      let part = Self.percent(exposedBackground)
      warnings.append(
        Warning(
          "\(count)the room shows in an empty part of the picture, in \(source.isStill ? "" : "up to ")\(part) % of it",
          hint: .hideRealBackground))
    }
    if plan.output != nil, let blur = engine.renderer.legibleBlur { warnings.append(blur.warning) }
    skipped = source.skipped.map { FrameFault(frame: $0.number, reason: $0.error.description) }
  }
}
