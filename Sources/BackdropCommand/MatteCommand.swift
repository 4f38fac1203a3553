import ArgumentParser

struct MatteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matte", abstract: "Write the matte alone, at full size.",
    discussion: "OUTPUT is a picture, a video, numbered pictures (out/%05d.png, or an existing folder), or -.")

  @OptionGroup var job: JobOptions

  @Option(name: [.short, .long], help: "Where the matte goes.")
  var output: String

  func run() throws {
    var plan = try job.plan()
    plan.matteOutput = output
    try job.run(plan)
  }
}
