import BackdropImaging

/// The segments of one JPEG image (ITU-T T.81, annex B), found without decoding it.
package struct JPEGStructure: Sendable {
  package struct Segment: Sendable, Equatable {
    /// The second byte of its marker.
    package var marker: UInt8
    /// From the marker to the end of the payload.
    package var range: Range<Int>
    /// The part after the length.
    package var payload: Range<Int> { range.lowerBound + 4..<range.upperBound }
  }

  /// From the start marker to the end of the end marker.
  package private(set) var range: Range<Int>
  /// All segments with a length before the first scan, in order.
  package private(set) var segments: [Segment] = []
  /// The start of the first scan's segment.
  package private(set) var scanStart = 0
  package private(set) var width = 0
  package private(set) var height = 0
  /// Channels: 1 is grey.
  package private(set) var components = 0
  /// Bits in a sample.
  package private(set) var precision = 8

  /// Parses the markers of the image at the start of `range`.
  package init(_ bytes: [UInt8], in range: Range<Int>? = nil, limits: ImageLimits = .standard) throws(BackdropError) {
    self = try bytes.span.withUnsafeBytes { buffer throws(BackdropError) in
      try JPEGStructure(buffer, in: range, limits: limits)
    }
  }

  /// Parses the markers of the image at the start of `range`.
  ///
  /// - Throws: `badData` if it is not a JPEG, or truncated or damaged; `overLimit` as soon as its size exceeds `limits`, or there are more
  ///   scans than ``JPEGScans`` allows.
  init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>? = nil, limits: ImageLimits) throws(BackdropError) {
    self.range = (range ?? bytes.indices).clamped(to: bytes.indices)
    let file = UnsafeRawBufferPointer(rebasing: bytes[..<self.range.upperBound])
    guard file.dropFirst(self.range.lowerBound).starts(with: [0xFF, 0xD8]) else {
      throw BackdropError(.badData, "this is not a JPEG picture", hint: "give a \(PictureFormat.fileExtensions) file")
    }
    var position = self.range.lowerBound + 2
    var scans = JPEGScans()
    // Decoders skip any data between segments; inside a scan this skips the coded data.
    while let marker = JPEGScans.nextMarker(in: file, at: &position) {
      switch marker {
      case 0xD9:
        guard width > 0 && scans.count > 0 else { throw BackdropError(.badData, "the JPEG holds no picture") }
        self.range = self.range.lowerBound..<position
        return
      case 0x01, 0xD0...0xD8: continue
      default: break
      }
      guard position + 2 <= file.count else { throw Self.early }
      let length = Int(file[position]) << 8 | Int(file[position + 1])
      guard length >= 2 else { throw Self.damaged("a segment of \(length) bytes") }
      guard position + length <= file.count else { throw Self.early }
      let segment = Segment(marker: marker, range: position - 2..<position + length)
      position += length
      if marker == 0xDA {
        if scans.count == 0 { scanStart = segment.range.lowerBound }
        try scans.noteScan()
      } else if scans.count == 0 {
        segments.append(segment)
      }
      guard JPEGScans.isFrame(marker) else { continue }
      try readFrame(file[segment.payload], limits)
      try scans.note(width: width, height: height)
    }
    throw Self.early
  }

  private mutating func readFrame(
    _ payload: Slice<UnsafeRawBufferPointer>, _ limits: ImageLimits
  ) throws(BackdropError) {
    let header = UnsafeRawBufferPointer(rebasing: payload)
    guard header.count >= 6 else { throw Self.damaged("short frame header") }
    guard components == 0 else { throw Self.damaged("two frame headers") }
    precision = Int(header[0])
    height = Int(header[1]) << 8 | Int(header[2])
    width = Int(header[3]) << 8 | Int(header[4])
    components = Int(header[5])
    guard components > 0 else { throw Self.damaged("no channels") }
    try limits.check(width: width, height: height)
  }

  private static let early = BackdropError(damaged: "the JPEG ends early")

  private static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the JPEG is damaged (\(what))")
  }

  // MARK: - Metadata

  /// The payload ranges of segments with a mark, after the mark.
  package func payloads<Bytes: Collection>(
    _ marker: UInt8, mark: [UInt8], in bytes: Bytes
  ) -> [Range<Int>] where Bytes.Element == UInt8, Bytes.Index == Int {
    segments.compactMap { $0.isMarked(marker, mark, bytes) ? $0.payload.dropFirst(mark.count) : nil }
  }

  /// The ICC profile, assembled from numbered parts if it exceeds one segment (ICC.1, annex B.4).
  package func profile<Bytes: Collection>(
    in bytes: Bytes
  ) -> [UInt8]? where Bytes.Element == UInt8, Bytes.Index == Int {
    let pieces = payloads(0xE2, mark: Segment.iccMark, in: bytes).filter { $0.count > 2 }
    guard !pieces.isEmpty else { return nil }
    return pieces.sorted { bytes[$0.lowerBound] < bytes[$1.lowerBound] }.flatMap { Array(bytes[$0.dropFirst(2)]) }
  }

  /// The colour space of the decoded picture by its profile; `nil` without one, and for inks, which decoding converts to sRGB.
  package func colorSpace<Bytes: Collection>(
    in bytes: Bytes
  ) -> ColorSpace? where Bytes.Element == UInt8, Bytes.Index == Int {
    guard components != 4 else { return nil }
    return profile(in: bytes).map { ColorSpace(icc: $0, forGray: components == 1) }
  }

  /// The segments for an ICC profile.
  ///
  /// - Throws: `overLimit` for a profile that is too long.
  static func segments(ofProfile profile: [UInt8]) throws(BackdropError) -> [UInt8] {
    let mark = Segment.iccMark
    let size = 65_533 - mark.count - 2
    let count = (profile.count + size - 1) / size
    guard count <= 255 else {
      throw BackdropError(.overLimit, "a colour profile of \(profile.count) bytes does not fit in a JPEG file")
    }
    var result: [UInt8] = []
    for number in 0..<count {
      let piece = profile[number * size..<min((number + 1) * size, profile.count)]
      let length = mark.count + 2 + piece.count + 2
      result += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + mark
      result += [UInt8(number + 1), UInt8(count)] + piece
    }
    return result
  }
}

