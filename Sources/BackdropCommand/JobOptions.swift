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

  @Flag(help: "Leave out a video's sound, subtitles and chapters.")
  var noSound = false

  @OptionGroup var running: RunOptions

  /// The plan of these flags, without outputs.
  mutating func plan() throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan()
    plan.look = try Look.load(look)
    for setting in settings {
      try Self.set(setting, in: &plan)
    }
    try running.setLook(of: &plan)
    try running.apply(to: &plan)
    cutoff?.apply(to: &plan.analysis, followsFace: running.engine.texts["face"] != nil)
    for (name, value) in [("cutoff", cutoff?.metres), ("margin", margin), ("radius", radius), ("gamma", gamma)] {
      if let value { plan.values[name] = value }
    }
    plan.writing.copiesStreams = !noSound
    return plan
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
    let unused = UnusedFlags(
      running.engine.texts, plan, isCutoffAutomatic: cutoff == .auto, ["cutoff", "margin", "radius", "gamma"])
    try running.run(inputs[0], plan, try inputOptions(plan), unused) { summary, isStill in
      let what = summary.frames == 1 ? "1 frame" : "\(summary.frames) frames"
      let rate = isStill ? "" : ", \((summary.framesPerSecond * 10).rounded() / 10) frames/s"
      let seconds = (summary.seconds * 100).rounded() / 100
      return "\(what) in \(seconds) s\(rate)" + (summary.subjectFrom.map { ", mattes from \($0.words)" } ?? "")
        + (summary.networks.isEmpty ? "" : " (\(summary.networks.joined(separator: ", ")))")
    }
  }

  /// Processes all inputs, one at a time.
  func run(
    _ plan: Job.Plan, making product: Batch.Product, to folder: String, shard: Batch.Shard?, skipsExisting: Bool
  ) throws(BackdropError) {
    try running.run(
      inputs, plan, try inputOptions(plan), making: product, to: folder, shard: shard, skipsExisting: skipsExisting)
  }

  /// How to read inputs.
  private func inputOptions(_ plan: Job.Plan) throws(BackdropError) -> SceneInput.Options {
    var options = try running.inputOptions(plan)
    options.recording.raw = try rawLayout()
    options.recording.allowsAnyAspect = anyAspect
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
    let unitsPerMetre = running.depthScale ?? (sample == .uint16 ? 1000 : 1)
    return RawFrameLayout(
      width: width, height: height, color: format, depthWidth: depthWidth, depthHeight: depthHeight,
      depth: DepthEncoding(sample, unitsPerMetre: unitsPerMetre))
  }
}
