import BackdropImaging

/// The sample formats of an `.oni` file: OpenNI2's pixel formats (OniCEnums.h), OpenNI 1's, and the four letters of
/// codecs (XnCodecIDs.h).
enum OniFormat {
  static let millimetres = 100, tenths = 101, rgb = 200, uyvy = 201, gray8 = 202, mjpeg = 204, yuyv = 205

  static let none: UInt32 = 0
  static let plain = letters("NONE"), jpeg = letters("JPEG"), packed = letters("16zP"),
    packedWithTable = letters("16zT")

  static let colorCodecs: Set = [none, plain, jpeg]
  static let depthCodecs: Set = [none, plain, packed, packedWithTable]

  private static func letters(_ text: StaticString) -> UInt32 {
    text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// The pixel format of a stream, in OpenNI2's numbers.
  static func of(_ node: OniFile.Node, isDepth: Bool) throws(BackdropError) -> Int {
    if let format = node.integer("oniPixelFormat") { return format }
    // OpenNI 1 stores depth in millimetres, and numbers its formats differently.
    if isDepth { return millimetres }
    switch node.integer("xnPixelFormat") {
    case nil, 1: return rgb
    case 2: return uyvy
    case 3: return gray8
    case 5: return mjpeg
    case let other?:
      throw BackdropError(
        .unsupported, "Backdrop does not read colour in OpenNI's format \(other)",
        hint: "record with RGB or YUV pictures")
    }
  }

  static func unknown(_ codec: UInt32, _ word: String) -> BackdropError {
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: codec >> (8 * $0)) }
    let isText = letters.allSatisfy { (0x20..<0x7F).contains($0) }
    let name = isText ? String(decoding: letters, as: UTF8.self) : "\(codec)"
    return BackdropError(
      .unsupported, "Backdrop does not read \(word) compressed as '\(name)'",
      hint: "it reads NONE, JPEG, 16zP and 16zT; record again")
  }

  /// An uncompressed picture.
  static func image(_ bytes: [UInt8], _ stream: OniRecording.Stream) throws(BackdropError) -> Image {
    let formats: [Int: PixelFormat] = [rgb: .rgb8, gray8: .gray8, uyvy: .yuyv, yuyv: .yuyv]
    guard let format = formats[stream.format] else {
      throw BackdropError(
        .unsupported, "Backdrop does not read colour in OpenNI2's format \(stream.format)",
        hint: "record with RGB or YUV pictures")
    }
    var bytes = bytes
    if stream.format == uyvy {
      for index in stride(from: 0, to: bytes.count - 1, by: 2) { bytes.swapAt(index, index + 1) }
    }
    return try Image(format, width: stream.width, height: stream.height, packed: bytes.span, color: .jpeg)
  }
}
