import Backdrop
import ArgumentParser

struct ReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace", abstract: "Replace the background of a picture, a video or an RGB-D recording.",
    discussion: """
      INPUT is a picture (\(DepthPhoto.readExtensions)), a video or a recording. OUTPUT is a picture \
      (\(DepthPhoto.writtenExtensions)), a video (\(VideoSettings.suffixes)), an animation (.gif, .apng, or .webp of a \
      video), numbered pictures (out/%05d.png, or an existing folder), .y4m, or - for standard output: a picture for a picture \
      (PNG if transparent, else in the input's format), YUV4MPEG2 for the rest. With --background none the result is \
      transparent: \(DepthPhoto.transparentExtensions), also numbered, animations, .mov (ProRes 4444), .webm (VP9), or .mkv with \
      --codec ffv1.

      With --output-dir, give several inputs, or folders of pictures and videos. Each result has its input's name, and the \
      input's file extension if Backdrop can write it, else .png or .mp4. Transparent results keep one that holds alpha, else \
      they become .png and .mov. If one input fails, Backdrop continues with the others.
      """)

  @OptionGroup(title: "Background and output") var result: ResultOptions
  @Option(help: "A look's name (see: backdrop looks) or a JSON file. \(LookWords.help)") var look = Look.backdrop.id
  @OptionGroup var job: JobOptions

  func run() throws {
    var job = job
    let words = try LookWords(job.arguments, of: Self.self)
    let plan = try job.plan(try Look.load(look), words.flags, of: Self.self)
    try result.run(words.names, plan, job)
  }
}
