import BackdropImaging

/// Extracts EXIF from a TIFF file, where it is mixed with tags about the pixels.
enum TIFFMetadata {
  /// The tags of the first directory that describe the picture rather than its pixels: texts, dates, resolution, IPTC, Photoshop's
  /// resources, and EXIF's own directories.
  private static let kept: Set<Int> = [
    0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x013C, 0x4746, 0x4749, 0x8298,
    0x83BB, 0x8649, EXIFData.Tag.exif, EXIFData.Tag.gps,
  ]
  /// The maximum size of EXIF, which must fit into a JPEG segment.
  private static let limit = 65_000

  /// A TIFF structure with only EXIF; `nil` if there is none, it is damaged, or it is too long for other files.
  static func exif(of bytes: [UInt8]) -> [UInt8]? {
    do throws(BackdropError) {
      var data = try EXIFData(bytes, keeping: kept)
      data.directories = Array(data.directories.prefix(1))
      guard !data.main.entries.isEmpty else { return nil }
      // A note keeps its position, which in a TIFF file is usually after the pixels.
      if let note = data[directory: EXIFData.Tag.exif]?[EXIFData.Tag.makerNote],
        (note.offset ?? 0) + note.value.count > limit
      {
        data[directory: EXIFData.Tag.exif]?[EXIFData.Tag.makerNote] = nil
      }
      let result = data.encoded
      return result.count <= limit ? result : nil
    } catch {
      // Damaged metadata must not make the picture unreadable.
      return nil
    }
  }
}
