import ArgumentParser
import Backdrop
import BackdropTerminal

struct DepthColorizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "colorize",
    abstract: "Draw depth in colours, from red (near) to blue (far), with black holes.",
    discussion: """
      OUTPUT is a picture, a video, numbered pictures (out/%05d.png, or an existing folder), or -. Without --range, the \
      colours span the input's depth (2nd to 98th percentile). In a stream they follow it slowly.
      """)

  @OptionGroup var source: DepthInputOptions
  @Option(name: [.short, .long], help: "Where to write the result.") var output: String

  @Option(help: "The colours: \(DepthPalette.allCases.map(\.rawValue).joined(separator: ", ")).")
  var palette = "spectrum"

  @Option(help: ArgumentHelp("Distances of the first and last colour, in metres.", valueName: "near…far"))
  var range: String?

  @Flag(help: "Use each colour equally often (histogram equalization).") var equalize = false
  @Flag(help: "Add a legend that shows the distance of each colour in metres.") var legend = false
  @Flag(help: "Draw the confidence of each pixel, from red (none) to blue (full).") var confidence = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Blend the colours over the picture, from 0 (only the picture) to 1 (only the colours).", valueName: "opacity"))
  var overlay: Double?

  @OptionGroup var writing: ParameterFlags<StreamOutput.Options>
  @OptionGroup var report: ReportOptions

  func run() throws {
    var plan = ColorizeJob.Plan(to: output)
    plan.palette = try depthPalette(palette)
    plan.range = try range.map { text throws(BackdropError) in try distances(text) }
    (plan.equalizes, plan.legend, plan.overlay) = (equalize, legend, overlay)
    plan.showsConfidence = confidence
    plan.options.overwrite = report.force
    try writing.apply(to: &plan.options)
    let input = try source.open(estimatesConfidence: confidence)
    let job = try ColorizeJob(input, plan)
    let summary = try report.withProgress(of: input.isStill ? 1 : input.frameCount, job.run)
    if !report.quiet { Terminal.warn(summary.warnings) }
    let values =
      summary.confidence.map { "confidence \(($0 * 1000).rounded() / 10)%" }
      ?? "\(metres(summary.nearMetres ?? 0)) to \(metres(summary.farMetres ?? 0))"
    let frames = summary.frames == 1 ? "1 frame" : "\(summary.frames) frames"
    try report.print(summary, toStandardError: output == "-", "\(output): \(frames), \(values)")
  }
}

/// A length for display: in metres, or in millimetres if it is short.
func metres(_ value: Double) -> String {
  abs(value) < 0.1 ? "\((value * 10_000).rounded() / 10) mm" : "\((value * 1000).rounded() / 1000) m"
}

/// A length in metres, with the digits that an error allows.
func metres(_ value: Double, within error: Double) -> String {
  value.text("%.\(error < 0.01 ? 3 : error < 0.1 ? 2 : 1)f") + " m"
}
