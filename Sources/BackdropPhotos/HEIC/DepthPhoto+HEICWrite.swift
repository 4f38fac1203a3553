import BackdropImaging

extension DepthPhoto {
  /// The photo as a HEIC file.
  ///
  /// Does not re-encode a colour picture from a HEIC file: it keeps its bytes and all parts of the file that this library does not
  /// understand, and replaces only the differences. Copies auxiliary pictures from HEIC files as well. Encodes everything else: mattes and
  /// 8-bit depth losslessly. Deeper depth has up to 12 bits, the encoder's maximum, so codes up to 4095 survive and others are rounded to
  /// 1/4095 of their range. A depth's confidence becomes a separate picture (``AuxiliaryKind/confidenceURN``). Leaves out the picture
  /// before the camera's blur and the previews of a JPEG file, which a HEIC file cannot hold.
  /// - Throws: errors of decoding; `unsupported` if a required encoder is missing.
  public func heic(_ options: HEICPhotoOptions = HEICPhotoOptions()) throws(BackdropError) -> [UInt8] {
    guard [8, 10, 12].contains(options.deepDepthBits) else {
      throw BackdropError(
        .wrongArgument, "depth in a HEIC file can have 8, 10 or 12 bits, not \(options.deepDepthBits)")
    }
    guard !hasStereoDepth else { return try settled().heic(options) }
    if let own = picture as? HEICItemPicture, own.turn == .up, own.item.id == own.file.primary.id {
      return try changed(own, options).encoded()
    }
    return try fresh(options).encoded()
  }

  private func fresh(_ options: HEICPhotoOptions) throws(BackdropError) -> HEICDraft {
    var draft = HEICDraft()
    var settings = HEICDraft.PictureOptions(
      quality: options.quality, orientation: orientation, threads: options.threads)
    // Most JPEG pictures are already 4:2:0, so this avoids a conversion to RGB.
    let image = try picture.decoded(as: picture is JPEGPicture ? .i420 : nil)
    try draft.setPrimary(image, settings)
    if let alpha = image.alphaPlane() {
      settings.quality = .lossless
      try draft.addAuxiliary(HEVCSource(Image(gray: alpha)), urn: HEICAuxiliary.alphaURNs[0], settings)
    }
    for image in auxiliaries { try add(image, to: &draft, options) }
    var metadata = metadata.fitted(to: []).metadata
    metadata.setEXIFOrientation(orientation)
    try draft.setEXIF(metadata.exif)
    let packet = try metadata.xmp.map { packet throws(BackdropError) in try XMPEditor.withoutDepth(packet) }
    try draft.setXMP(packet, of: draft.primary)
    return draft
  }

  private func changed(_ own: HEICItemPicture, _ options: HEICPhotoOptions) throws(BackdropError) -> HEICDraft {
    let file = own.file
    var draft = try HEICDraft(copying: file)
    let before = try DepthPhoto(file)
    draft.turn(from: before.orientation, to: orientation)

    var kept: Set<Int> = []
    for image in auxiliaries {
      guard let picture = image.picture as? HEICItemPicture, picture.source === own.source, picture.turn == .up,
        kept.insert(picture.item.id).inserted
      else { continue }
      if try file.xmp(of: picture.item) != image.xmp {
        try draft.setXMP(image.xmp ?? image.packet, of: picture.item.id)
      }
    }
    // Keep auxiliary pictures that could not be read.
    let known = Set(before.auxiliaries.compactMap { ($0.picture as? HEICItemPicture)?.item.id })
    for id in known.subtracting(kept).sorted() { draft.remove(id) }
    for old in before.auxiliaries {
      guard let sure = old.confidence as? HEICItemPicture else { continue }
      let stays = auxiliaries.contains { image in
        guard let picture = image.picture as? HEICItemPicture, kept.contains(picture.item.id) else { return false }
        return (image.confidence as? HEICItemPicture)?.item.id == sure.item.id
      }
      if !stays { draft.remove(sure.item.id) }
    }
    for image in auxiliaries {
      let picture = image.picture as? HEICItemPicture
      if let picture, picture.source === own.source, kept.contains(picture.item.id) { continue }
      try add(image, to: &draft, options)
    }

    var metadata = metadata
    if orientation != before.orientation { metadata.setEXIFOrientation(orientation) }
    if metadata.exif != before.metadata.exif { try draft.setEXIF(metadata.exif) }
    if metadata.xmp != before.metadata.xmp { try draft.setXMP(metadata.xmp, of: draft.primary) }
    return draft
  }

