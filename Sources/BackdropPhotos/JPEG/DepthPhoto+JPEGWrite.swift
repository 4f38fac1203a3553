import BackdropCodecs
import BackdropImaging

extension DepthPhoto {
  /// The photo as a JPEG file.
  ///
  /// Copies a colour picture from a JPEG file bit by bit, with all segments except those it replaces: the Multi-Picture index, and XMP or
  /// EXIF if ``metadata`` has others. Also copies auxiliary images from JPEG files, and any data after them, such as a short video. Encodes
  /// everything else. Apple's form rounds depth of more than 8 bits, and has no confidence, which becomes an additional image
  /// (``AuxiliaryKind/confidenceURN``).
  /// - Throws: errors of decoding and encoding; `overLimit` for metadata that does not fit into a JPEG file; `unsupported` for depth that
  ///   ``PhotoFileOptions/Form/dynamicDepth`` cannot express.
  public func jpeg(_ options: PhotoFileOptions = PhotoFileOptions()) throws(BackdropError) -> [UInt8] {
    guard !hasStereoDepth else { return try settled().jpeg(options) }
    var items: [DynamicDepth.Item] = []
    var properties: [XMPProperty] = []
    var listed = auxiliaries
    if options.form == .dynamicDepth {
      listed.removeAll { $0.kind == .depth || $0.kind == .matte(.portrait) }
      (items, properties) = try DynamicDepth.items(of: self)
    }
    if let depth = listed.first(where: { $0.kind == .depth }), let image = try depth.confidenceImage() {
      listed.append(image)
    }
    let others = try listed.map { image throws(BackdropError) in
      (attribute: image.kind.mpfType ?? 0, bytes: try image.jpeg(options, among: listed.count + 1))
    }

    var file = try JPEGAssembly(self, options: options, adding: properties, imageCount: others.count)
    for item in items { file.bytes += item.bytes }
    try file.append(others)
    if let coded = picture as? JPEGPicture, let trailer = coded.trailer { file.bytes += coded.file[trailer] }
    return file.bytes
  }
}

extension AuxiliaryKind {
  /// The type in a JPEG file's index (CIPA DC-007, section 5.2.3.3.1) of an image that nothing else describes; iOS writes none.
  var mpfType: Int? {
    guard case .other(let name) = self, name.hasPrefix("mpf:") else { return nil }
    return Int(name.dropFirst(4), radix: 16) ?? 0
  }
}

extension AuxiliaryImage {
  /// The image as a JPEG image with XMP, one of `count` in a file.
  fileprivate func jpeg(_ options: PhotoFileOptions, among count: Int) throws(BackdropError) -> [UInt8] {
    if let coded = picture as? JPEGPicture, coded.xmp == xmp, try isNamed { return coded.bytes }
    // Only other kinds may have colours.
    var image = if case .other = kind { try picture.decoded(as: nil) } else { try samples() }
    var description = depth
    if let depth, kind == .depth, image.format != .gray8 || depth.measure == .opticRay {
      let reduced = try PhotoDepth(samples: image, properties: depth).stored(as: .uint8)
      (image, description) = (reduced.samples, reduced.properties)
    }
    if let range = description, let first = range.first, let last = range.last, first > last {
      // Apple's names for the ends are minimum and maximum.
      image = image.inverted(over: range.codes)
      description?.first = last
      description?.last = first
    }
    // Do not keep a packet that describes other samples.
    var packet = description == depth ? xmp : nil
    if kind.mpfType == nil {
      packet =
        try packet.map { packet throws(BackdropError) in try AuxiliaryXMP.naming(kind, description, in: packet) }
        ?? AuxiliaryXMP(kind: kind, depth: description).packet
    }
    image.orientation = .up
    let quality =
      switch kind {
      case .depth, .matte: options.auxiliaryQuality
      case .gainMap, .other: options.quality
      }
    let coded = try JPEG.encode(image, quality: quality)
    var segments: [[UInt8]] = []
    if let packet { segments.append(try JPEGAssembly.xmpSegment(packet)) }
    segments.append(try JPEGAssembly.segment(0xE2, MPFIndex.individualPayload(count: count)))
    return Array(coded[..<2]) + segments.joined() + coded[2...]
  }

  /// Whether its packet names its purpose, or needs no name.
  private var isNamed: Bool {
    get throws(BackdropError) {
      if kind.mpfType != nil { return true }
      guard let xmp else { return false }
      return try AuxiliaryXMP(xmp).kind == kind
    }
  }

  fileprivate func confidenceImage() throws(BackdropError) -> AuxiliaryImage? {
    guard let confidence else { return nil }
    let kind = AuxiliaryKind.other(AuxiliaryKind.confidenceURN)
    if let coded = confidence as? JPEGPicture { return AuxiliaryImage(kind, coded, xmp: coded.xmp) }
    let samples = try AuxiliaryImage(kind, confidence).samples().converted(to: .gray8)
    return AuxiliaryImage(kind, DecodedPicture(samples))
  }
}
