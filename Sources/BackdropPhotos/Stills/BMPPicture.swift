import BackdropCodecs
import BackdropImaging
import CFFmpeg

/// A BMP file as a picture, of any depth, packed by runs or not.
public struct BMPPicture: PhotoPicture {
  /// The whole file.
  public let bytes: [UInt8]
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// What its profile says, of which only headers of version 5 have one.
  public let colorSpace: ColorSpace

  /// Reads the header only.
  ///
  /// - Throws: `badData` for a damaged one, `overLimit` for a size beyond `limits`.
  public init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    // Two headers: of the file (14 bytes) and of the picture, whose length tells its version.
    var reader = ByteReader(bytes, order: .little)
    try reader.skip(10)
    let pixels = try reader.uint32()
    let header = try reader.uint32()
    func signed(_ code: Int) -> Int { Int(Int32(truncatingIfNeeded: code)) }
    if header == 12 {
      (width, height) = (try reader.uint16(), try reader.uint16())
    } else {
      width = signed(try reader.uint32())
      // Below 0 where the first row is the topmost.
      height = abs(signed(try reader.uint32()))
    }
    try limits.check(width: width, height: height)
    guard header >= 12, pixels >= 14 + header else {
      throw BackdropError(.badData, "the BMP is damaged: its header", hint: "fetch or copy the file again")
    }
    colorSpace = try Self.colorSpace(bytes, header: header)
    try Self.checkLength(bytes, header: header, pixels: pixels, width: width, height: height)
    self.bytes = bytes
  }

  /// The profile inside of the file (BITMAPV5HEADER, PROFILE_EMBEDDED).
  private static func colorSpace(_ bytes: [UInt8], header: Int) throws(BackdropError) -> ColorSpace {
    guard header >= 124 else { return .sRGB }
    var reader = ByteReader(bytes, order: .little)
    try reader.seek(to: 14 + 56)
    guard try reader.uint32() == 0x4D42_4544 else { return .sRGB }
    try reader.seek(to: 14 + 112)
    let (start, count) = (14 + (try reader.uint32()), try reader.uint32())
    guard start <= bytes.count, count <= bytes.count - start else {
      throw BackdropError(.badData, "the BMP ends early", hint: "fetch or copy the file again")
    }
    return ColorSpace(icc: Array(bytes[start..<start + count]), forGray: false)
  }

  /// Refuses a file that ends before its rows do; of packed ones that is not known before.
  private static func checkLength(
    _ bytes: [UInt8], header: Int, pixels: Int, width: Int, height: Int
  ) throws(BackdropError) {
    var reader = ByteReader(bytes, order: .little)
    try reader.seek(to: header == 12 ? 24 : 28)
    let bits = try reader.uint16()
    let packing = header == 12 ? 0 : try reader.uint32()
    guard packing == 0 || packing == 3 || packing == 6 else { return }
    guard pixels <= bytes.count, (width * bits + 31) / 32 * 4 * height <= bytes.count - pixels else {
      throw BackdropError(.badData, "the BMP ends early", hint: "fetch or copy the file again")
    }
  }

  /// The pixels, decoded now.
  ///
  /// - Throws: `badData` if they are damaged.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    var image = try StillDecoder.decode(bytes, by: AV_CODEC_ID_BMP, width: width, height: height, title: "BMP")
    if image.format == .rgba8 { image.color.space = colorSpace }
    return format.map { image.converted(to: $0) } ?? image
  }
}

/// BMP pictures.
struct BMPContainer: PhotoContainer {
  var name: String { "bmp" }
  var endings: [String] { ["bmp", "dib"] }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .bmp }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    DepthPhoto(picture: try BMPPicture(bytes, limits: limits), container: self)
  }
}
