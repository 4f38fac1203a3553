import Backdrop
import BackdropImaging
import BackdropModels
import ArgumentParser

struct MatteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matte", abstract: "Write the matte as a picture or video of its own.",
    discussion: """
      OUTPUT is a picture, a video, numbered pictures (out/%05d.png, or an existing folder), or - (a PNG for a picture, else \
      YUV4MPEG2). With --output-dir, pictures get .png mattes and videos lossless .mkv mattes, named after their inputs.
      """)

  @OptionGroup(title: "Output") var target: OutputOptions

  @OptionGroup var job: JobOptions

  @Option(help: .hidden, transform: steps)
  var without: Set<MatteStep> = []

  /// Parses the steps of a comma-separated list, for `make quality`.
  private static func steps(_ list: String) throws -> Set<MatteStep> {
    try Set(
      list.split(separator: ",").map { name in
        guard let step = MatteStep(rawValue: String(name)) else {
          throw BackdropError(
            .wrongArgument, "there is no step '\(name)'",
            hint: .known(MatteStep.allCases.map(\.rawValue), insteadOf: String(name)))
        }
        return step
      })
  }

  func run() throws {
    var job = job
    var plan = try job.plan()
    plan.analysis.person.leftOut = without
    switch try target.destination(of: job.inputs, force: job.running.force) {
    case .file(let output):
      plan.matteOutput = try OutputTarget(output)
      try job.run(plan)
    case .folder(let folder, let shard):
      try job.run(plan, making: .matte, to: folder, shard: shard, skipsExisting: target.skipExisting)
    }
  }
}
