import BackdropImaging

/// What the markers of a JPEG file say (ITU-T T.81, annex B), read without decoding the picture.
struct JPEGStructure {
  var width = 0
  var height = 0
  /// Bits in a sample.
  var precision = 8
  /// Whether Adobe's marker is there; its CMYK files store inverted ink.
  var hasAdobeMarker = false
  var orientation = Orientation.up

  /// Walks over all markers, up to the end of the picture.
  ///
  /// - Throws: `overLimit` as soon as the size is known; `badData` if the file is no JPEG, a segment is cut off, or the end
  ///   marker or the frame header is missing.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(BackdropError) {
    guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else {
      throw BackdropError(.badData, "not a JPEG picture", hint: "give a .png or .jpg file")
    }
    let early = BackdropError(.badData, "the JPEG ends early", hint: "fetch or copy the file again")
    var position = 2
    var hasFrame = false
    var hasScan = false
    while true {
      // Decoders skip whatever lies between segments; inside a scan this skips the coded data.
      guard let marker = Self.nextMarker(in: bytes, at: &position) else { throw early }
      switch marker {
      case 0xD9:
        guard hasFrame && hasScan else { throw BackdropError(.badData, "the JPEG holds no picture") }
        return
      case 0x01, 0xD0...0xD8: continue
      default: break
      }
      guard position + 2 <= bytes.count else { throw early }
      let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
      guard length >= 2 else {
        throw BackdropError(
          .badData, "the JPEG is damaged (a segment of \(length) bytes)", hint: "fetch or copy the file again")
      }
      guard position + length <= bytes.count else { throw early }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[position + 2..<position + length])
      position += length
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard payload.count >= 5 else {
          throw BackdropError(
            .badData, "the JPEG is damaged (short frame header)", hint: "fetch or copy the file again")
        }
        guard !hasFrame else {
          throw BackdropError(.badData, "the JPEG is damaged (two frame headers)", hint: "fetch or copy the file again")
        }
        hasFrame = true
        precision = Int(payload[0])
        height = Int(payload[1]) << 8 | Int(payload[2])
        width = Int(payload[3]) << 8 | Int(payload[4])
        try limits.check(width: width, height: height)
      case 0xDA: hasScan = true
      case 0xE1:
        // The first EXIF segment counts, as the EXIF standard allows only one.
        if orientation == .up, let found = EXIF.orientation(inSegment: payload) { orientation = found }
      case 0xEE:
        if payload.count >= 12 && payload.prefix(5).elementsEqual("Adobe".utf8) { hasAdobeMarker = true }
      default: break
      }
    }
  }

  /// The code of the next marker, `position` moved behind it; `nil` at the end of the data.
  private static func nextMarker(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt8? {
    while position + 1 < bytes.count {
      if bytes[position] == 0xFF && bytes[position + 1] != 0 && bytes[position + 1] != 0xFF {
        position += 2
        return bytes[position - 1]
      }
      position += 1
    }
    return nil
  }
}
