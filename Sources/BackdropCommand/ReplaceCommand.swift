import Backdrop
import ArgumentParser
import BackdropImaging
import BackdropPhotos
import BackdropVideo

struct ReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace", abstract: "Replace the background of a picture, a video or an RGB-D recording.",
    discussion: """
      INPUT is a picture (\(DepthPhoto.readEndings)), a video or a recording. OUTPUT is a picture \
      (\(DepthPhoto.writtenEndings)), a video (\(VideoSettings.suffixes)), an animation (.gif, .apng, or .webp of a \
      video), numbered pictures (out/%05d.png, or an existing folder), .y4m, or - for standard output: a picture for a picture \
      (PNG if transparent, else in the input's format), YUV4MPEG2 for the rest. With --background none the result is \
      transparent: \(DepthPhoto.transparentEndings), also numbered, animations, .mov (ProRes 4444), .webm (VP9), or .mkv with \
      --codec ffv1.

      With --output-dir, give several inputs, or folders of pictures and videos. Each result has its input's name, and the \
      input's ending if Backdrop can write it, else .png or .mp4. Transparent results keep an ending that holds alpha, else \
      they become .png and .mov. If one input fails, Backdrop continues with the others.
      """)

  struct Target: ParsableArguments {
    @Option(
      help:
        "A picture, a video, a colour (#RRGGBB, #RRGGBBAA, navy), blur[:R], bokeh[:R], scene:NAME, or none (transparent); for a video also several, faded from one to the next: BACKGROUND@TIME,BACKGROUND@TIME. Default: black."
    )
    var background: String?

    @OptionGroup var places: OutputOptions

    @Option(help: "Also write the matte, at the frame's size: a picture, a video or numbered pictures.")
    var saveMatte: String?
  }

  @OptionGroup(title: "Background and output") var target: Target

  @OptionGroup var job: JobOptions

  @OptionGroup var strictness: StrictOptions

  func run() throws {
    var job = job
    var plan = try job.plan()
    plan.background = try target.background.map { text throws(BackdropError) in try BackgroundChoice(parsing: text) }
    plan.audience = strictness.audience
    switch try target.places.destination(of: job.inputs, force: job.running.force) {
    case .file(let output):
      plan.output = try OutputTarget(output)
      plan.matteOutput = try target.saveMatte.map { path throws(BackdropError) in try OutputTarget(path) }
      try job.run(plan)
    case .folder(let folder, let shard):
      guard target.saveMatte == nil else {
        throw BackdropError(
          .wrongArgument, "--save-matte writes a single file",
          hint: "write all mattes with: backdrop matte INPUTS --output-dir FOLDER"
        )
      }
      try job.run(plan, making: .result, to: folder, shard: shard, skipsExisting: target.places.skipExisting)
    }
  }
}
