import ArgumentParser
import Backdrop

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert-recording", abstract: "Convert a recording with depth to another format.",
    discussion: """
      INPUT is an RGB-D folder (TUM, Open3D, RealSense), or a .mkv, .r3d or .oni file. OUTPUT is a .mkv file (H.264 colour, \
      lossless FFV1 depth), an .r3d file (Record3D), or a folder in the layout of the TUM RGB-D benchmark. Backdrop warns \
      about everything that the output cannot hold.
      """)

  @Argument(help: "The recording.") var input: String
  @Argument(help: "The converted recording.") var output: String
  @OptionGroup var options: RecordingArguments

  func run() throws {
    guard !RGBDInput.isCamera(input) else {
      throw BackdropError(
        .wrongArgument, "Backdrop records a camera; it does not convert one", path: input,
        hint: "write: backdrop record \(input) -o \(output)")
    }
    try options.run(try options.plan(input, to: output))
  }
}
