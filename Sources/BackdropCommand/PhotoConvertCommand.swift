import ArgumentParser
import BackdropPhotos

struct PhotoConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Convert a photo to another format, with all its parts.",
    discussion: """
      OUTPUT is a .jpg or .heic. It keeps depth, mattes, gain map, metadata and colour profile. From .jpg to .jpg, Backdrop \
      copies the pictures bit by bit.
      """)

  @Argument(help: "A photo.") var input: String
  @Argument(help: "Where to write the result.") var output: String
  @OptionGroup var writing: PhotoOutputOptions
  @OptionGroup var reading: ParameterFlags<PhotoReading>
  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let options = try writing.options()
    let container = try DepthPhoto.container(named: output)
    let file = try OutputFile(output, overwrite: writing.force)
    let photo = try DepthPhoto.given(input, reading, limiting)
    let bytes: [UInt8]
    do {
      bytes = try container.encode(photo, options: options)
    } catch {
      // Errors of encoding belong to the input.
      throw error.inPhoto(input)
    }
    try file.write(bytes.span)
    photo.warnOfFaults()
  }
}
