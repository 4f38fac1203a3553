import BackdropCodecs
import BackdropImaging

/// A JPEG file being written: the colour picture with its metadata first, then the rest.
struct JPEGAssembly {
  private typealias Segment = JPEGStructure.Segment

  var bytes: [UInt8] = []
  /// The start of the Multi-Picture index's payload.
  private var index: Int?
  private let primaryEnd: Int

  /// The colour picture of a photo with its segments, additions to its XMP, and an index of the images that follow.
  init(
    _ photo: DepthPhoto, options: PhotoFileOptions, adding properties: [XMPProperty], imageCount: Int
  ) throws(BackdropError) {
    let coded: JPEGPicture
    var isCopied = false
    if let picture = photo.picture as? JPEGPicture {
      (coded, isCopied) = (picture, true)
    } else {
      var image = try photo.picture.decoded(as: nil)
      image.orientation = .up
      coded = try JPEGPicture(JPEG.encode(image, quality: options.quality, subsampling: .half))
    }
    let (structure, file) = (coded.structure, coded.file)
    var metadata = photo.metadata.fitted(to: JPEG.metadataFields).metadata
    metadata.setEXIFOrientation(photo.orientation)
    let old = isCopied ? PhotoMetadata(coded) : PhotoMetadata()
    let xmp = try Self.xmpSegments(metadata, adding: properties, of: coded)
    let replacesResources = metadata.imageResources != old.imageResources
    let replacesComments = metadata.texts != old.texts

    var replaced: [(marker: UInt8, mark: [UInt8])] = [
      (0xE2, Segment.mpfMark), (0xE1, Segment.xmpMark), (0xE1, Segment.extendedXMPMark),
    ]
    if metadata.exif != old.exif { replaced.append((0xE1, Segment.exifMark)) }
    if replacesResources { replaced.append((0xED, Segment.photoshopMark)) }
    if replacesComments { replaced.append((0xFE, [])) }
    let kept = structure.segments.filter { segment in
      !replaced.contains { segment.isMarked($0.marker, $0.mark, file) }
    }
    bytes.reserveCapacity(structure.range.count + 1 << 16)
    bytes += [0xFF, 0xD8]
    // JFIF requires its segment first, EXIF its own next (CIPA DC-008, section 4.5.4).
    let header = kept.prefix { $0.marker == 0xE0 || $0.isMarked(0xE1, Segment.exifMark, file) }
    for segment in header {
      let start = bytes.count
      bytes += file[segment.range]
      // After the marker, the length, the name and the version.
      if metadata.density != old.density, let density = metadata.density?.jfif,
        segment.isMarked(0xE0, Segment.jfifMark, file), segment.payload.count >= 14
      {
        bytes.replaceSubrange(start + 11..<start + 11 + density.count, with: density)
      }
    }
    if metadata.exif != old.exif, let exif = metadata.exif {
      bytes += try Self.segment(0xE1, Segment.exifMark + exif)
    }
    for segment in xmp { bytes += segment }
    if imageCount > 0 {
      index = bytes.count + 4
      bytes += try Self.segment(0xE2, MPFIndex.payload(count: imageCount + 1))
    }
    for segment in kept.dropFirst(header.count) { bytes += file[segment.range] }
    if replacesResources, let resources = metadata.imageResources {
      for start in stride(from: 0, to: resources.count, by: Self.resourcesPiece) {
        let piece = resources[start..<min(start + Self.resourcesPiece, resources.count)]
        bytes += try Self.segment(0xED, Segment.photoshopMark + piece)
      }
    }
    if replacesComments { for comment in metadata.texts { bytes += try Self.segment(0xFE, comment.bytes) } }
    bytes += file[structure.scanStart..<structure.range.upperBound]
    primaryEnd = bytes.count
  }

  /// The maximum number of bytes of image resources per segment.
  private static let resourcesPiece = 65_500

  /// Appends the announced number of images, and lists them in the index.
  mutating func append(_ images: [(attribute: Int, bytes: [UInt8])]) throws(BackdropError) {
    guard let index else { return }
    var entries = [(attribute: MPFIndex.primary, range: 0..<primaryEnd)]
    for image in images {
      entries.append((image.attribute, bytes.count..<bytes.count + image.bytes.count))
      bytes += image.bytes
    }
    try MPFIndex.fill(&bytes, payloadAt: index, with: entries)
  }

  /// The segments for the picture's XMP: the packet, without depth in Google's forms, with the additions, and its
  /// extension.
  private static func xmpSegments(
    _ metadata: PhotoMetadata, adding properties: [XMPProperty], of coded: JPEGPicture
  ) throws(BackdropError) -> [[UInt8]] {
    if let extended = metadata.extendedXMP {
      let (link, segments) = try ExtendedXMP.segments(extended)
      var copy = metadata
      copy.extendedXMP = nil
      return try xmpSegments(copy, adding: properties + [link], of: coded) + segments
    }
    guard let packet = metadata.xmp else {
      return properties.isEmpty ? [] : [try xmpSegment(Array(XMPPrinter.packet(properties).utf8))]
    }
    let old = coded.structure.segments.filter {
      $0.isMarked(0xE1, Segment.extendedXMPMark, coded.file)
    }.map { Array(coded.file[$0.range]) }
    guard GoogleNamespace.isMentioned(in: packet[...]) || !properties.isEmpty else {
      return [try xmpSegment(packet)] + old
    }

    var editor = XMPEditor(packet)
    var rests = old
    var properties = properties
    if let identifier = ExtendedXMP.identifier(in: try XMPPacket(packet)), !old.isEmpty {
      var rest = XMPEditor(try ExtendedXMP.assemble(identifier, of: coded.structure, in: coded.file))
      let before = rest.packet.count
      let left = try rest.remove { GoogleNamespace.describesDepth($0.name) }.left
      if rest.packet.count != before {
        try editor.remove { $0.name == ExtendedXMP.identifierName }
        rests = []
        if left > 0 {
          let renamed = try ExtendedXMP.segments(rest.packet)
          rests = renamed.segments
          properties.append(renamed.link)
        }
      }
    }
    try editor.remove { GoogleNamespace.describesDepth($0.name) }
    try editor.add(properties)
    return [try xmpSegment(editor.packet)] + rests
  }

  // MARK: - Segments

  /// One segment.
  static func segment(_ marker: UInt8, _ payload: [UInt8]) throws(BackdropError) -> [UInt8] {
    guard payload.count <= 65_533 else {
      throw BackdropError(
        .overLimit, "\(payload.count) bytes of metadata do not fit in a JPEG file", hint: "write a HEIC photo instead")
    }
    var writer = ByteWriter()
    writer.uint8(0xFF)
    writer.uint8(Int(marker))
    writer.uint16(payload.count + 2)
    writer.data(payload)
    return writer.bytes
  }

  static func xmpSegment(_ packet: [UInt8]) throws(BackdropError) -> [UInt8] {
    try segment(0xE1, Segment.xmpMark + packet)
  }
}
