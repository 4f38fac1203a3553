import BackdropCodecs
import BackdropImaging

/// A picture of a photo: the colour picture itself, a depth image, a matte. It is decoded only on request.
///
/// Each kind of file has a separate type, so that a writer of the same kind can copy the coded bytes.
public protocol PhotoPicture: Sendable {
  /// Pixels in a row, as stored.
  var width: Int { get }
  /// Rows, as stored.
  var height: Int { get }
  /// The colours of its samples, known without decoding: sRGB if the file does not state them. Decoding maps a high dynamic range to sRGB.
  var colorSpace: ColorSpace { get }
  /// Bits of a sample as stored; by default 8. Decoding rounds deeper colours to 8.
  var bitsPerSample: Int { get }

  /// The pixels as stored, not turned; the result's ``/BackdropImaging/Image/orientation`` has no meaning.
  ///
  /// - Parameter format: the pixel format; `nil` for the file's natural one (`gray8`, `gray16`, `grayFloat`, `rgba8`).
  /// - Throws: `badData`, `unsupported` or `overLimit` if the file's bytes cannot be decoded.
  func decoded(as format: PixelFormat?) throws(BackdropError) -> Image
}

extension PhotoPicture {
  /// By default, 8.
  public var bitsPerSample: Int { 8 }
}

/// A picture in memory.
public struct DecodedPicture: PhotoPicture {
  /// The pixels.
  public let image: Image

  /// Makes a picture from an image.
  public init(_ image: Image) { self.image = image }

  /// Pixels in a row.
  public var width: Int { image.width }
  /// Rows.
  public var height: Int { image.height }
  /// The image's colour space.
  public var colorSpace: ColorSpace { image.color.space }

  /// The pixels.
  ///
  /// - Throws: nothing.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    format.map { image.converted(to: $0) } ?? image
  }
}

/// A PNG file as a picture.
public struct PNGPicture: PhotoPicture {
  /// The whole PNG file.
  public let bytes: [UInt8]
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Its colour space, by its chunks.
  public let colorSpace: ColorSpace
  /// Whether samples are 16-bit grey, and stay so when decoded.
  let isDeepGray: Bool
  /// Bits of a sample; 8 also for fewer.
  public let bitsPerSample: Int

  /// Reads the header only.
  ///
  /// - Throws: `badData` if it is not a PNG, `overLimit` for a size beyond `limits`.
  public init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    // PNG specification, sections 5.2 and 11.2.1: the header chunk is the first.
    var reader = ByteReader(bytes)
    guard bytes.count > 33, try reader.data(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] else {
      throw BackdropError(.badData, "this is not a PNG picture", hint: "download or copy the file again")
    }
    try reader.skip(8)
    let (width, height) = (try reader.uint32(), try reader.uint32())
    try limits.check(width: width, height: height)
    let (depth, color) = (try reader.uint8(), try reader.uint8())
    let isTransparent = Self.hasTransparentColor(bytes)
    isDeepGray = depth == 16 && color == 0 && !isTransparent
    bitsPerSample = max(8, depth)
    colorSpace = try PNG.colorSpace(of: bytes)
    (self.bytes, self.width, self.height) = (bytes, width, height)
  }

  /// Whether there is a `tRNS` chunk before the pixels (section 11.3.1.1).
  private static func hasTransparentColor(_ bytes: [UInt8]) -> Bool {
    PNGChunks(bytes).first { $0.name == "tRNS" || $0.name == "IDAT" || !$0.isWhole }?.name == "tRNS"
  }

  /// The pixels; each call decodes them.
  ///
  /// - Throws: the errors of decoding a PNG file.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    var image = try PNG.decode(bytes, mapsTones: true)
    image.orientation = .up
    return format.map { image.converted(to: $0) } ?? image
  }
}
