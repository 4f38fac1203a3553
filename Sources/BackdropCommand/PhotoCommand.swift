import ArgumentParser
import BackdropPhotos
import BackdropTerminal

struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Inspect photos with depth and mattes, extract and embed parts, and convert.",
    discussion: """
      Photos are JPEG files from iPhones and Android phones (Multi-Picture images, GDepth, Dynamic Depth), HEIC \
      files, and plain pictures. Each command decodes only the parts that it needs.
      """,
    subcommands: [
      PhotoInspectCommand.self, PhotoExtractCommand.self, PhotoEmbedCommand.self, PhotoConvertCommand.self,
    ])
}

/// How to write JPEG photos.
struct PhotoOutputOptions: ParsableArguments {
  @Option(
    help: "How a .jpg stores depth: apple (8 bits, like iPhones) or dynamic-depth (8 or 16 bits, like Android phones).")
  var form: String = "apple"

  @Option(
    name: .customLong("photo-quality"), parsing: .unconditional,
    help: "Quality of pictures that Backdrop encodes, 1 to 100.")
  var quality = Picture.standardQuality

  @Flag(help: "Replace an existing file.") var force = false

  func options() throws(BackdropError) -> PhotoFileOptions {
    guard (1...100).contains(quality) else {
      throw BackdropError(
        .wrongArgument, "a quality of \(quality) is out of range", hint: "choose from 1 (worst) to 100 (best)")
    }
    let forms: [String: PhotoFileOptions.Form] = ["apple": .apple, "dynamic-depth": .dynamicDepth]
    guard let known = forms[form] else {
      throw BackdropError(
        .wrongArgument, "Backdrop knows no form '\(form)'", hint: .known(forms.keys.sorted(), insteadOf: form))
    }
    return PhotoFileOptions(form: known, quality: quality)
  }
}

/// The number format of a depth file.
struct DepthFileOptions: ParsableArguments {
  @Option(name: .customLong("as"), help: "The kind of numbers: depth (metres) or disparity (1/metre).")
  var quantity: String?

  func checkedQuantity() throws(BackdropError) -> DepthProperties.Quantity? {
    guard let quantity else { return nil }
    return try DepthProperties.Quantity(known: quantity, or: "depth cannot be stored as '\(quantity)'")
  }
}

extension DepthPhoto {
  /// Warns of damaged parts of the photo, which Backdrop omits.
  func warnOfFaults() {
    Terminal.warn(faults.map { "Backdrop leaves out a part of the photo: \($0.message)" })
  }

  /// The names of its parts besides the picture, for display.
  var partNames: String {
    let names = auxiliaries.map(\.kind.title) + (original == nil ? [] : ["original picture"])
    return names.isEmpty ? "only a picture" : names.joined(separator: ", ")
  }
}
