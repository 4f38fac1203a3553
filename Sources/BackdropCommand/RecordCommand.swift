import ArgumentParser
import Backdrop
import BackdropTerminal

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record frames with depth from a camera or another recording.",
    discussion: """
      OUTPUT is a .mkv file (H.264 colour, lossless FFV1 depth), an .r3d file (Record3D), or a folder in the layout \
      of the TUM RGB-D benchmark. Depth has 16-bit whole numbers, or 32-bit floats in .r3d. Ctrl-C ends the recording of a device, \
      and cancels any other. A growing recording has .partial in its name before the file extension. If the program is killed, that \
      file remains, and Backdrop can read it.
      """)

  @Argument(
    help: ArgumentHelp(
      "sim:[SCENE][?seed=1&seconds=10], openni:[ADDRESS], iphone:[UDID], realsense:[SERIAL], an RGB-D folder, or a .mkv, .r3d or .oni file.",
      valueName: "input"))
  var input: String

  @Option(name: [.short, .long], help: "Where to write the recording.") var output: String
  @Option(parsing: .unconditional, help: "Record at most this many frames. Default: all.") var frames: Int?
  @Option(parsing: .unconditional, help: "Record at most this many seconds. Default: all.") var seconds: Double?
  @OptionGroup var options: RecordingArguments

  func run() throws {
    var plan = try options.plan(input, to: output)
    (plan.frames, plan.seconds, plan.keepsUnfinished) = (frames, seconds, true)
    try options.run(plan)
  }
}

/// The common part of `record` and `convert-recording`.
struct RecordingArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "Units per metre in the input's depth pictures. Default: the input's own, else 1000; 5000 for TUM recordings."
  )
  var depthScale: Double?

  @Option(
    parsing: .unconditional,
    help: "Units per metre in the output's depth. Default: the input's, else 5000, which reaches 13.1 m.")
  var outputScale: Double?

  @Option(
    parsing: .unconditional, help: "Quality of the colour video in .mkv (CRF), 0…51; lower is better. Default: 18.")
  var crf: Double?

  @Flag(help: "Stretch depth of another aspect ratio over the whole picture.") var anyAspect = false
  @OptionGroup var alignment: AlignmentArguments
  @OptionGroup var threading: ThreadOption
  @OptionGroup var report: ReportOptions

  func plan(_ input: String, to output: String) throws(BackdropError) -> RecordJob.Plan {
    var plan = RecordJob.Plan(input, to: output)
    plan.overwrite = report.force
    plan.unitsPerMetre = outputScale
    plan.quality = crf
    plan.reading.unitsPerMetre = depthScale
    plan.reading.allowsAnyAspect = anyAspect
    try alignment.apply(to: &plan.reading)
    plan.reading.threads = try threading.checked() ?? 0
    return plan
  }

  func run(_ plan: RecordJob.Plan) throws(BackdropError) {
    var job = try RecordJob(plan)
    let summary = try report.withProgress(of: job.frameCount) { progress, isInterrupted throws(BackdropError) in
      try job.run(progress: progress, isInterrupted: isInterrupted)
    }
    if !report.quiet {
      Terminal.warn(summary.skipped.warnings("was left out", "were left out") + summary.warnings)
      for loss in summary.losses { Terminal.note(loss) }
    }
    let rate = (summary.framesPerSecond * 10).rounded() / 10
    try report.print(
      summary,
      "\(summary.output): \(summary.frames) frames of \(summary.width)×\(summary.height), depth "
        + "\(summary.depthWidth)×\(summary.depthHeight), \(rate) frames/s")
  }
}
