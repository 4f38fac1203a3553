import ArgumentParser
import Backdrop
import BackdropTerminal

struct DepthStatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Print holes, range, percentiles and noise of depth.",
    discussion: """
      The noise is the median, over windows of 7 by 7 pixels, of what remains after subtracting a plane. Divided by the \
      square of the distance it describes a camera's quality (a Kinect: about 1.4 mm at 1 m). Confidence is the mean of all \
      pixels with a value: the sensor's (.r3d), or an estimate from edges, noise and filters. Holes are counted by their \
      stored value: 0, 65535 in 16-bit depth, infinite, negative, NaN (also from filters), or a distance of low confidence.
      """)

  @OptionGroup var source: DepthInputOptions
  @OptionGroup var frames: FrameOptions
  @OptionGroup var camera: CameraOptions
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    // Confidence is estimated only to report the effect of filters.
    let input = try source.open(camera: try camera.camera(), estimatesConfidence: source.filter != nil)
    let view = try frames.view(of: input)
    let report = DepthReport(view.depth)
    let isMeasured = report.isConfidenceMeasured && source.filter == nil
    Terminal.warn(input.warnings)
    if !input.isAbsolute { Terminal.warn("this depth is relative: it shows which point is nearer, not true metres") }
    guard !json else { return try printJSON(report) }
    func percent(_ part: Double) -> String { "\((part * 1000).rounded() / 10)%" }
    func line(_ name: String, _ text: String) throws(BackdropError) {
      try Terminal.print(name.padded(to: 12) + " " + text)
    }
    try line("size", "\(report.width)×\(report.height)")
    let kinds = DepthHole.allCases.compactMap { kind in report.holes[kind.rawValue].map { "\(kind.words) \($0)" } }
    try line("holes", percent(report.holeFraction) + (kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))"))
    guard let low = report.metres.minimum, let high = report.metres.maximum, let mean = report.metres.mean else {
      return try line("range", "none: only holes")
    }
    try line("range", "\(metres(Double(low))) to \(metres(Double(high)))")
    try line("mean", metres(Double(mean)))
    for percent in DepthReport.percents {
      if let value = report.percentiles["\(Int(percent))"] { try line("\(Int(percent))%", metres(Double(value))) }
    }
    if let noise = report.noise {
      try line(
        "noise", "\(metres(noise.metres)) (median of \(noise.windows) windows), \(metres(noise.atOneMetre)) at 1 m")
      func plain(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
      for band in noise.bands {
        let reach = "\(plain(band.fromMetres))–\(plain(band.toMetres)) m"
        try line("  " + reach, "\(metres(band.metres)) (\(band.windows) windows)")
      }
    }
    if let confidence = report.confidence {
      try line("confidence", percent(confidence) + (isMeasured ? "" : " (estimated)"))
    }
    if let camera = report.intrinsics {
      let view = camera.fieldOfView
      func short(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
      try line(
        "camera",
        "fx \(short(camera.fx)) fy \(short(camera.fy)) cx \(short(camera.cx)) cy \(short(camera.cy)), "
          + "sees \(short(view.across)) by \(short(view.down)) degrees")
    }
  }
}

extension DepthHole {
  /// The kind of hole, as it appears in a list.
  fileprivate var words: String {
    switch self {
    case .notANumber: "NaN:"
    case .zero: "0:"
    case .fullScale: "65535:"
    case .infinite: "infinite:"
    case .negative: "negative:"
    case .lowConfidence: "of low confidence:"
    }
  }
}
