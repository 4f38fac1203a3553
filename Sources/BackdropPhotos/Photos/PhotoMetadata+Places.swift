import BackdropCodecs
import BackdropImaging

extension PhotoMetadata {
  /// The size limit of a JPEG segment, without the EXIF mark.
  private static let segmentLimit = 65_527

  /// The metadata adapted to a kind of file. A part that these files do not hold separately moves to EXIF, unless
  /// EXIF has such an entry.
  ///
  /// - Returns: the metadata, and the parts left out, one sentence each.
  func fitted(to places: PictureMetadata.Fields) -> (metadata: PhotoMetadata, remarks: [String]) {
    var result = self
    var remarks: [String] = []
    let comment = places.contains(.comments) ? nil : texts.first { $0.keyword == PictureText.comment }
    let movesDensity = density != nil && !places.contains(.density)
    let movesResources = imageResources != nil && !places.contains(.imageResources)
    if movesDensity || movesResources || comment != nil {
      // Replace data that cannot be read, because it cannot be extended.
      var data = exif.flatMap(EXIFData.init(readable:)) ?? EXIFData()
      let before = data
      if movesDensity, let density { data.add(density) }
      if movesResources, let imageResources { data.add(imageResources: imageResources) }
      if let comment, !data.add(comment: comment) {
        remarks.append("Backdrop leaves out a comment, since the EXIF data has one")
      }
      if data != before { result.exif = data.encoded }
    }
    if movesDensity { result.density = nil }
    if movesResources { result.imageResources = nil }
    let comments = texts.filter { $0.keyword == PictureText.comment }
    if !places.contains(.comments) {
      result.texts.removeAll { $0.keyword == PictureText.comment }
      if comments.count > 1 { remarks.append("Backdrop leaves out all comments but the first: \(comments.count - 1)") }
    }
    if !places.contains(.keywords) {
      let others = result.texts.filter { $0.keyword != PictureText.comment }
      result.texts.removeAll { $0.keyword != PictureText.comment }
      if !others.isEmpty {
        remarks.append(
          "Backdrop leaves out texts: \(Set(others.map(\.keyword)).sorted().joined(separator: ", ").excerpt)")
      }
    }
    if extendedXMP != nil && !places.contains(.extendedXMP) {
      result.extendedXMP = nil
      remarks.append("Backdrop leaves out long parts of the XMP metadata")
    }
    if places.contains(.shortEXIF), let exif = result.exif, exif.count > Self.segmentLimit {
      result.exif = EXIFData(readable: exif)?.shortened(to: Self.segmentLimit)
      remarks.append("the EXIF data is too long for a JPEG file; Backdrop leaves out the camera's own notes")
    }
    return (result, remarks)
  }
}

extension EXIFData {
  private enum TextTag {
    static let xResolution = 0x011A
    static let yResolution = 0x011B
    static let resolutionUnit = 0x0128
    static let imageResources = 0x8649
    static let userComment = 0x9286
  }

  /// `nil` for a structure without a header.
  fileprivate init?(readable bytes: [UInt8]) {
    do throws(BackdropError) {
      try self.init(bytes)
    } catch {
      return nil
    }
  }

  /// Sets the print size of the picture, unless it is set already (CIPA DC-008, section 4.6.4).
  fileprivate mutating func add(_ density: PixelDensity) {
    guard main[TextTag.xResolution] == nil, main[TextTag.yResolution] == nil else { return }
    var added = main
    for (tag, value) in [(TextTag.xResolution, density.x), (TextTag.yResolution, density.y)] {
      // Hundredths are finer than in any file.
      let hundredths = (value * 100).rounded()
      guard (1...4e9).contains(hundredths) else { return }
      let isWhole = Int(hundredths) % 100 == 0
      var fraction = ByteWriter(order: order)
      fraction.uint32(Int(hundredths) / (isWhole ? 100 : 1))
      fraction.uint32(isWhole ? 1 : 100)
      added[tag] = EXIFDirectory.Entry(tag: tag, type: 5, value: fraction.bytes)
    }
    // The unit is the inch.
    added[TextTag.resolutionUnit] = EXIFDirectory.Entry(TextTag.resolutionUnit, [2], isLong: false, order)
    main = added
  }

  fileprivate mutating func add(imageResources: [UInt8]) {
    guard main[TextTag.imageResources] == nil else { return }
    // Bytes, as in Adobe's TIFF Technical Notes (2002).
    main[TextTag.imageResources] = EXIFDirectory.Entry(tag: TextTag.imageResources, type: 1, value: imageResources)
  }

  /// Adds a user comment (CIPA DC-008, section 4.6.5): plain, or with the mark of Unicode.
  ///
  /// - Returns: whether there was space: EXIF holds a single comment.
  fileprivate mutating func add(comment: PictureText) -> Bool {
    var exif = self[directory: Tag.exif] ?? EXIFDirectory()
    // Cameras fill an unused comment with spaces.
    if let old = exif[TextTag.userComment], old.value.dropFirst(8).contains(where: { $0 != 0 && $0 != 0x20 }) {
      return false
    }
    var writer = ByteWriter(order: order)
    if comment.bytes.allSatisfy({ $0 < 0x80 }) {
      writer.data(Array("ASCII".utf8) + [0, 0, 0])
      writer.data(comment.bytes)
    } else {
      writer.data(Array("UNICODE".utf8) + [0])
      for unit in comment.text.utf16 { writer.uint16(Int(unit)) }
    }
    exif[TextTag.userComment] = EXIFDirectory.Entry(tag: TextTag.userComment, type: 7, value: writer.bytes)
    self[directory: Tag.exif] = exif
    return true
  }

  /// The structure without the maker note; `nil` if it is still too long.
  fileprivate func shortened(to limit: Int) -> [UInt8]? {
    var copy = self
    copy[directory: Tag.exif]?[Tag.makerNote] = nil
    let bytes = copy.encoded
    return bytes.count <= limit ? bytes : nil
  }
}
