import BackdropImaging

/// Takes EXIF out of a TIFF file, where it lies among what describes the pixels.
enum TIFFMetadata {
  /// Of the first directory, what describes the picture and not the pixels: texts, dates, resolution, IPTC, Photoshop's resources, and
  /// EXIF's own directories.
  private static let kept: Set<Int> = [
    0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x013C, 0x4746, 0x4749, 0x8298,
    0x83BB, 0x8649, EXIFData.Tag.exif, EXIFData.Tag.place,
  ]
  /// As much as a JPEG's segment holds.
  private static let limit = 65_000

  /// A TIFF structure with nothing but EXIF; `nil` if there is none, it is damaged, or it is too long for other files.
  static func exif(of bytes: [UInt8]) -> [UInt8]? {
    do throws(BackdropError) {
      var data = try EXIFData(bytes, keeping: kept)
      data.directories = Array(data.directories.prefix(1))
      guard !data.main.entries.isEmpty else { return nil }
      // A note stays at its place, which in a TIFF file is mostly behind the pixels.
      if let note = data[directory: EXIFData.Tag.exif]?[EXIFData.Tag.makerNote],
        (note.place ?? 0) + note.value.count > limit
      {
        data[directory: EXIFData.Tag.exif]?[EXIFData.Tag.makerNote] = nil
      }
      let result = data.encoded
      return result.count <= limit ? result : nil
    } catch {
      // What is beside the picture must not cost it.
      return nil
    }
  }
}
