import BackdropImaging

/// The codec of a picture format, with everything that other code needs to know about the format.
///
/// To add one, write such a type in its own folder, and list it in ``PictureFormat/all``.
package protocol PictureCodec: SendableMetatype {
  /// The format's name in lower case; with `image/` before it, the media type.
  static var name: String { get }
  /// The name in a sentence; by default ``name`` in capitals.
  static var title: String { get }
  /// The extensions of its files in lower case, the default first; by default ``name``.
  static var fileExtensions: [String] { get }
  static var holdsAlpha: Bool { get }
  /// Whether its files keep every pixel.
  static var compression: PictureCompression { get }
  /// The metadata that its files hold besides EXIF and XMP; by default none.
  static var metadataFields: PictureMetadata.Fields { get }

  /// The maximum bytes per pixel of a job with this result, without those of the program; by default 16.
  static func jobBytesPerPixel(isLossless: Bool) -> Int
  /// Whether a file is of this format, by its first bytes.
  static func matches(_ head: Span<UInt8>) -> Bool
  /// Reads everything except the pixels; see ``PictureFormat/header(of:limits:)``.
  static func header(of bytes: Span<UInt8>, limits: ImageLimits) throws(BackdropError) -> PictureHeader
  /// Decodes a whole file, to `wanted` if the decoder has it, else to the file's natural format; see
  /// ``PictureFormat/decode(_:as:mapsTones:limits:)``.
  static func pixels(
    of bytes: Span<UInt8>, as wanted: PixelFormat?, mapsTones: Bool, limits: ImageLimits
  ) throws(BackdropError) -> Image
  /// Encodes an image, upright and with its colour space; see ``Picture/encode(_:as:quality:isLossless:compression:)``.
  ///
  /// - Throws: `wrongArgument` for a quality, `overLimit` for a size that the format does not have.
  static func encode(
    _ image: Image, quality: Int, isLossless: Bool, isFast: Bool, metadata: PictureMetadata
  ) throws(BackdropError) -> [UInt8]
}

/// Whether files of a picture format keep every pixel.
public enum PictureCompression: Sendable {
  case lossless
  case lossy
  /// If the user requests it.
  case either
}

extension PictureCodec {
  package static var title: String { name.uppercased() }
  package static var fileExtensions: [String] { [name] }
  package static var metadataFields: PictureMetadata.Fields { [] }
  package static func jobBytesPerPixel(isLossless: Bool) -> Int { 16 }

  /// Rejects a quality or a size that the format does not support; `title` is the kind, with its article.
  ///
  /// - Throws: `wrongArgument` for a quality beyond 1…100, `overLimit` for a longer side.
  static func check(_ image: Image, quality: Int, largestSide: Int, as title: String) throws(BackdropError) {
    guard (1...100).contains(quality) else {
      throw BackdropError(
        .wrongArgument, "\(title) cannot have a quality of \(quality)", hint: "choose from 1 (worst) to 100 (best)")
    }
    guard max(image.width, image.height) <= largestSide else {
      throw BackdropError(
        .overLimit, "\(title) of \(image.width)×\(image.height) pixels is over the limit of \(largestSide) on a side",
        hint: "scale it down, or write a PNG")
    }
  }
}
