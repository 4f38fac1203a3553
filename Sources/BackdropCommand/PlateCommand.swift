import ArgumentParser
import Backdrop
import BackdropImaging
import BackdropModels
import BackdropTerminal

struct PlateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plate", abstract: "Make a picture of the room behind the people in a video.",
    discussion: """
      The camera must stand still. Each pixel is the median of the moments when nobody covers it. Parts that stay covered \
      are transparent. OUTPUT is a .png, for --plate of replace and matte.
      """)

  @Argument(
    help: ArgumentHelp(
      "A picture, a video, an RGB-D folder, sim:[SCENE][?seed=1&seconds=10], or - (YUV4MPEG2).", valueName: "input"))
  var input: String

  @Option(name: [.short, .long], help: "Where to write the plate.")
  var output: String

  @Option(help: "The person network: a name (see: backdrop models), a .json description, or a model file.")
  var model: String?

  @Option(parsing: .unconditional, help: "Number of threads for the network. Default: one for each processor.")
  var threads: Int?

  @OptionGroup(title: "Part of the input") var part: ParameterFlags<SceneInput.Options>

  @OptionGroup var limiting: LimitOptions

  @Flag(help: "Replace an existing file.")
  var force = false

  @Flag(help: "Print a summary as JSON.")
  var json = false

  @Flag(name: [.short, .long], help: "Print only errors.")
  var quiet = false

  func run() throws {
    if let threads { try JobOptions.check(threads: threads) }
    var options = SceneInput.Options()
    options.limits = try limiting.prepare()
    options.threads = threads ?? 0
    options.isInterrupted = { Interruption.isRequested }
    try part.apply(to: &options)
    var person = PersonMatteMaker.Options()
    person.model = model
    person.threads = threads
    let source = try SceneInput.open(input, options: options)
    var job = try PlateJob(source, output: output, overwrite: force, person: person)
    var progress = Progress(total: source.isStill ? 1 : source.frameCount, isShown: !quiet)
    defer { progress.finish() }
    let summary = try job.run(
      progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
    progress.finish()
    if !quiet { Terminal.warn(summary.warnings) }
    if json {
      try printJSON(summary)
    } else if !quiet {
      Terminal.say("\(summary.output): from \(summary.used) of \(summary.frames) frames")
    }
  }
}
