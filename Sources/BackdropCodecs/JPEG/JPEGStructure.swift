import BackdropImaging

/// What the markers of a JPEG file say (ITU-T T.81, annex B), read without decoding the picture.
struct JPEGStructure {
  var width = 0
  var height = 0
  /// Whether it has one component.
  var isGray = false
  /// Bits in a sample.
  var precision = 8
  /// Whether Adobe's marker is there; its CMYK files store inverted ink.
  var hasAdobeMarker = false
  var orientation = Orientation.up
  /// The ICC profile, put together from its pieces.
  var profile: [UInt8]? { pieces.isEmpty ? nil : pieces.sorted { $0.number < $1.number }.flatMap { Array($0.bytes) } }
  /// A profile that is too long for one segment comes in numbered pieces (ICC.1, annex B.4).
  private var pieces: [(number: UInt8, bytes: UnsafeRawBufferPointer.SubSequence)] = []
  private static let profileMark = Array("ICC_PROFILE\0".utf8)

  /// Walks over all markers, up to the end of the picture.
  ///
  /// - Throws: `overLimit` as soon as the size is known, or there are more scans than ``JPEGScans`` allows; `badData` if the file is no JPEG, a segment is cut off, or the end
  ///   marker or the frame header is missing.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(BackdropError) {
    guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else {
      throw BackdropError(.badData, "this is not a JPEG picture", hint: "give a \(PictureKind.endings) file")
    }
    let early = BackdropError(.badData, "the JPEG ends early", hint: "download or copy the file again")
    var position = 2
    var hasFrame = false
    var scans = JPEGScans()
    while true {
      // Decoders skip whatever lies between segments; inside a scan this skips the coded data.
      guard let marker = JPEGScans.nextMarker(in: bytes, at: &position) else { throw early }
      switch marker {
      case 0xD9:
        guard hasFrame && scans.count > 0 else { throw BackdropError(.badData, "the JPEG holds no picture") }
        return
      case 0x01, 0xD0...0xD8: continue
      default: break
      }
      guard position + 2 <= bytes.count else { throw early }
      let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
      guard length >= 2 else {
        throw BackdropError(
          .badData, "the JPEG is damaged (a segment of \(length) bytes)", hint: "download or copy the file again")
      }
      guard position + length <= bytes.count else { throw early }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[position + 2..<position + length])
      position += length
      switch marker {
      case _ where JPEGScans.isFrame(marker):
        guard payload.count >= 5 else {
          throw BackdropError(
            .badData, "the JPEG is damaged (short frame header)", hint: "download or copy the file again")
        }
        guard !hasFrame else {
          throw BackdropError(
            .badData, "the JPEG is damaged (two frame headers)", hint: "download or copy the file again")
        }
        hasFrame = true
        precision = Int(payload[0])
        isGray = payload.count > 5 && payload[5] == 1
        height = Int(payload[1]) << 8 | Int(payload[2])
        width = Int(payload[3]) << 8 | Int(payload[4])
        try limits.check(width: width, height: height)
        try scans.note(width: width, height: height)
      case 0xDA: try scans.noteScan()
      case 0xE1:
        // The first EXIF segment counts, as the EXIF standard allows only one.
        if orientation == .up, let found = EXIF.orientation(inSegment: payload) { orientation = found }
      case 0xE2:
        let head = Self.profileMark.count
        if payload.count > head + 2 && payload.prefix(head).elementsEqual(Self.profileMark) && pieces.count < 255 {
          pieces.append((payload[head], payload.dropFirst(head + 2)))
        }
      case 0xEE:
        if payload.count >= 12 && payload.prefix(5).elementsEqual("Adobe".utf8) { hasAdobeMarker = true }
      default: break
      }
    }
  }

  /// The segments that hold an ICC profile.
  ///
  /// - Throws: `overLimit` for one that is too long.
  static func segments(ofProfile profile: [UInt8]) throws(BackdropError) -> [UInt8] {
    let size = 65_533 - profileMark.count - 2
    let count = (profile.count + size - 1) / size
    guard count <= 255 else {
      throw BackdropError(.overLimit, "a colour profile of \(profile.count) bytes does not fit in a JPEG file")
    }
    var result: [UInt8] = []
    for number in 0..<count {
      let piece = profile[number * size..<min((number + 1) * size, profile.count)]
      let length = profileMark.count + 2 + piece.count + 2
      result += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + profileMark
      result += [UInt8(number + 1), UInt8(count)] + piece
    }
    return result
  }
}
