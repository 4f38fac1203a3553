import ArgumentParser
import Backdrop
import BackdropTerminal

/// The inputs and the flags of all commands that run jobs, and the runs.
struct JobOptions: ParsableArguments {
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "A picture, a video, an RGB-D folder, sim:[SCENE][?seed=1&seconds=10], or - (a picture or YUV4MPEG2 on standard input). With --output-dir, several, and folders of "
        + "pictures and videos.", valueName: "input"))
  var arguments: [String] = []

  @Option(help: "The depth of INPUT: a picture, or for a video a folder with a picture for each frame.")
  var depth: String?

  @Option(parsing: .unconditional, help: "Units per metre in depth pictures. Default: 1000; 5000 for TUM recordings.")
  var depthScale: Double?

  @Option(help: "Layout of raw colour files: WIDTHxHEIGHT:FORMAT, such as 640x480:bgra8.") var raw: String?

  @Option(help: "Layout of raw depth files: WIDTHxHEIGHT:TYPE, with TYPE uint16, float16 or float32 (metres).")
  var rawDepth: String?

  @Flag(help: "Stretch depth of another aspect ratio over the whole picture.") var anyAspect = false
  @Option(help: "Focus on this point, X,Y in pixels of the upright picture, or on the subject.") var at: String?

  @Option(
    help: "Draw several values of a look's parameter, such as focus=0…1:12, as a strip in one picture or as a video.")
  var sweep: String?

  @Flag(help: "Leave out a video's sound, subtitles and chapters.") var noSound = false
  @OptionGroup var threading: ThreadOption
  @OptionGroup(title: "Mattes and edges") var engine: ParameterFlags<Job.Plan>
  @OptionGroup(title: LookWords.title) var ofLook: LookFlags
  @OptionGroup(title: "Part of the input") var part: ParameterFlags<SceneInput.Options>
  @OptionGroup var writing: ParameterFlags<StreamOutput.Options>
  @OptionGroup var limiting: LimitOptions
  @OptionGroup var timing: TimingOptions
  @OptionGroup var report: ReportOptions

  /// The plan for a look with these flags, without outputs.
  ///
  /// - Parameters:
  ///   - flags: the arguments that no declared flag takes: parameters of the look.
  ///   - command: the command, for its flags in errors.
  mutating func plan(
    _ look: Look, _ flags: [LookWords.Flag], of command: (some ParsableCommand).Type
  ) throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan(look)
    // A flag that sets a parameter of the look sets nothing else.
    for flag in LookWords.flags(of: look, flags + ofLook.flags, remove: { engine.remove($0) ?? part.remove($0) }) {
      let text = try flag.text(of: look, command)
      if text.contains("@") {
        plan.keyframes[flag.name] = try Keyframes(text)
      } else {
        plan.values[flag.name] = try flag.number(of: look, command)
      }
    }
    try apply(to: &plan)
    plan.focus = try at.map { text throws(BackdropError) in try Job.Focus(text) }
    if at != nil, let focus = look.focusParameter, plan.values[focus] != nil {
      throw BackdropError(.wrongArgument, "you gave both --at and --\(focus)", hint: "use only one of them")
    }
    plan.sweep = try sweep.map { text throws(BackdropError) in try ParameterSweep(text) }
    plan.writing.copiesStreams = !noSound
    return plan
  }

  /// Sets the plan to the flags' values, besides the look; the rest is unchanged.
  func apply(to plan: inout Job.Plan) throws(BackdropError) {
    try engine.apply(to: &plan)
    plan.threads = try threading.checked()
    plan.writing.threads = plan.threads ?? 0
    plan.writing.overwrite = report.force
    if writing.texts["lossless"] == "on" && writing.texts["photo-quality"] != nil {
      throw BackdropError(
        .wrongArgument, "a lossless picture has no quality to set", hint: "remove --photo-quality or --lossless")
    }
    try writing.apply(to: &plan.writing)
    plan.limits = try limiting.prepare()
    plan.measuresStages = timing.timings
  }

  private func inputOptions(_ plan: Job.Plan) throws(BackdropError) -> SceneInput.Options {
    var options = SceneInput.Options()
    options.depth = depth
    options.needsDepth = plan.analysis.mattes == .depth
    options.recording.unitsPerMetre = depthScale
    options.recording.raw = try rawLayout()
    options.recording.allowsAnyAspect = anyAspect
    options.limits = plan.limits
    options.threads = plan.threads ?? 0
    options.keepsDynamicRange = plan.writing.keepsDynamicRange
    options.isInterrupted = { Interruption.isRequested }
    try part.apply(to: &options)
    return options
  }

  /// Processes a single input, shows progress and a report, and ends the program.
  func run(_ input: String, _ plan: Job.Plan) throws(BackdropError) -> Never {
    try StandardStreams.checkOutput(plan.output?.path, plan.matteOutput?.path)
    try StandardStreams.checkInput(input)
    let source = try SceneInput.open(input, options: try inputOptions(plan))
    let job = try Job(source, plan)
    let summary = try report.withProgress(of: source.isStill ? nil : source.frameCount) {
      progress, isInterrupted throws(BackdropError) in
      try job.run(progress: progress, isInterrupted: isInterrupted)
    }
    if summary.readerIsGone { Interruption.endAsClosedPipe() }
    if !report.quiet {
      Terminal.warn(of: summary)
      UnusedFlags.warn(summary, engine.texts, plan)
    }
    try report.print(
      summary, toStandardError: plan.output?.path == "-" || plan.matteOutput?.path == "-",
      "\(summary.outputs.joined(separator: ", ")): \(Self.text(of: summary, of: plan.look, isStill: source.isStill))")
    if !report.json && !report.quiet {
      for line in summary.timings.map(TimingOptions.lines) ?? [] { Terminal.say(line) }
    }
    Terminal.end(keeping: job)
  }

  /// A report for people, in a line.
  private static func text(of summary: JobSummary, of look: Look, isStill: Bool) -> String {
    let frames = summary.frames == 1 ? "1 frame" : "\(summary.frames) frames"
    var parts = ["\(frames) in \(((summary.seconds * 100).rounded() / 100)) s"]
    if look.id != Look.backdrop.id { parts[0] = "\(summary.look), " + parts[0] }
    if !isStill { parts.append("\((summary.framesPerSecond * 10).rounded() / 10) frames/s") }
    if let origin = summary.disparityFrom { parts.append("distances from \(origin.words)") }
    if let origin = summary.subjectFrom { parts.append("mattes from \(origin.words)") }
    let networks = summary.networks.isEmpty ? "" : " (\(summary.networks.joined(separator: ", ")))"
    return parts.joined(separator: ", ") + networks
  }

  /// Processes all inputs, one at a time.
  func run(
    _ inputs: [String], _ plan: Job.Plan, making product: Batch.Product, to folder: String, shard: Batch.Shard?,
    skipsExisting: Bool
  ) throws(BackdropError) {
    guard depth == nil else {
      throw BackdropError(
        .wrongArgument, "--depth works with a single input", hint: "give one input, and name its output with -o")
    }
    _ = try limiting.prepare(isBatch: true)
    let batch = try Batch(inputs, to: folder, making: product, shard: shard, plan, options: try inputOptions(plan))
    var run = BatchRun(batch, skipsExisting: skipsExisting, report)
    try run.run()
  }

  /// The layouts from `--raw` and `--raw-depth`; one may be absent if those files have headers.
  private func rawLayout() throws(BackdropError) -> RawFrameLayout? {
    guard raw != nil || rawDepth != nil else { return nil }
    func parts(_ text: String, _ example: String) throws(BackdropError) -> (Int, Int, Substring) {
      let halves = text.split(separator: ":")
      let sides = (halves.first ?? "").split(separator: "x").map { Int($0) ?? 0 }
      guard halves.count == 2, sides.count == 2, sides.allSatisfy({ (1...32_768).contains($0) }) else {
        throw BackdropError(.wrongArgument, "'\(text)' does not describe raw files", hint: "write it like \(example)")
      }
      return (sides[0], sides[1], halves[1])
    }
    let (width, height, formatName) = try parts(raw ?? "1x1:bgra8", "640x480:bgra8")
    let format = try PixelFormat(known: String(formatName), or: "there is no pixel format '\(formatName)'")
    let (depthWidth, depthHeight, sampleName) = try parts(rawDepth ?? "1x1:float32", "640x480:float32")
    let sample = try DepthEncoding.Sample(known: String(sampleName), or: "there is no depth type '\(sampleName)'")
    let unitsPerMetre = depthScale ?? (sample == .uint16 ? 1000 : 1)
    return RawFrameLayout(
      width: width, height: height, color: format, depthWidth: depthWidth, depthHeight: depthHeight,
      depth: DepthEncoding(sample, unitsPerMetre: unitsPerMetre))
  }
}
