import ArgumentParser
import Backdrop
import BackdropDepth
import BackdropImaging

struct DepthColorizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "colorize",
    abstract: "Draw depth in colours: near red, through the spectrum, to far blue; holes black.",
    discussion: """
      OUTPUT is a picture, a video, numbered pictures (out/%05d.png, or an existing folder), or -. Without --range the \
      colours span what the depth holds (2nd to 98th percentile); in a stream they follow it slowly.
      """)

  @OptionGroup var source: DepthInputOptions

  @Option(name: [.short, .long], help: "Where the result goes.")
  var output: String

  @Option(help: "The colours: \(DepthPalette.allCases.map(\.rawValue).joined(separator: ", ")).")
  var palette = "spectrum"

  @Option(help: ArgumentHelp("The distances of the first and the last colour, in metres.", valueName: "near…far"))
  var range: String?

  @Flag(help: "Give each colour as many pixels as every other (histogram equalisation).")
  var equalize = false

  @Flag(help: "Add a strip that says in metres which colour is how far.")
  var legend = false

  @Flag(help: "Draw how much each pixel is to be believed: red not at all, through the spectrum, to blue.")
  var confidence = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Lay the colours over the picture: 0 shows the picture alone … 1.", valueName: "opacity"))
  var overlay: Double?

  @OptionGroup var writing: WritingOptions

  @Flag(help: "Replace files that exist.") var force = false
  @Flag(help: "Print a summary as JSON.") var json = false
  @Flag(name: [.short, .long], help: "Say nothing but errors.") var quiet = false

  func run() throws {
    var plan = ColorizeJob.Plan(to: output)
    plan.palette = try depthPalette(palette)
    plan.range = try range.map { text throws(BackdropError) in try distances(text) }
    (plan.equalizes, plan.legend, plan.overlay) = (equalize, legend, overlay)
    plan.showsConfidence = confidence
    plan.options.overwrite = force
    try writing.apply(to: &plan.options)
    let input = try source.open(estimatesConfidence: confidence)
    let job = try ColorizeJob(input, plan)
    var progress = Progress(total: input.isStill ? 1 : input.frameCount, isShown: !quiet)
    defer { progress.finish() }
    let summary = try job.run(progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested })
    progress.finish()
    if !quiet { Terminal.warn(summary.warnings) }
    if json {
      try printJSON(summary, toStandardError: output == "-")
    } else if !quiet {
      let what = summary.frames == 1 ? "1 frame" : "\(summary.frames) frames"
      if let confidence = summary.confidence {
        Terminal.say("\(output): \(what), confidence \((confidence * 1000).rounded() / 10)%")
      } else {
        let (near, far) = (summary.nearMetres ?? 0, summary.farMetres ?? 0)
        Terminal.say("\(output): \(what), \(metres(near)) to \(metres(far))")
      }
    }
  }
}

/// A length for people: metres, or millimetres where that is short.
func metres(_ value: Double) -> String {
  abs(value) < 0.1 ? "\((value * 10_000).rounded() / 10) mm" : "\((value * 1000).rounded() / 1000) m"
}

/// The same in metres, with the digits that an error leaves.
func metres(_ value: Double, within error: Double) -> String {
  value.text("%.\(error < 0.01 ? 3 : error < 0.1 ? 2 : 1)f") + " m"
}
