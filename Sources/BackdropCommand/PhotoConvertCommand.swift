import ArgumentParser
import BackdropImaging
import BackdropPhotos

struct PhotoConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Write a photo as another kind of file, with all that it holds.",
    discussion: """
      OUTPUT is a .jpg or .heic. Depth, mattes, gain map, metadata and colour profile go along; from .jpg to .jpg the \
      coded pictures are copied bit by bit.
      """)

  @Argument(help: "A photo.")
  var input: String

  @Argument(help: "Where the result goes.")
  var output: String

  @OptionGroup var writing: PhotoOutputOptions

  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let options = try writing.options()
    let container = try DepthPhoto.container(named: output)
    let file = try OutputFile(output, overwrite: writing.force)
    let photo = try DepthPhoto.given(input, limiting)
    let bytes: [UInt8]
    do {
      bytes = try container.encode(photo, options: options)
    } catch {
      // What goes wrong before anything is written is a matter of what was read.
      throw error.inPhoto(input)
    }
    try file.write(bytes.span)
    photo.tellFaults()
  }
}