extension JPEGStructure.Segment {
  /// Whether it has this `marker`, and a payload that begins with `mark`.
  package func isMarked<Bytes: Collection>(
    _ marker: UInt8, _ mark: [UInt8], _ bytes: Bytes
  ) -> Bool where Bytes.Element == UInt8, Bytes.Index == Int {
    self.marker == marker && payload.count >= mark.count
      && mark.indices.allSatisfy { bytes[payload.lowerBound + $0] == mark[$0] }
  }

  /// Debian's Swift 6.2.3 merges literals that are equal up to a zero, such as "Exif\0\0" and "Exif".
  package static let exifMark = Array("Exif".utf8) + [0, 0]
  /// JFIF 1.02, annex B.
  package static let jfifMark = Array("JFIF\0".utf8)
  /// XMP, part 3 (Storage in Files), section 1.1.3.
  package static let xmpMark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  /// XMP, part 3, section 1.1.3.1.
  package static let extendedXMPMark = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  /// Adobe Photoshop File Formats Specification, "Image Resources Section"; longer ones continue in the next such segment.
  package static let photoshopMark = Array("Photoshop 3.0\0".utf8)
  /// ISO 21496-1, annex C.
  package static let gainMapMark = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  /// CIPA DC-007, section 5.1.
  package static let mpfMark = Array("MPF\0".utf8)
  /// ICC.1, annex B.4.
  package static let iccMark = Array("ICC_PROFILE\0".utf8)
}

extension StaticString {
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)) }
}
