import ArgumentParser
import Backdrop
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropRecordings

/// The flags that all commands share which make mattes.
struct JobOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A picture, a video, an RGB-D folder, sim:[SCENE][?seed=1&seconds=10], or - (YUV4MPEG2). Several, and folders of "
        + "pictures and videos, with --output-dir.", valueName: "input"))
  var inputs: [String]

  @Option(
    help: "What mattes are made from: auto (the person network, joined with depth where there is some), depth, person.")
  var matte = "auto"

  @Option(help: "How much is done for a matte without depth: live (default for videos), best (default for pictures).")
  var quality: String?

  @Option(help: "The person network: a name (see: backdrop models), a .json description, or a model file.")
  var model: String?

  @Option(help: "What is kept, for networks with classes: person,dog,… Default: person.")
  var classes: String?

  @Option(
    parsing: .unconditional,
    help: "How much the picture's own edges decide where the network's matte ends, 0…1. Default: 1.")
  var refine: Double?

  @Option(
    parsing: .unconditional,
    help: "Opacity of the network's matte that becomes one half: lower keeps more. 0.05…0.95, default 0.5.")
  var threshold: Double?

  @Option(parsing: .unconditional, help: "Soften the network's matte by this many pixels (standard deviation).")
  var feather: Double?

  @Option(parsing: .unconditional, help: "How much the network's mattes of a video are steadied, 0…1. Default: 1.")
  var smooth: Double?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Take the old background's colour out of soft edges. Default: with --quality best, unless depth alone makes them."
  )
  var decontaminate: Bool?

  @Option(
    parsing: .unconditional,
    help: "How much light of the background falls round the person's edges, 0…1. Default: 0.")
  var lightWrap = 0.0

  @Option(
    parsing: .unconditional,
    help: "Mattes that the network makes in a second of video; other frames reuse the last. Default: one a frame.")
  var matteRate: Double?

  @Option(
    help: ArgumentHelp(
      "A picture of the room without people, for a camera that stands still (see: backdrop plate); or learn, or off. "
        + "Default: learn for videos at --quality live.", valueName: "file|learn|off"))
  var plate: String?

  @Option(help: "The depth that belongs to INPUT: a picture, or for videos a folder of pictures, one a frame.")
  var depth: String?

  @Option(parsing: .unconditional, help: "Units of depth pictures per metre. Default: 1000; 5000 for TUM recordings.")
  var depthScale: Double?

  @Option(help: "What raw colour files hold: WIDTHxHEIGHT:FORMAT, such as 640x480:bgra8.")
  var raw: String?

  @Option(help: "What raw depth files hold: WIDTHxHEIGHT:TYPE, with TYPE uint16, float16 or float32 (metres).")
  var rawDepth: String?

  @Flag(help: "Let depth of another aspect cover the whole picture; x and y are scaled independently.")
  var anyAspect = false

  @OptionGroup var cleaning: DepthFilterOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Keep what is nearer than this, in metres, while no face is seen; auto ends at the gap before the room. Default: 1.",
      valueName: "metres|auto"))
  var cutoff: CutoffChoice?

  @Option(parsing: .unconditional, help: "How far behind the face the foreground ends, in metres. Default: 0.25.")
  var margin: Double?

  @Option(
    parsing: .unconditional,
    help: "Blur of the matte, in depth pixels (standard deviation). Default: the look's, mostly 5.")
  var radius: Double?

  @Option(
    parsing: .unconditional,
    help: "Exponent of the matte: above 1 narrows, below 1 widens the foreground. Default: the look's, mostly 0.5.")
  var gamma: Double?

  @Option(help: "A look's name (see: backdrop looks) or a JSON file.")
  var look = "backdrop"

  @Option(name: .customLong("set"), help: "Set any parameter of the look: NAME=VALUE. May be repeated.")
  var settings: [String] = []

  @Option(help: "Which faces decide the cutoff: largest, all (the farthest of them). Default: largest.")
  var faces: String?

  @Flag(help: "Do not let faces decide the cutoff.")
  var noFace = false

  @Option(parsing: .unconditional, help: "Threads for drawing. Default: one for each processor.")
  var threads: Int?

  @OptionGroup var writing: WritingOptions

  @Flag(help: "Leave sound, subtitles and chapters of a video out.")
  var noSound = false

  @Flag(help: "Replace files that exist.")
  var force = false

  @Flag(help: "Print a summary as JSON; with --output-dir a list with one for each input.")
  var json = false

  @Flag(name: [.short, .long], help: "Say nothing but errors.")
  var quiet = false

  /// The plan that these flags describe, outputs still open.
  func plan() throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan()
    plan.look = try Look.load(look)
    for setting in settings {
      let (name, value) = try Self.parameter(setting)
      plan.values[name] = value
    }
    plan.analysis.depthFilter = try cleaning.chain()
    plan.analysis.findsGap = cutoff == .auto
    for (name, value) in [("cutoff", cutoff?.metres), ("margin", margin), ("radius", radius), ("gamma", gamma)] {
      if let value { plan.values[name] = value }
    }
    plan.analysis.followsFace = !noFace
    if let faces { plan.analysis.faces = try Self.choice(faces, "--faces") }
    plan.analysis.mattes = try Self.choice(matte, "--matte")
    plan.decontaminates = decontaminate
    plan.lightWrap = lightWrap
    plan.analysis.quality = try quality.map { (text) throws(BackdropError) in try Self.choice(text, "--quality") }
    plan.analysis.person.model = model
    plan.analysis.person.classes = classes.map {
      $0.split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
    }
    plan.analysis.person.refinement = refine
    plan.analysis.person.threshold = threshold
    plan.analysis.person.smoothing = smooth
    plan.analysis.person.mattesPerSecond = matteRate
    plan.analysis.person.featherPixels = feather ?? 0
    plan.analysis.plate = plate.map(CleanPlate.init) ?? .automatic
    if let threads { try Self.check(threads: threads) }
    plan.threads = threads
    plan.writing.threads = threads ?? 0
    plan.writing.overwrite = force
    plan.writing.copiesStreams = !noSound
    try writing.apply(to: &plan.writing)
    return plan
  }

  static func check(threads: Int) throws(BackdropError) {
    guard (1...64).contains(threads) else {
      throw BackdropError(
        .wrongArgument, "threads \(threads) is out of range: 1…64",
        hint: "without --threads there is one for each processor")
    }
  }

  /// What `--set` says.
  static func parameter(_ text: String) throws(BackdropError) -> (name: String, value: Double) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let value = Double(parts[1]) else {
      throw BackdropError(.wrongArgument, "'\(text)' is not NAME=VALUE", hint: "write --set radius=8")
    }
    return (String(parts[0]), value)
  }

  /// The case of an enumeration that a flag names.
  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ flag: String
  ) throws(BackdropError) -> Choice {
    guard let result = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(.wrongArgument, "\(flag) has no choice '\(text)'", hint: "there are \(known)")
    }
    return result
  }

  /// Opens the input, of which there is one, and does the work, telling the person about it.
  func run(_ plan: Job.Plan) throws(BackdropError) {
    let input = try SceneInput.open(inputs[0], options: try inputOptions(plan))
    let job = try Job(input, plan)
    var progress = Progress(total: input.isStill ? 1 : input.frameCount, isShown: !quiet)
    defer { progress.finish() }
    let summary = try job.run(progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
    progress.finish()
    if summary.readerIsGone { Interruption.endAsClosedPipe() }
    try report(summary, plan, isStill: input.isStill)
  }

  /// Does the work for all inputs, one after the other.
  func run(
    _ plan: Job.Plan, making product: Batch.Product, to folder: String, skipsExisting: Bool
  ) throws(BackdropError) {
    guard depth == nil else {
      throw BackdropError(
        .wrongArgument, "--depth belongs to one input", hint: "give one input, and its output by -o")
    }
    let batch = try Batch(inputs, to: folder, making: product, plan, options: try inputOptions(plan))
    var run = BatchRun(batch, skipsExisting: skipsExisting, isQuiet: quiet, printsJSON: json)
    try run.run()
  }

  /// How inputs are to be read.
  private func inputOptions(_ plan: Job.Plan) throws(BackdropError) -> SceneInput.Options {
    var options = SceneInput.Options()
    options.depth = depth
    options.needsDepth = plan.analysis.mattes == .depth
    options.recording.unitsPerMetre = depthScale
    options.recording.raw = try rawLayout()
    options.recording.allowsAnyAspect = anyAspect
    options.threads = threads ?? 0
    options.isInterrupted = { Interruption.isRequested }
    return options
  }

  /// What `--raw` and `--raw-depth` say; one may be left out if the other kind of file has a header.
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
      let known = PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(.wrongArgument, "there is no pixel format '\(formatName)'", hint: "there are \(known)")
    }
    let (depthWidth, depthHeight, sampleName) = try parts(rawDepth ?? "1x1:float32", "640x480:float32")
    guard let sample = DepthEncoding.Sample(rawValue: String(sampleName)) else {
      let known = DepthEncoding.Sample.allCases.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(.wrongArgument, "there is no depth type '\(sampleName)'", hint: "there are \(known)")
    }
    let unitsPerMetre = depthScale ?? (sample == .uint16 ? 1000 : 1)
    return RawFrameLayout(
      width: width, height: height, color: format, depthWidth: depthWidth, depthHeight: depthHeight,
      depth: DepthEncoding(sample, unitsPerMetre: unitsPerMetre))
  }

  private func report(_ summary: JobSummary, _ plan: Job.Plan, isStill: Bool) throws(BackdropError) {
    if !quiet {
      Terminal.warn(of: summary)
      warnOfUnused(summary, plan)
      if cutoff?.metres != nil && !noFace, let used = summary.cutoffMetres, used != plan.values["cutoff"] {
        Terminal.note("the face decided the cutoff; add --no-face to use --cutoff")
      }
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
          + (summary.subjectFrom.map { ", mattes from \($0.words)" } ?? ""))
    }
  }

  /// Says which flags are for depth, where none was used.
  private func warnOfUnused(_ summary: JobSummary, _ plan: Job.Plan) {
    guard summary.cutoffMetres == nil else { return }
    var names = summary.inactive.map { ["cutoff", "margin"].contains($0) ? "--\($0)" : "--set \($0)" }
    if cutoff == .auto { names.append("--cutoff auto") }
    if cleaning.filter != nil { names.append("--filter") }
    if noFace { names.append("--no-face") }
    if faces != nil && !noFace { names.append("--faces") }
    guard let last = names.popLast() else { return }
    let list = names.isEmpty ? last : "\(names.joined(separator: ", ")) and \(last)"
    Terminal.warn(
      "\(list) \(names.isEmpty ? "does" : "do") nothing here: "
        + (plan.analysis.mattes == .person ? "with --matte person depth is not used" : "the input has no depth"))
  }
}
