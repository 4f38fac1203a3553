import ArgumentParser
import Backdrop
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropRecordings
import BackdropTerminal

/// The common flags of all commands that make mattes.
struct JobOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A picture, a video, an RGB-D folder, sim:[SCENE][?seed=1&seconds=10], or - (a picture or YUV4MPEG2 on standard input). With --output-dir, several, and folders of "
        + "pictures and videos.", valueName: "input"))
  var inputs: [String]

  @Option(help: "The depth of INPUT: a picture, or for a video a folder with a picture for each frame.")
  var depth: String?

  @Option(parsing: .unconditional, help: "Units per metre in depth pictures. Default: 1000; 5000 for TUM recordings.")
  var depthScale: Double?

  @Option(help: "Layout of raw colour files: WIDTHxHEIGHT:FORMAT, such as 640x480:bgra8.")
  var raw: String?

  @Option(help: "Layout of raw depth files: WIDTHxHEIGHT:TYPE, with TYPE uint16, float16 or float32 (metres).")
  var rawDepth: String?

  @Flag(help: "Stretch depth of another aspect ratio over the whole picture.")
  var anyAspect = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Keep everything nearer than this, in metres, and ignore faces; auto ends at the gap in front of the room. Default: the face and --margin, or 1.",
      valueName: "metres|auto"))
  var cutoff: CutoffChoice?

  @Option(
    parsing: .unconditional, help: "Distance from the face to the end of the foreground, in metres. Default: 0.25.")
  var margin: Double?

  @Option(
    parsing: .unconditional,
    help: "Blur of the matte, in depth pixels (standard deviation). Default: the look's, mostly 5.")
  var radius: Double?

  @Option(
    parsing: .unconditional,
    help: "Exponent of the matte: above 1 narrows the foreground, below 1 widens it. Default: the look's, mostly 0.5.")
  var gamma: Double?

  @Option(help: "A look's name (see: backdrop looks) or a JSON file.")
  var look = "backdrop"

  @Option(
    name: .customLong("set"),
    help: "Set a parameter of the look: NAME=VALUE, or for a video NAME=VALUE@TIME,VALUE@TIME. Repeat it for more.")
  var settings: [String] = []

  @Option(parsing: .unconditional, help: "Number of threads for drawing. Default: one for each processor.")
  var threads: Int?

  @OptionGroup(title: "Mattes and edges") var engine: ParameterFlags<Job.Plan>

  @OptionGroup(title: "Part of the input") var part: ParameterFlags<SceneInput.Options>

  @OptionGroup var writing: WritingOptions

  @OptionGroup var limiting: LimitOptions

  @OptionGroup var timing: TimingOptions

  @Flag(help: "Leave out a video's sound, subtitles and chapters.")
  var noSound = false

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(help: "Print a summary as JSON, or with --output-dir a list with one for each input.")
  var json = false

  @Flag(name: [.short, .long], help: "Print only errors.")
  var quiet = false

  /// The plan of these flags, without outputs.
  func plan() throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan()
    plan.look = try Look.load(look)
    for setting in settings {
      try Self.set(setting, in: &plan)
    }
    try engine.apply(to: &plan)
    cutoff?.apply(to: &plan.analysis, followsFace: engine.texts["face"] != nil)
    for (name, value) in [("cutoff", cutoff?.metres), ("margin", margin), ("radius", radius), ("gamma", gamma)] {
      if let value { plan.values[name] = value }
    }
    if let threads { try Self.check(threads: threads) }
    plan.threads = threads
    plan.writing.threads = threads ?? 0
    plan.writing.overwrite = force
    plan.writing.copiesStreams = !noSound
    try writing.apply(to: &plan.writing)
    plan.limits = try limiting.prepare()
    plan.measuresStages = timing.timings
    return plan
  }

  static func check(threads: Int) throws(BackdropError) {
    guard (1...64).contains(threads) else {
      throw BackdropError(
        .wrongArgument, "the number of threads, \(threads), is out of range: 1…64",
        hint: "without --threads, Backdrop uses every processor")
    }
  }

  /// Applies one `--set`.
  private static func set(_ text: String, in plan: inout Job.Plan) throws(BackdropError) {
    let parts = text.split(separator: "=", maxSplits: 1)
    if parts.count == 2, parts[1].contains("@") {
      plan.keyframes[String(parts[0])] = try Keyframes(String(parts[1]))
    } else {
      let (name, value) = try parameter(text)
      plan.values[name] = value
    }
  }

  /// The name and the number in `NAME=VALUE`.
  static func parameter(_ text: String) throws(BackdropError) -> (name: String, value: Double) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let value = Double(parts[1]) else {
      throw BackdropError(.wrongArgument, "'\(text)' is not NAME=VALUE", hint: "write --set radius=8")
    }
    return (String(parts[0]), value)
  }

  /// Parses a flag's value as a case of an enumeration.
  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ flag: String
  ) throws(BackdropError) -> Choice {
    guard let result = Choice(rawValue: text) else {
      throw BackdropError(
        .wrongArgument, "\(flag) cannot be '\(text)'",
        hint: .known(Choice.allCases.map(\.rawValue), insteadOf: text))
    }
    return result
  }

  /// Processes the single input, shows progress and a report, and ends the program.
  func run(_ plan: Job.Plan) throws(BackdropError) -> Never {
    try StandardStreams.checkOutput(plan.output?.path, plan.matteOutput?.path)
    try StandardStreams.checkInput(inputs[0])
    let input = try SceneInput.open(inputs[0], options: try inputOptions(plan))
    let job = try Job(input, plan)
    var progress = Progress(total: input.isStill ? 1 : input.frameCount, isShown: !quiet)
    defer { progress.finish() }
    let summary = try job.run(progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
    progress.finish()
    if summary.readerIsGone { Interruption.endAsClosedPipe() }
    try report(summary, plan, isStill: input.isStill)
    Terminal.end(keeping: job)
  }

  /// Processes all inputs, one at a time.
  func run(
    _ plan: Job.Plan, making product: Batch.Product, to folder: String, shard: Batch.Shard?, skipsExisting: Bool
  ) throws(BackdropError) {
    guard depth == nil else {
      throw BackdropError(
        .wrongArgument, "--depth works with a single input", hint: "give one input, and name its output with -o")
    }
    _ = try limiting.prepare(isBatch: true)
    let batch = try Batch(inputs, to: folder, making: product, shard: shard, plan, options: try inputOptions(plan))
    var run = BatchRun(batch, skipsExisting: skipsExisting, isQuiet: quiet, printsJSON: json)
    try run.run()
  }

  /// How to read inputs.
  private func inputOptions(_ plan: Job.Plan) throws(BackdropError) -> SceneInput.Options {
    var options = SceneInput.Options()
    options.depth = depth
    options.needsDepth = plan.analysis.mattes == .depth
    options.recording.unitsPerMetre = depthScale
    options.recording.raw = try rawLayout()
    options.recording.allowsAnyAspect = anyAspect
    options.limits = plan.limits
    options.threads = threads ?? 0
    options.keepsDynamicRange = plan.writing.keepsDynamicRange
    options.isInterrupted = { Interruption.isRequested }
    try part.apply(to: &options)
    return options
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
    guard let format = PixelFormat(rawValue: String(formatName)) else {
      throw BackdropError(
        .wrongArgument, "there is no pixel format '\(formatName)'",
        hint: .known(PixelFormat.allCases.map(\.rawValue), insteadOf: String(formatName)))
    }
    let (depthWidth, depthHeight, sampleName) = try parts(rawDepth ?? "1x1:float32", "640x480:float32")
    guard let sample = DepthEncoding.Sample(rawValue: String(sampleName)) else {
      throw BackdropError(
        .wrongArgument, "there is no depth type '\(sampleName)'",
        hint: .known(DepthEncoding.Sample.allCases.map(\.rawValue), insteadOf: String(sampleName)))
    }
    let unitsPerMetre = depthScale ?? (sample == .uint16 ? 1000 : 1)
    return RawFrameLayout(
      width: width, height: height, color: format, depthWidth: depthWidth, depthHeight: depthHeight,
      depth: DepthEncoding(sample, unitsPerMetre: unitsPerMetre))
  }

  private func report(_ summary: JobSummary, _ plan: Job.Plan, isStill: Bool) throws(BackdropError) {
    if !quiet {
      Terminal.warn(of: summary)
      UnusedFlags(engine.texts, plan, isCutoffAutomatic: cutoff == .auto, ["cutoff", "margin", "radius", "gamma"])
        .warn(summary)
    }
    if json {
      let pipe = plan.output?.path == "-" || plan.matteOutput?.path == "-"
      try printJSON(summary, toStandardError: pipe)
    } else if !quiet {
      let what = summary.frames == 1 ? "1 frame" : "\(summary.frames) frames"
      let rate = isStill ? "" : ", \((summary.framesPerSecond * 10).rounded() / 10) frames/s"
      let seconds = (summary.seconds * 100).rounded() / 100
      Terminal.say(
        "\(summary.outputs.joined(separator: ", ")): \(what) in \(seconds) s\(rate)"
          + (summary.subjectFrom.map { ", mattes from \($0.words)" } ?? "")
          + (summary.networks.isEmpty ? "" : " (\(summary.networks.joined(separator: ", ")))"))
      for line in summary.timings.map(TimingOptions.lines) ?? [] { Terminal.say(line) }
    }
  }
}
