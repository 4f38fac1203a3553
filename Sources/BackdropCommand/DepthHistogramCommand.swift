import ArgumentParser
import Backdrop
import BackdropTerminal

struct DepthHistogramCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "histogram", abstract: "Count the pixels at each distance.",
    discussion: "For a stream, it counts all frames together, or one with --frame. Without -o it prints JSON.")

  @OptionGroup var source: DepthInputOptions

  @Option(name: [.short, .long], help: "Where to write a picture of the histogram: \(PictureFormat.fileExtensions).")
  var output: String?

  @Option(help: ArgumentHelp("Distances of the first and last bin, in metres.", valueName: "near…far"))
  var range: String?

  @Option(parsing: .unconditional, help: "Number of bins.") var bins = 240

  @Option(help: "The colours: \(DepthPalette.allCases.map(\.rawValue).joined(separator: ", ")).")
  var palette = "spectrum"

  @Option(parsing: .unconditional, help: "Count only this frame of a stream, from 1. Default: all.") var frame: Int?
  @OptionGroup var report: ReportOptions

  func run() throws {
    let colors = try depthPalette(palette)
    let given = try range.map { text throws(BackdropError) in try distances(text) }
    let file = try output.map { path throws(BackdropError) in
      _ = try PictureFormat(path: path)
      return try OutputFile(path, overwrite: report.force)
    }
    let input = try source.open()
    var histogram: DepthHistogram?
    func add(_ view: DepthInput.View) throws(BackdropError) {
      if histogram == nil {
        guard let ends = given ?? view.depth.extent else { return }
        // A map with only one distance gets a small range up to it.
        let far = Double(ends.upperBound)
        let near = min(Double(ends.lowerBound), far - max(far * 1e-3, 1e-6))
        histogram = try DepthHistogram(near: near, far: far, bins: bins)
      }
      histogram?.add(view.depth)
    }
    if let frame {
      try add(FrameOptions.view(frame, of: input))
    } else {
      while let view = try input.next() {
        if Interruption.isRequested { throw BackdropError(.interrupted, "interrupted") }
        try add(view)
      }
    }
    guard let histogram else {
      throw BackdropError(.badData, "the depth has no values, only holes", path: input.name, hint: "check the input")
    }
    if !report.quiet { Terminal.warn(input.warnings) }
    if let file {
      let name = FileName(source.input).whole
      try Picture.save(HistogramPicture.draw(histogram, palette: colors, caption: name), to: file)
    }
    if report.json || output == nil { try printJSON(histogram) }
  }
}
