import ArgumentParser

struct ReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace", abstract: "Replace the background of a picture, a video or an RGB-D recording.",
    discussion: """
      OUTPUT is a picture (.png, .jpg), a video (.mp4, .mov, .mkv, .webm), numbered pictures (out/%05d.png, or an \
      existing folder), or - for YUV4MPEG2 on standard output.
      """)

  @OptionGroup var job: JobOptions

  @Option(help: "A picture, a video, #RRGGBB, blur[:R], bokeh[:R] or scene:NAME. Default: black.")
  var background: String?

  @Option(name: [.short, .long], help: "Where the result goes.")
  var output: String

  @Option(help: "Write the matte too, at the frame's size: a picture, a video or numbered pictures.")
  var saveMatte: String?

  func run() throws {
    var plan = try job.plan()
    plan.background = background
    plan.output = output
    plan.matteOutput = saveMatte
    try job.run(plan)
  }
}
