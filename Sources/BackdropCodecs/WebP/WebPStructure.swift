import BackdropImaging

/// The chunks of a WebP file (WebP Container Specification), read without decoding the picture.
struct WebPStructure {
  /// Size of the whole picture.
  var width = 0, height = 0
  /// The range of the coded picture, including its alpha; the first of an animation.
  var frame = 0..<0
  var frameWidth = 0, frameHeight = 0, frameX = 0, frameY = 0
  /// The number of pictures; more than one in an animation.
  var frameCount = 0
  var profile: Range<Int>?, exif: Range<Int>?, xmp: Range<Int>?

  private static let early = BackdropError(damaged: "the WebP ends early")

  /// Walks over all chunks.
  ///
  /// - Throws: `overLimit` from the header; `badData` if the file is not WebP, or a part is missing.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(BackdropError) {
    guard bytes.count >= 12, Self.name(bytes, 0) == "RIFF", Self.name(bytes, 8) == "WEBP" else {
      throw BackdropError(.badData, "this is not a WebP picture")
    }
    let end = 8 + Self.number(bytes, 4, 4)
    guard end <= bytes.count else { throw Self.early }
    guard end >= 12 else { throw Self.damaged("a length of \(end - 8)") }
    try walk(bytes, 12..<end, limits)
    guard frameCount > 0 else { throw BackdropError(.badData, "the WebP holds no picture") }
    try limits.check(width: width, height: height)
    guard frameX + frameWidth <= width, frameY + frameHeight <= height else {
      throw Self.damaged("the picture lies outside the file")
    }
  }

  /// Bytes of the chunk's name and length.
  private static let head = 8

  private mutating func walk(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ limits: ImageLimits)
    throws(BackdropError)
  {
    var position = range.lowerBound
    var alphaStart: Int?
    while position + Self.head <= range.upperBound {
      let start = position
      let payload = position + Self.head..<position + Self.head + Self.number(bytes, position + 4, 4)
      // Some programs leave out the last padding byte.
      guard payload.upperBound <= range.upperBound else { throw Self.early }
      position = payload.upperBound + payload.count % 2
      switch Self.name(bytes, start) {
      case "VP8X":
        guard payload.count >= 10 else { throw Self.damaged("the header is too short") }
        width = Self.number(bytes, payload.lowerBound + 4, 3) + 1
        height = Self.number(bytes, payload.lowerBound + 7, 3) + 1
        try limits.check(width: width, height: height)
      case "ICCP": profile = profile ?? payload
      case "EXIF": exif = exif ?? payload
      case "XMP ": xmp = xmp ?? payload
      case "ALPH": alphaStart = alphaStart ?? start
      case "VP8 ", "VP8L":
        guard frameCount == 0 else { continue }
        frameCount = 1
        frame = (alphaStart ?? start)..<payload.upperBound
        (frameWidth, frameHeight) = try Self.size(bytes, payload, isLossless: Self.name(bytes, start) == "VP8L")
        if width == 0 { (width, height) = (frameWidth, frameHeight) }
      case "ANMF":
        guard payload.count > 16 else { throw Self.damaged("the picture is too short") }
        frameCount += 1
        guard frameCount == 1 else { continue }
        frameX = 2 * Self.number(bytes, payload.lowerBound, 3)
        frameY = 2 * Self.number(bytes, payload.lowerBound + 3, 3)
        var inner = self
        inner.frameCount = 0
        try inner.walk(bytes, payload.lowerBound + 16..<payload.upperBound, limits)
        guard inner.frameCount == 1 else { throw Self.damaged("the picture has no pixels") }
        (frame, frameWidth, frameHeight) = (inner.frame, inner.frameWidth, inner.frameHeight)
      default: break
      }
    }
  }

  func colorSpace(_ bytes: UnsafeRawBufferPointer) -> ColorSpace {
    profile.map { ColorSpace(icc: Array(bytes[$0]), forGray: false) } ?? .sRGB
  }

  /// The size in the header of coded pixels (RFC 6386, 9.1; WebP Lossless Bitstream Specification, 3).
  private static func size(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isLossless: Bool)
    throws(BackdropError) -> (Int, Int)
  {
    let start = range.lowerBound
    if isLossless {
      guard range.count >= 5 else { throw early }
      guard bytes[start] == 0x2F else { throw damaged("the mark before the pixels is missing") }
      let bits = number(bytes, start + 1, 4)
      return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    guard range.count >= 10 else { throw early }
    guard number(bytes, start + 3, 3) == 0x2A019D else { throw damaged("the mark before the pixels is missing") }
    return (number(bytes, start + 6, 2) & 0x3FFF, number(bytes, start + 8, 2) & 0x3FFF)
  }

  private static func name(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> String {
    String(decoding: bytes[at..<at + 4], as: UTF8.self)
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ size: Int) -> Int {
    (0..<size).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
  }

  static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the WebP is damaged (\(what))")
  }
}
