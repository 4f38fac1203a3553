import ArgumentParser
import Backdrop

/// The flags of `replace` and `apply` for the background and the outputs.
struct ResultOptions: ParsableArguments {
  @Option(
    help:
      "A picture, a video, a colour (#RRGGBB, #RRGGBBAA, navy), blur[:R], bokeh[:R], scene:NAME, or none (transparent); for a video also several, faded from one to the next: BACKGROUND@TIME,BACKGROUND@TIME. Default: black, or the look's own."
  )
  var background: String?

  @OptionGroup var outputs: OutputOptions

  @Option(help: "Also write the matte, at the frame's size: a picture, a video or numbered pictures.")
  var saveMatte: String?

  @Flag(
    help:
      "Fail and write nothing if the room would show or if Backdrop recognizes no person in a picture; without this flag, both are warnings."
  )
  var strict = false

  func chosenBackground() throws(BackdropError) -> BackgroundChoice? {
    try background.map { text throws(BackdropError) in try BackgroundChoice(parsing: text) }
  }

  /// Draws the inputs by a plan.
  func run(_ inputs: [String], _ wanted: Job.Plan, _ job: JobOptions) throws(BackdropError) {
    var plan = wanted
    plan.background = try chosenBackground()
    plan.audience = strict ? .others : .oneself
    switch try outputs.destination(of: inputs, force: job.report.force) {
    case .file(let output):
      plan.output = try OutputTarget(output)
      plan.matteOutput = try saveMatte.map { path throws(BackdropError) in try OutputTarget(path) }
      try job.run(inputs[0], plan)
    case .folder(let folder, let shard):
      guard saveMatte == nil else {
        throw BackdropError(
          .wrongArgument, "--save-matte writes a single file",
          hint: "write all mattes with: backdrop matte INPUTS --output-dir FOLDER")
      }
      try job.run(inputs, plan, making: .result, to: folder, shard: shard, skipsExisting: outputs.skipExisting)
    }
  }
}