  private func add(
    _ image: AuxiliaryImage, to draft: inout HEICDraft, _ options: HEICPhotoOptions
  ) throws(BackdropError) {
    var settings = HEICDraft.PictureOptions(quality: .lossless, orientation: orientation, threads: options.threads)
    if image.kind == .depth, let confidence = image.confidence {
      let samples = try AuxiliaryImage(.other(AuxiliaryKind.confidenceURN), confidence).samples()
      try draft.addAuxiliary(HEVCSource(gray: samples), urn: AuxiliaryKind.confidenceURN, settings)
    }
    if let picture = image.picture as? HEICItemPicture, picture.turn == .up {
      let hasSameText = try picture.file.xmp(of: picture.item) == image.xmp
      let id = try draft.addCopy(of: picture.item, from: picture.file, describing: hasSameText)
      if let index = draft.index(of: id) { draft.turn(at: index, picture.geometry.turned(orientation)) }
      if !hasSameText { try draft.setXMP(image.xmp ?? image.packet, of: id) }
      return
    }
    let id: Int
    var packet = image.xmp ?? image.packet
    switch image.kind {
    case .depth:
      let depth = try image.storedInHEIC(deepBits: options.deepDepthBits)
      let subtype = depth.properties.flatMap { DepthRepresentation($0)?.subtype } ?? []
      id = try draft.addAuxiliary(depth.samples, urn: image.kind.urn, subtype: subtype, settings)
      // Do not keep a packet that describes other samples.
      if depth.properties != image.depth { packet = AuxiliaryXMP(kind: .depth, depth: depth.properties).packet }
    case .other where image.kind.mpfType != nil: return
    case .other(let name):
      // Unknown pictures may be in colour.
      id = try draft.addAuxiliary(HEVCSource(image.picture.decoded(as: nil)), urn: name, settings)
    case .gainMap, .matte:
      if image.kind == .gainMap { settings.quality = options.gainMapQuality }
      id = try draft.addAuxiliary(HEVCSource(gray: image.samples()), urn: image.kind.urn, settings)
    }
    try draft.setXMP(packet, of: id)
  }
}

extension AuxiliaryImage {
  /// A new packet for an image without one.
  fileprivate var packet: [UInt8] { AuxiliaryXMP(kind: kind, depth: depth).packet }

  /// Depth as integers for the encoder; a greater code means a greater value.
  fileprivate func storedInHEIC(
    deepBits: Int
  ) throws(BackdropError) -> (samples: HEVCSource, properties: DepthProperties?) {
    var image = try samples()
    guard var properties = depth else {
      // The meaning of the numbers is unknown here, but another program may know it.
      return (HEVCSource(gray: image), nil)
    }
    // HEIC files hold depth along the optical axis.
    if image.format == .grayFloat || properties.measure == .opticRay {
      let whole = try PhotoDepth(samples: image, properties: properties).stored(as: .uint16)
      (image, properties) = (whole.samples, whole.properties)
    }
    let line = try properties.line()
    if line.first > line.last {
      image = image.inverted(over: properties.codes)
      (properties.first, properties.last) = (line.last, line.first)
    }
    if image.format == .gray8 {
      properties.sample = .uint8
      return (HEVCSource(gray: image), properties)
    }
    let codes = properties.codes
    let plane: Plane<UInt16> = image.plane(as: UInt16.self)
    if codes.upperBound < 4096 && deepBits == 12 {
      properties.sample = .uint16
      let greatest = UInt16(codes.upperBound)
      let deep = plane.map { min($0, greatest) }
      return (HEVCSource(deep, bitDepth: codes.upperBound < 1024 ? 10 : 12), properties)
    }
    let greatest = 1 << deepBits - 1
    let span = codes.upperBound - codes.lowerBound
    func scaled(_ code: UInt16) -> Int {
      (min(max(Int(code) - codes.lowerBound, 0), span) * greatest * 2 + span) / (2 * span)
    }
    properties.codes = 0...greatest
    properties.sample = deepBits == 8 ? .uint8 : .uint16
    return deepBits == 8
      ? (HEVCSource(Image(gray: plane.map { UInt8(scaled($0)) })), properties)
      : (HEVCSource(plane.map { UInt16(scaled($0)) }, bitDepth: deepBits), properties)
  }
}
