import BackdropImaging

extension DepthPhoto {
  /// Reads a JPEG photo: Apple's form (further JPEG images, listed in a Multi-Picture index, each with XMP), Google's
  /// GDepth (text in the XMP) and Dynamic Depth (files behind the picture), or a picture alone.
  static func readJPEG(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try JPEGPicture(bytes, limits: limits)
    var photo = DepthPhoto(picture: picture, metadata: PhotoMetadata(picture), container: .jpeg)
    photo.orientation = photo.metadata.exifOrientation ?? .up

    if let index = picture.structure.payloads(0xE2, mark: JPEGStructure.Segment.mpfMark, in: bytes).first {
      for entry in try MPFIndex(bytes, in: index).entries.dropFirst() {
        photo.auxiliaries.append(try auxiliary(entry, in: bytes, limits: limits))
      }
    }
    // Other packets are kept unread: what is wrong with them is no matter of depth.
    guard let xmp = photo.metadata.xmp, GoogleNamespace.isMentioned(in: xmp) else { return photo }
    let packet = try XMPPacket(xmp)
    // A file that is depth by two accounts is taken by the first.
    let google = try DynamicDepth.read(packet, bytes, primaryEnd: picture.structure.range.upperBound, limits: limits)
    for found in google.auxiliaries where photo.auxiliary(found.kind) == nil { photo.auxiliaries.append(found) }
    photo.original = google.original
    guard packet.uses(GoogleNamespace.depth) || packet.uses(GoogleNamespace.image) else { return photo }
    var extended: XMPPacket?
    if let identifier = ExtendedXMP.identifier(in: packet) {
      extended = try XMPPacket(ExtendedXMP.assemble(identifier, of: picture.structure, in: bytes))
    }
    let older = try GDepth.read(packet, extended: extended, limits: limits)
    if let depth = older.depth, photo.auxiliary(.depth) == nil { photo.auxiliaries.append(depth) }
    photo.original = photo.original ?? older.original
    return photo
  }

  /// One of the further images of a file.
  private static func auxiliary(
    _ entry: MPFIndex.Entry, in bytes: [UInt8], limits: ImageLimits
  ) throws(BackdropError) -> AuxiliaryImage {
    let picture = try JPEGPicture(bytes, in: entry.range, limits: limits)
    let xmp = picture.structure.payloads(0xE1, mark: JPEGStructure.Segment.xmpMark, in: bytes).first.map {
      Array(bytes[$0])
    }
    let description = try xmp.map { xmp throws(BackdropError) in try AuxiliaryXMP(xmp) }
    return AuxiliaryImage(
      description?.kind ?? .other("mpf:\(String(entry.type, radix: 16))"), picture, depth: description?.depth, xmp: xmp)
  }
}

extension PhotoMetadata {
  /// The metadata in the segments of a JPEG image.
  init(_ picture: JPEGPicture) {
    let (structure, bytes) = (picture.structure, picture.file)
    self.init()
    exif = structure.payloads(0xE1, mark: JPEGStructure.Segment.exifMark, in: bytes).first.map { Array(bytes[$0]) }
    xmp = structure.payloads(0xE1, mark: JPEGStructure.Segment.xmpMark, in: bytes).first.map { Array(bytes[$0]) }
    // A profile that is too long for one segment comes in numbered pieces (ICC.1, annex B.4).
    let pieces = structure.payloads(0xE2, mark: JPEGStructure.Segment.iccMark, in: bytes).filter { $0.count > 2 }
    let ordered = pieces.sorted { bytes[$0.lowerBound] < bytes[$1.lowerBound] }
    if !ordered.isEmpty { icc = ordered.flatMap { bytes[$0.dropFirst(2)] } }
  }
}

extension XMPPacket {
  /// Whether there is any property of a namespace.
  func uses(_ namespace: String) -> Bool { properties.keys.contains { $0.namespace == namespace } }
}
