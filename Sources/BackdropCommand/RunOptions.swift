import ArgumentParser
import Backdrop
import BackdropImaging
import BackdropTerminal

/// The flags of all commands that run jobs, and the runs.
struct RunOptions: ParsableArguments {
  @Option(help: "The depth of INPUT: a picture, or for a video a folder with a picture for each frame.")
  var depth: String?

  @Option(parsing: .unconditional, help: "Units per metre in depth pictures. Default: 1000; 5000 for TUM recordings.")
  var depthScale: Double?

  @Option(parsing: .unconditional, help: "Number of threads for drawing. Default: one for each processor.")
  var threads: Int?

  @OptionGroup(title: "Mattes and edges") var engine: ParameterFlags<Job.Plan>

  @OptionGroup(title: "Part of the input") var part: ParameterFlags<SceneInput.Options>

  @OptionGroup var writing: ParameterFlags<StreamOutput.Options>

  @OptionGroup var limiting: LimitOptions

  @OptionGroup var timing: TimingOptions

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(help: "Print a summary as JSON, or with --output-dir a list with one for each input.")
  var json = false

  @Flag(name: [.short, .long], help: "Print only errors.")
  var quiet = false

  /// Sets the plan to the flags' values; the rest is unchanged.
  func apply(to plan: inout Job.Plan) throws(BackdropError) {
    try engine.apply(to: &plan)
    if let threads { try Self.check(threads: threads) }
    plan.threads = threads
    plan.writing.threads = threads ?? 0
    plan.writing.overwrite = force
    if writing.texts["lossless"] == "on" && writing.texts["photo-quality"] != nil {
      throw BackdropError(
        .wrongArgument, "a lossless picture has no quality to set", hint: "remove --photo-quality or --lossless")
    }
    try writing.apply(to: &plan.writing)
    plan.limits = try limiting.prepare()
    plan.measuresStages = timing.timings
  }

  /// Removes the flags that set parameters of the look, and sets its parameters in the plan: a look's own parameter takes precedence over an
  /// engine parameter of the same name.
  ///
  /// - Parameter others: further parameters of the look, by name, as texts.
  mutating func setLook(
    of plan: inout Job.Plan, and others: [(name: String, value: String)] = []
  ) throws(BackdropError) {
    let own = plan.look.parameters.compactMap { parameter in
      (engine.take(parameter.name) ?? part.take(parameter.name)).map { (name: parameter.name, value: $0) }
    }
    for (name, text) in others + own {
      guard plan.look.parameters.contains(where: { $0.name == name }) else {
        let known = plan.look.parameters.map { "--" + $0.name }.joined(separator: ", ")
        throw BackdropError(
          .wrongArgument, "the look '\(plan.look.id)' has no parameter --\(name)",
          hint: known.isEmpty ? "it has no parameters" : "it has \(known)")
      }
      if text.contains("@") {
        plan.keyframes[name] = try Keyframes(text)
        continue
      }
      guard let value = Double(text) else {
        throw BackdropError(.wrongArgument, "--\(name) '\(text)' is not a number", hint: "write --\(name) NUMBER")
      }
      plan.values[name] = value
    }
  }

  static func check(threads: Int) throws(BackdropError) {
    guard (1...64).contains(threads) else {
      throw BackdropError(
        .wrongArgument, "the number of threads, \(threads), is out of range: 1…64",
        hint: "without --threads, Backdrop uses every processor")
    }
  }

  /// How to read the inputs of a plan.
  func inputOptions(_ plan: Job.Plan) throws(BackdropError) -> SceneInput.Options {
    var options = SceneInput.Options()
    options.depth = depth
    options.needsDepth = plan.analysis.mattes == .depth
    options.recording.unitsPerMetre = depthScale
    options.limits = plan.limits
    options.threads = threads ?? 0
    options.keepsDynamicRange = plan.writing.keepsDynamicRange
    options.isInterrupted = { Interruption.isRequested }
    try part.apply(to: &options)
    return options
  }

  /// Processes a single input, shows progress and a report, and ends the program.
  ///
  /// - Parameters:
  ///   - unused: warns of flags without effect.
  ///   - line: the report for people, in a line; receives whether the input is a still picture.
  func run(
    _ input: String, _ plan: Job.Plan, _ options: SceneInput.Options, _ unused: UnusedFlags,
    line: (JobSummary, Bool) -> String
  ) throws(BackdropError) -> Never {
    try StandardStreams.checkOutput(plan.output?.path, plan.matteOutput?.path)
    try StandardStreams.checkInput(input)
    let source = try SceneInput.open(input, options: options)
    let job = try Job(source, plan)
    var progress = Progress(total: source.isStill ? nil : source.frameCount, isShown: !quiet)
    defer { progress.finish() }
    let summary = try job.run(progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
    progress.finish()
    if summary.readerIsGone { Interruption.endAsClosedPipe() }
    if !quiet {
      Terminal.warn(of: summary)
      unused.warn(summary)
    }
    if json {
      try printJSON(summary, toStandardError: plan.output?.path == "-" || plan.matteOutput?.path == "-")
    } else if !quiet {
      Terminal.say(Terminal.oneLine("\(summary.outputs.joined(separator: ", ")): \(line(summary, source.isStill))"))
      for line in summary.timings.map(TimingOptions.lines) ?? [] { Terminal.say(line) }
    }
    Terminal.end(keeping: job)
  }

  /// Processes all inputs, one at a time.
  func run(
    _ inputs: [String], _ plan: Job.Plan, _ options: SceneInput.Options, making product: Batch.Product,
    to folder: String, shard: Batch.Shard?, skipsExisting: Bool
  ) throws(BackdropError) {
    guard depth == nil else {
      throw BackdropError(
        .wrongArgument, "--depth works with a single input", hint: "give one input, and name its output with -o")
    }
    _ = try limiting.prepare(isBatch: true)
    let batch = try Batch(inputs, to: folder, making: product, shard: shard, plan, options: options)
    var run = BatchRun(batch, skipsExisting: skipsExisting, isQuiet: quiet, printsJSON: json)
    try run.run()
  }
}
