import ArgumentParser
import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropPhotos
import BackdropTerminal
import BackdropVideo

struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a look to photos, videos and recordings.",
    usage: """
      backdrop apply LOOK PHOTO -o OUTPUT [--PARAMETER VALUE …]
      backdrop apply LOOK PHOTO… --output-dir FOLDER
      backdrop apply PHOTO --contact-sheet PAGE.png
      """,
    discussion: """
      LOOK is a look's name (see: backdrop looks) or a JSON file. Each of its parameters is a flag, such as --focus 0.7 (see: \
      backdrop looks show LOOK).

      INPUT is a photo (\(DepthPhoto.readEndings)), a video or an RGB-D recording. A photo becomes a picture \
      (\(DepthPhoto.writtenEndings)) that keeps its metadata, and in .heic and .jpg also its depth and mattes if nothing moves. \
      A photo in motion becomes a video (\(VideoSettings.suffixes)), .gif or .apng. Looks use the photo's depth and portrait \
      matte; without either, a person network looks for the subject.

      A video or a recording becomes a video, numbered pictures or an animation. Its parameters can change over time: \
      --radius 0@0,20@3.5.
      """)

  @Argument(parsing: .allUnrecognized, help: "The look, then photos or other inputs.")
  var arguments: [String] = []

  @OptionGroup(title: "Output") var target: OutputOptions

  @Option(help: "Draw all looks of one photo on one page; give no LOOK.")
  var contactSheet: String?

  @Option(help: "Focus on this point, X,Y in pixels of the upright picture, or on the subject.")
  var at: String?

  @Option(help: "Draw several values of a parameter, such as focus=0…1:12, as a strip in one picture or as a video.")
  var sweep: String?

  @Option(help: "The background, for looks that have one; values as for replace.")
  var background: String?

  @Option(help: "A video's depth: a folder with a picture for each frame.")
  var depth: String?

  @Option(parsing: .unconditional, help: "Units per metre in depth pictures. Default: 1000; 5000 for TUM recordings.")
  var depthScale: Double?

  @OptionGroup(title: "Mattes and edges") var engine: ParameterFlags<Job.Plan>

  @OptionGroup(title: "Part of the input") var part: ParameterFlags<SceneInput.Options>

  @OptionGroup var strictness: StrictOptions

  @OptionGroup var writing: WritingOptions

  @OptionGroup var limiting: LimitOptions

  @OptionGroup var timing: TimingOptions

  @Option(parsing: .unconditional, help: "Number of threads. Default: one for each processor.")
  var threads: Int?

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(help: "Print a summary as JSON.")
  var json = false

  @Flag(name: [.short, .long], help: "Print only errors.")
  var quiet = false

  func run() throws {
    if let threads { try JobOptions.check(threads: threads) }
    let words = try LookWords(arguments)
    if let contactSheet { return try drawSheet(words, to: contactSheet) }
    guard let name = words.names.first else {
      throw BackdropError(.wrongArgument, "you named no look", hint: "write: backdrop apply LOOK PHOTO -o OUTPUT")
    }
    var plan = Job.Plan(try Look.load(name))
    let inputs = Array(words.names.dropFirst())
    guard !inputs.isEmpty else {
      throw BackdropError(
        .wrongArgument, "you named no photo", hint: "write: backdrop apply \(name) PHOTO -o OUTPUT")
    }
    var (engine, part) = (engine, part)
    // A look's own parameter takes precedence over an engine parameter of the same name.
    let own = plan.look.parameters.compactMap { parameter in
      (engine.take(parameter.name) ?? part.take(parameter.name)).map { (name: parameter.name, value: $0) }
    }
    (plan.values, plan.keyframes) = try words.values(for: plan.look, and: own)
    try engine.apply(to: &plan)
    plan.focus = try at.map { text throws(BackdropError) in try Job.Focus(text) }
    if at != nil, let focus = plan.look.focusParameter, plan.values[focus] != nil {
      throw BackdropError(.wrongArgument, "you gave both --at and --\(focus)", hint: "use only one of them")
    }
    plan.sweep = try sweep.map { text throws(BackdropError) in try ParameterSweep(text) }
    plan.background = try background.map { text throws(BackdropError) in try BackgroundChoice(parsing: text) }
    (plan.isStrict, plan.needsPerson) = (strictness.strict, strictness.strict)
    plan.writing.overwrite = force
    plan.writing.threads = threads ?? 0
    try writing.apply(to: &plan.writing)
    plan.limits = try limiting.prepare(isBatch: target.outputDir != nil)
    plan.measuresStages = timing.timings
    plan.threads = threads
    var options = SceneInput.Options()
    options.depth = depth
    options.needsDepth = plan.analysis.mattes == .depth
    options.limits = plan.limits
    options.recording.unitsPerMetre = depthScale
    options.isInterrupted = { Interruption.isRequested }
    try part.apply(to: &options)
    switch try target.destination(of: inputs, force: force) {
    case .file(let output):
      plan.output = try OutputTarget(output)
      try run(inputs[0], plan, options)
    case .folder(let folder, let shard):
      let batch = try Batch(inputs, to: folder, making: .result, shard: shard, plan, options: options)
      var run = BatchRun(batch, skipsExisting: target.skipExisting, isQuiet: quiet, printsJSON: json)
      try run.run()
    }
  }

  /// Processes one input, shows progress and a report, and ends the program.
  private func run(
    _ input: String, _ plan: Job.Plan, _ options: SceneInput.Options
  ) throws(BackdropError) -> Never {
    try StandardStreams.checkOutput(plan.output?.path)
    try StandardStreams.checkInput(input)
    let source = try SceneInput.open(input, options: options)
    let job = try Job(source, plan)
    var progress = Progress(total: source.isStill ? nil : source.frameCount, isShown: !quiet)
    defer { progress.finish() }
    let summary = try job.run(progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
    progress.finish()
    if summary.readerIsGone { Interruption.endAsClosedPipe() }
    try report(summary, plan)
    Terminal.end(keeping: job)
  }

  private func drawSheet(_ words: LookWords, to path: String) throws(BackdropError) {
    guard words.names.count == 1, words.flags.isEmpty, target.output == nil, target.outputDir == nil,
      target.shard == nil, !target.skipExisting, sweep == nil, at == nil
    else {
      throw BackdropError(
        .wrongArgument, "a contact sheet needs one photo, and no look or parameters",
        hint: "write: backdrop apply PHOTO --contact-sheet PAGE.png")
    }
    _ = try PictureKind(path: path)
    let file = try OutputFile(path, overwrite: force)
    var plan = Job.Plan()
    try engine.apply(to: &plan)
    let start = ContinuousClock.now
    let sheet = try LookSheet(
      try PhotoSource(words.names[0], limits: try limiting.prepare()), options: plan.analysis,
      background: plan.background,
      threads: threads,
      isInterrupted: { Interruption.isRequested })
    try sheet.save(to: file)
    guard !quiet else { return }
    Terminal.warn(sheet.warnings.map { Warning($0) })
    Terminal.say("\(path): all looks in \(seconds((ContinuousClock.now - start) / .seconds(1))) s")
  }

  private func report(_ summary: JobSummary, _ plan: Job.Plan) throws(BackdropError) {
    if !quiet {
      Terminal.warn(of: summary)
      UnusedFlags(engine.texts, plan, Set(plan.look.parameters.map(\.name))).warn(summary)
    }
    guard !json else { return try printJSON(summary, toStandardError: plan.output?.path == "-") }
    guard !quiet else { return }
    var parts = ["\(summary.look) in \(seconds(summary.seconds)) s"]
    if summary.frames > 1 { parts.append("\(summary.frames) frames") }
    if let origin = summary.disparityFrom { parts.append("distances from \(origin.words)") }
    if let origin = summary.subjectFrom { parts.append("subject from \(origin.words)") }
    Terminal.say(Terminal.oneLine("\(summary.outputs.joined(separator: ", ")): \(parts.joined(separator: ", "))"))
    for line in summary.timings.map(TimingOptions.lines) ?? [] { Terminal.say(line) }
  }

  private func seconds(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

extension Evidence.Origin {
  /// The origin as it appears in a sentence.
  var words: String {
    switch self {
    case .matte: "the portrait matte"
    case .depth: "the depth"
    case .chroma: "the screen's colour"
    case .touchUp: "the touch-up"
    case .person: "the person network"
    case .depthAndPerson: "depth and the person network"
    }
  }
}

/// The arguments of `apply` besides its own flags: names and the look's parameters.
struct LookWords {
  private(set) var names: [String] = []
  private(set) var flags: [(name: String, value: String)] = []

  init(_ words: [String]) throws(BackdropError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") && word.count > 2 else {
        guard !word.hasPrefix("-") || word == "-" else {
          throw BackdropError(.wrongArgument, "there is no flag '\(word)'", hint: "see: backdrop apply --help")
        }
        names.append(word)
        continue
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        flags.append((String(parts[0]), String(parts[1])))
      } else if let value = rest.popFirst() {
        flags.append((String(parts[0]), value))
      } else {
        throw BackdropError(.wrongArgument, "\(word) has no value", hint: "write \(word) NUMBER")
      }
    }
  }

  /// The constant parameters that flags set, and those that change during a video.
  func values(
    for look: Look, and others: [(name: String, value: String)]
  ) throws(BackdropError) -> ([String: Double], [String: Keyframes]) {
    var result: [String: Double] = [:]
    var keyframes: [String: Keyframes] = [:]
    for (name, text) in flags + others {
      guard look.parameters.contains(where: { $0.name == name }) else {
        let known = look.parameters.map { "--" + $0.name }.joined(separator: ", ")
        throw BackdropError(
          .wrongArgument, "the look '\(look.id)' has no parameter --\(name)",
          hint: known.isEmpty ? "it has no parameters" : "it has \(known)")
      }
      if text.contains("@") {
        keyframes[name] = try Keyframes(text)
        continue
      }
      guard let value = Double(text) else {
        throw BackdropError(.wrongArgument, "--\(name) '\(text)' is not a number", hint: "write --\(name) NUMBER")
      }
      result[name] = value
    }
    return (result, keyframes)
  }
}
