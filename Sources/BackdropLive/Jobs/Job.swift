import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropMedia

/// Takes every frame of an input through its matte and a look to one or two outputs.
public struct Job {
  /// What to do.
  public struct Plan {
    /// The look.
    public var look: Look = .backdrop
    /// What its parameters are set to.
    public var wishes: [String: Double] = [:]
    /// What is behind; `nil` is black.
    public var background: String?
    /// Whether faces decide the cutoff.
    public var followsFace = true
    /// Where the drawn frames go.
    public var output: String?
    /// Where the mattes go, at the frame's size.
    public var matteOutput: String?
    /// How both are written.
    public var options = JobOutput.Options()
    /// Threads for drawing; `nil` for one a processor.
    public var threads: Int?

    /// A plan that writes nothing yet.
    public init() {}
  }

  private let input: JobInput
  private let plan: Plan
  private let settings: LookSettings

  /// Checks the plan before anything is read or written.
  ///
  /// - Throws: what is wrong with the look's settings; `wrongArgument` if both outputs are the same or there is none.
  public init(_ input: JobInput, _ plan: Plan) throws(BackdropError) {
    guard plan.output != nil || plan.matteOutput != nil else {
      throw BackdropError(.wrongArgument, "there is no output", hint: "name one with -o")
    }
    if let output = plan.output, output == plan.matteOutput {
      throw BackdropError(.wrongArgument, "result and matte would go to the same place", path: output)
    }
    self.input = input
    self.plan = plan
    settings = try plan.look.settings(plan.wishes)
  }

  /// Does the work; nothing is left behind unless all of it succeeds.
  ///
  /// A frame without a usable matte is replaced by a still card, never shown, and reported.
  ///
  /// - Parameters:
  ///   - progress: told the number of frames done after each.
  ///   - isInterrupted: asked before each frame.
  /// - Throws: `interrupted`; `badData` if not one frame had a usable matte; whatever input and outputs throw.
  public func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> JobSummary {
    let clock = ContinuousClock()
    let start = clock.now
    var summary = JobSummary(input: input.name)
    let workers = WorkerPool(threads: plan.threads)
    var recipe = plan.look.recipe(settings)
    recipe.followsFace = plan.followsFace
    let maker = DepthMatteMaker(recipe, workers: workers)
    let background: JobBackground? =
      if let text = plan.background { try JobBackground(text, width: input.width, height: input.height) } else { nil }
    // The outputs' names are checked before the first frame is read, which may take long.
    var stages: Stages?
    var output = Image(.gray8, width: 1, height: 1)
    var matte = Matte(constant: 0, width: 1, height: 1)
    var coverage = 0.0
    while true {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard let timed = try input.next() else { break }
      let frame = timed.frame
      let current: Stages
      if let stages {
        current = stages
      } else {
        current = try open(frame.image, workers: workers, background: background)
        stages = current
      }
      if let picture = try background?.picture(at: frame.time) {
        try current.compositor.setBackground(.picture(picture))
      }
      summary.frames += 1
      do throws(BackdropError) {
        guard let depth = frame.depth, !depth.isEmpty else {
          throw BackdropError(
            .badData, frame.depth == nil ? "there is no depth for this frame" : "the depth map has holes only")
        }
        try maker.update(&matte, from: frame)
        summary.cutoffMetres = maker.cutoffMetres
        coverage += matte.coverage
        if current.result != nil { try current.compositor.render(frame.image, matte: matte, into: &output) }
      } catch {
        summary.cards.append(JobSummary.Fault(frame: summary.frames, reason: error.description))
        matte = Matte(constant: 0, width: 1, height: 1)
        if current.result != nil { current.compositor.renderStillCard(into: &output) }
      }
      try current.result?.write(output, time: timed.time, duration: timed.duration)
      try current.mattes?.write(
        matte.scaled(toWidth: input.width, height: input.height).image, time: timed.time, duration: timed.duration)
      progress(summary.frames)
      if current.isFull { break }
    }
    summary.warnings += input.warnings
    summary.skipped = input.skipped.map { JobSummary.Fault(frame: $0.number, reason: $0.error.description) }
    guard let stages else { throw BackdropError(.badData, "the input has no frames", path: input.name) }
    guard summary.cards.count < summary.frames else {
      let reason = summary.cards.first?.reason ?? ""
      throw BackdropError(
        .badData, summary.frames == 1 ? reason : "no frame has usable depth (the first: \(reason))", path: input.name,
        hint: "give depth with --depth, and check --depth-scale")
    }
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
    try stages.result?.finish()
    try stages.mattes?.finish()
    summary.warnings += (stages.result?.notes ?? []) + (stages.mattes?.notes ?? [])
    summary.outputs = [plan.output, plan.matteOutput].compactMap { $0 }
    summary.coverage = coverage / Double(summary.frames)
    let seconds = (clock.now - start) / .seconds(1)
    summary.seconds = seconds
    return summary
  }

  /// What is opened when the first frame tells the pixel format.
  private final class Stages {
    let compositor: Compositor
    let result: JobOutput?
    let mattes: JobOutput?

    init(_ compositor: Compositor, _ result: JobOutput?, _ mattes: JobOutput?) {
      self.compositor = compositor
      self.result = result
      self.mattes = mattes
    }

    var isFull: Bool { (result?.isFull ?? true) && (mattes?.isFull ?? true) }
  }

  private func open(
    _ image: Image, workers: WorkerPool, background: JobBackground?
  ) throws(BackdropError) -> Stages {
    let compositor = try Compositor(
      plan.look, settings: settings, width: image.width, height: image.height, format: image.format,
      color: image.color, workers: workers)
    if let background { try compositor.setBackground(background.initial) }
    let color = image.format.isYUV ? image.color : .video
    var result: JobOutput?
    if let path = plan.output {
      result = try JobOutput(path, for: input, color: color, format: image.format, options: plan.options)
    }
    var mattes: JobOutput?
    if let path = plan.matteOutput {
      var options = plan.options
      options.copiesStreams = false
      mattes = try JobOutput(
        path, for: input, color: ColorDescription(matrix: .bt709, range: .full), format: .gray8, options: options)
    }
    return Stages(compositor, result, mattes)
  }
}
