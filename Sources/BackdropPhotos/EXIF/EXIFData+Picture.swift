import BackdropImaging

extension EXIFData {
  fileprivate enum PictureTag {
    /// The positions and formats of samples or coded pictures (of TIFF pictures, thumbnails, raw files), and their colour profile and XMP,
    /// which the result holds outside EXIF.
    static let pixels: Set<Int> = [
      0x0111, 0x0116, 0x0117, 0x0120, 0x0121, 0x013D, 0x0140, 0x0142, 0x0143, 0x0144, 0x0145, Tag.subdirectories,
      0x015B, 0x0200, 0x0201, 0x0202, 0x0207, 0x0208, 0x0209, 0x02BC, 0x8773, 0xC68B, 0xC68C, 0xC716,
    ]
    static let imageResources = 0x8649
    /// Tags of the subject's position.
    static let subject: Set<Int> = [0x9214, 0xA214]
    /// Values that may be long: the user comment, IPTC data, Photoshop's image resources.
    static let texts: Set<Int> = [0x9286, 0x83BB, imageResources]
  }

  /// Adapts the data to a picture that replaces the original one, and removes every part of the old picture.
  ///
  /// - Returns: one sentence for each omitted part that a user may miss.
  mutating func describe(_ change: PictureReplacement, dropsGainMap: Bool) -> [String] {
    var remarks: [String] = []
    // Thumbnails are pictures of later directories.
    directories = Array(directories.prefix(1))
    main.entries.removeAll { PictureTag.pixels.contains($0.tag) }
    if let entry = main[PictureTag.imageResources] {
      var resources = ImageResources(entry.value)
      resources.describe(change)
      main[PictureTag.imageResources]?.value = resources.encoded
      if resources.resources.isEmpty { main[PictureTag.imageResources] = nil }
    }
    let make = main[0x010F]?.value ?? []
    if var exif = self[directory: Tag.exif] {
      if !change.keepsGeometry { exif.entries.removeAll { PictureTag.subject.contains($0.tag) } }
      if let entry = exif[Tag.makerNote] {
        var note = MakerNote(entry, make: make, order)
        if note.removePictures(dropsGainMap: dropsGainMap) {
          if note.bytes != entry.value {
            exif[Tag.makerNote] = EXIFDirectory.Entry(
              tag: entry.tag, type: entry.type, value: note.bytes, offset: entry.offset)
          }
        } else {
          exif[Tag.makerNote] = nil
          remarks.append("Backdrop leaves out the camera's own notes in the EXIF data, which may hold the old picture")
        }
      }
      self[directory: Tag.exif] = exif
    }
    var count = 0
    main = main.withoutPictures(isExif: false, &count)
    if count > 0 { remarks.append("Backdrop leaves out EXIF values that may hold the old picture: \(count)") }
    return remarks
  }

  /// Updates every entry of the picture's size that exists.
  mutating func setSize(width: Int, height: Int) {
    let order = order
    func set(_ directory: inout EXIFDirectory, _ widthTag: Int, _ heightTag: Int) {
      for (tag, value) in [(widthTag, width), (heightTag, height)] where directory[tag] != nil {
        directory[tag] = EXIFDirectory.Entry(tag, [value], isLong: true, order)
      }
    }
    set(&main, 0x0100, 0x0101)
    guard var exif = self[directory: Tag.exif] else { return }
    set(&exif, 0xA002, 0xA003)
    if var inner = exif[Tag.interoperability]?.directories.first {
      set(&inner, 0x1001, 0x1002)
      exif[Tag.interoperability]?.directories = [inner]
    }
    self[directory: Tag.exif] = exif
  }
}

extension EXIFDirectory {
  /// Returns the directory without values that contain a picture, or that may contain one because they are long and of an unknown form.
  /// Adds the number of removed values to `count`.
  fileprivate func withoutPictures(isExif: Bool, _ count: inout Int) -> EXIFDirectory {
    var result = EXIFDirectory()
    for var entry in entries {
      let isNote = entry.tag == EXIFData.Tag.makerNote
      if !entry.directories.isEmpty {
        let isExif = entry.tag == EXIFData.Tag.exif
        entry.directories = entry.directories.prefix(1).map { $0.withoutPictures(isExif: isExif, &count) }
      } else if !(isNote && isExif) {
        // `MakerNote` checks the note in the EXIF directory; a note anywhere else is removed.
        let isOpaque =
          [1, 6, 7].contains(entry.type) && entry.value.count > PictureSignature.opaqueLimit
          && !EXIFData.PictureTag.texts.contains(entry.tag)
        if isNote || isOpaque || PictureSignature.isFound(in: entry.value) {
          count += 1
          continue
        }
      }
      result.entries.append(entry)
    }
    return result
  }
}
