import Backdrop
import ArgumentParser

struct MatteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matte", abstract: "Write the matte as a picture or video of its own.",
    discussion: """
      OUTPUT is a picture, a video, numbered pictures (out/%05d.png, or an existing folder), or - (a PNG for a picture, else \
      YUV4MPEG2). With --output-dir, pictures get .png mattes and videos lossless .mkv mattes, named after their inputs.
      """)

  @OptionGroup(title: "Output") var target: OutputOptions

  @Option(help: "The look whose matte to write: its name (see: backdrop looks) or a JSON file. \(LookWords.help)")
  var look = Look.backdrop.id

  @OptionGroup var job: JobOptions
  @Option(help: .hidden, transform: steps) var without: Set<MatteStep> = []

  /// Parses the steps of a comma-separated list, for `make quality`.
  private static func steps(_ list: String) throws -> Set<MatteStep> {
    try Set(
      list.split(separator: ",").map { name in
        try MatteStep(known: String(name), or: "there is no step '\(name)'")
      })
  }

  func run() throws {
    var job = job
    let words = try LookWords(job.arguments, of: Self.self)
    var plan = try job.plan(try Look.load(look), words.flags, of: Self.self)
    plan.analysis.person.leftOut = without
    switch try target.destination(of: words.names, force: job.report.force) {
    case .file(let output):
      plan.matteOutput = try OutputTarget(output)
      try job.run(words.names[0], plan)
    case .folder(let folder, let shard):
      try job.run(words.names, plan, making: .matte, to: folder, shard: shard, skipsExisting: target.skipExisting)
    }
  }
}
