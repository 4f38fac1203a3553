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

  @OptionGroup var running: RunOptions

  @OptionGroup var strictness: StrictOptions

  func run() throws {
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
    var running = running
    try running.setLook(of: &plan, and: words.flags)
    try running.apply(to: &plan)
    plan.focus = try at.map { text throws(BackdropError) in try Job.Focus(text) }
    if at != nil, let focus = plan.look.focusParameter, plan.values[focus] != nil {
      throw BackdropError(.wrongArgument, "you gave both --at and --\(focus)", hint: "use only one of them")
    }
    plan.sweep = try sweep.map { text throws(BackdropError) in try ParameterSweep(text) }
    plan.background = try chosenBackground()
    plan.audience = strictness.audience
    let options = try running.inputOptions(plan)
    switch try target.destination(of: inputs, force: running.force) {
    case .file(let output):
      plan.output = try OutputTarget(output)
      let unused = UnusedFlags(running.engine.texts, plan, Set(plan.look.parameters.map(\.name)))
      try running.run(inputs[0], plan, options, unused) { summary, _ in
        var parts = ["\(summary.look) in \(Self.seconds(summary.seconds)) s"]
        if summary.frames > 1 { parts.append("\(summary.frames) frames") }
        if let origin = summary.disparityFrom { parts.append("distances from \(origin.words)") }
        if let origin = summary.subjectFrom { parts.append("subject from \(origin.words)") }
        return parts.joined(separator: ", ")
      }
    case .folder(let folder, let shard):
      try running.run(
        inputs, plan, options, making: .result, to: folder, shard: shard, skipsExisting: target.skipExisting)
    }
  }

  private func drawSheet(_ words: LookWords, to path: String) throws(BackdropError) {
    guard words.names.count == 1, words.flags.isEmpty, target.output == nil, target.outputDir == nil,
      target.shard == nil, !target.skipExisting, sweep == nil, at == nil
    else {
      throw BackdropError(
        .wrongArgument, "a contact sheet needs one photo, and no look or parameters",
        hint: "write: backdrop apply PHOTO --contact-sheet PAGE.png")
    }
    let given = [
      ("depth", running.depth != nil), ("depth-scale", running.depthScale != nil),
      ("hdr", running.writing.texts["hdr"] != nil),
      ("strict", strictness.strict), ("timings", running.timing.timings), ("json", running.json),
    ]
    if let name = (given.filter(\.1).map(\.0) + running.part.texts.keys.sorted()).first {
      throw BackdropError(.wrongArgument, "--\(name) does nothing for a contact sheet", hint: "leave it out")
    }
    _ = try PictureFormat(path: path)
    let target = try OutputTarget(file: path)
    var plan = Job.Plan()
    plan.background = try chosenBackground()
    try running.apply(to: &plan)
    try target.check(keepsAlpha: false, plan.writing)
    let start = ContinuousClock.now
    let sheet = try LookSheet(
      try PhotoSource(words.names[0], limits: plan.limits), options: plan.analysis, background: plan.background,
      drawing: plan.drawing, threads: plan.threads, isInterrupted: { Interruption.isRequested })
    try sheet.write(to: target, options: plan.writing)
    guard !running.quiet else { return }
    Terminal.warn(sheet.warnings.map { Warning($0) })
    Terminal.say("\(path): all looks in \(Self.seconds((ContinuousClock.now - start) / .seconds(1))) s")
  }

  private func chosenBackground() throws(BackdropError) -> BackgroundChoice? {
    try background.map { text throws(BackdropError) in try BackgroundChoice(parsing: text) }
  }

  private static func seconds(_ value: Double) -> Double { (value * 100).rounded() / 100 }
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
}
