import BackdropImaging

/// The segments of one JPEG image (ITU-T T.81, annex B), found without decoding it.
struct JPEGStructure: Sendable {
  /// A segment of metadata.
  struct Segment: Sendable, Equatable {
    /// The second byte of its marker.
    var marker: UInt8
    /// From the marker to behind the payload.
    var range: Range<Int>
    /// What is behind the length.
    var payload: Range<Int> { range.lowerBound + 4..<range.upperBound }
  }

  /// From the start marker to behind the end marker.
  private(set) var range: Range<Int>
  /// Everything with a length up to the first scan, in order.
  private(set) var segments: [Segment] = []
  /// Where the first scan's segment begins.
  private(set) var scanStart = 0
  private(set) var width = 0
  private(set) var height = 0
  /// Channels: 1 is grey.
  private(set) var components = 0

  /// Walks over the markers of the image that begins at `range`'s beginning.
  ///
  /// - Throws: `badData` if that is no JPEG, or one that is cut off or damaged; `overLimit` as soon as its size is known
  ///   to be beyond `limits`.
  init(_ bytes: [UInt8], in range: Range<Int>? = nil, limits: ImageLimits = .standard) throws(BackdropError) {
    var reader = ByteReader(bytes, in: range)
    self.range = reader.range
    guard reader.left >= 4, try reader.uint16() == 0xFFD8 else {
      throw BackdropError(.badData, "this is not a JPEG picture", hint: "download or copy the file again")
    }
    let early = BackdropError(.badData, "the JPEG ends early", hint: "download or copy the file again")
    var hasScan = false
    while true {
      guard let at = Self.marker(bytes, from: reader.position, to: reader.range.upperBound) else { throw early }
      let marker = bytes[at + 1]
      try reader.seek(to: at + 2)
      switch marker {
      case 0xD9:
        guard hasScan && width > 0 else { throw BackdropError(.badData, "the JPEG holds no picture") }
        self.range = self.range.lowerBound..<at + 2
        return
      case 0x01, 0xD0...0xD8: continue
      default: break
      }
      guard reader.left >= 2 else { throw early }
      let length = try reader.uint16()
      guard length >= 2 else {
        throw BackdropError(
          .badData, "the JPEG is damaged (a segment of \(length) bytes)", hint: "download or copy the file again")
      }
      guard reader.left >= length - 2 else { throw early }
      var payload = try reader.part(length - 2)
      if marker == 0xDA {
        if !hasScan { scanStart = at }
        hasScan = true
      } else if !hasScan {
        segments.append(Segment(marker: marker, range: at..<at + 2 + length))
      }
      guard (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), width == 0 else { continue }
      try payload.skip(1)
      height = try payload.uint16()
      width = try payload.uint16()
      components = try payload.uint8()
      try limits.check(width: width, height: height)
    }
  }

  /// The next marker: 0xFF and neither 0 nor 0xFF. Inside of a scan this passes over the coded data.
  private static func marker(_ bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    bytes.withUnsafeBufferPointer { buffer in
      var at = start
      while at + 1 < end {
        if buffer[at] == 0xFF && buffer[at + 1] != 0 && buffer[at + 1] != 0xFF { return at }
        at += 1
      }
      return nil
    }
  }

  /// Where the payloads of segments begin that start with a mark, the mark left out.
  func payloads(_ marker: UInt8, mark: StaticString, in bytes: [UInt8]) -> [Range<Int>] {
    segments.compactMap { $0.isMarked(marker, mark, bytes) ? $0.payload.dropFirst(mark.utf8CodeUnitCount) : nil }
  }
}

extension JPEGStructure.Segment {
  /// Whether it is of this kind: `marker`, and a payload that begins with `mark`.
  func isMarked(_ marker: UInt8, _ mark: StaticString, _ bytes: [UInt8]) -> Bool {
    guard self.marker == marker, payload.count >= mark.utf8CodeUnitCount else { return false }
    return (0..<mark.utf8CodeUnitCount).allSatisfy { bytes[payload.lowerBound + $0] == mark.utf8Start[$0] }
  }

  static let exifMark: StaticString = "Exif\0\0"
  /// JFIF 1.02, annex B.
  static let jfifMark: StaticString = "JFIF\0"
  /// XMP, part 3 (Storage in Files), section 1.1.3.
  static let xmpMark: StaticString = "http://ns.adobe.com/xap/1.0/\0"
  /// XMP, part 3, section 1.1.3.1.
  static let extendedXMPMark: StaticString = "http://ns.adobe.com/xmp/extension/\0"
  /// Adobe Photoshop File Formats Specification, "Image Resources Section"; longer ones go on in the next such segment.
  static let photoshopMark: StaticString = "Photoshop 3.0\0"
  /// ISO 21496-1, annex C.
  static let gainMapMark: StaticString = "urn:iso:std:iso:ts:21496:-1\0"
  /// CIPA DC-007, section 5.1.
  static let mpfMark: StaticString = "MPF\0"
  /// ICC.1, annex B.4.
  static let iccMark: StaticString = "ICC_PROFILE\0"
}
