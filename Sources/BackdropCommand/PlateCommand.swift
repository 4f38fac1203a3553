import ArgumentParser
import Backdrop
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

  @Option(name: [.short, .long], help: "Where to write the plate.") var output: String

  @Option(help: "The person network: a name (see: backdrop models), a .json description, or a model file.")
  var model: String?

  @OptionGroup var threading: ThreadOption
  @OptionGroup(title: "Part of the input") var part: ParameterFlags<SceneInput.Options>
  @OptionGroup var limiting: LimitOptions
  @OptionGroup var report: ReportOptions

  func run() throws {
    let threads = try threading.checked()
    var options = SceneInput.Options()
    options.limits = try limiting.prepare()
    options.threads = threads ?? 0
    options.isInterrupted = { Interruption.isRequested }
    try part.apply(to: &options)
    var person = PersonMatteMaker.Options()
    (person.model, person.threads) = (model, threads)
    let source = try SceneInput.open(input, options: options)
    var job = try PlateJob(source, output: output, overwrite: report.force, person: person)
    let summary = try report.withProgress(of: source.isStill ? 1 : source.frameCount) {
      progress, isInterrupted throws(BackdropError) in
      try job.run(progress: progress, isInterrupted: isInterrupted)
    }
    if !report.quiet { Terminal.warn(summary.warnings) }
    try report.print(summary, "\(summary.output): from \(summary.used) of \(summary.frames) frames")
  }
}
