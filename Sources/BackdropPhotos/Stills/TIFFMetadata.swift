import BackdropImaging

/// Takes EXIF out of a TIFF file, where it lies among what describes the pixels.
enum TIFFMetadata {
  /// Directories that EXIF's entries point to (CIPA DC-008, 4.6.3).
  private static let inner: Set<Int> = [0x8769, 0x8825, 0xA005]
  /// Of the first directory, what describes the picture and not the pixels: texts, dates, resolution, and the directories above.
  private static let kept: Set<Int> = [
    0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x013C, 0x4746, 0x4749, 0x8298,
    0x8769, 0x8825,
  ]
  /// As much as a JPEG's segment holds.
  private static let limit = 65_000

  /// A TIFF structure with nothing but EXIF; `nil` if there is none, it is damaged, or it is too long for other files.
  static func exif(of tiff: TIFFReader) -> [UInt8]? {
    do throws(BackdropError) {
      var writer = ByteWriter(order: tiff.order)
      writer.data((tiff.order == .little ? "II" : "MM").utf8)
      writer.uint16(42)
      writer.uint32(8)
      guard try write(tiff, directory: tiff.firstDirectory, depth: 0, to: &writer) > 0 else { return nil }
      return writer.bytes.count <= limit ? writer.bytes : nil
    } catch {
      // What is beside the picture must not cost it.
      return nil
    }
  }

  /// Appends a directory with all that it points to, and gives the number of its entries.
  private static func write(
    _ tiff: TIFFReader, directory: Int, depth: Int, to writer: inout ByteWriter
  ) throws(BackdropError) -> Int {
    let entries = try tiff.entries(at: directory).filter { depth > 0 || kept.contains($0.tag) }
    writer.uint16(entries.count)
    let start = writer.bytes.count
    writer.data([UInt8](repeating: 0, count: 12 * entries.count + 4))
    for (index, entry) in entries.enumerated() {
      let place = start + 12 * index
      writer.replace(at: place, UInt64(entry.tag), size: 2)
      writer.replace(at: place + 2, UInt64(entry.type), size: 2)
      writer.replace(at: place + 4, UInt64(entry.count), size: 4)
      let bytes = tiff.bytes(of: entry)
      guard writer.bytes.count + bytes.count <= limit else {
        throw BackdropError(.overLimit, "EXIF of more than \(limit) bytes")
      }
      if inner.contains(entry.tag), depth < 2, let target = try tiff.value(of: entry.tag, at: directory) {
        if writer.bytes.count % 2 != 0 { writer.uint8(0) }
        writer.replace(at: place + 8, UInt64(writer.bytes.count), size: 4)
        _ = try write(tiff, directory: target, depth: depth + 1, to: &writer)
      } else if bytes.count <= 4 {
        for (offset, byte) in bytes.enumerated() { writer.replace(at: place + 8 + offset, UInt64(byte), size: 1) }
      } else {
        if writer.bytes.count % 2 != 0 { writer.uint8(0) }
        writer.replace(at: place + 8, UInt64(writer.bytes.count), size: 4)
        writer.data(bytes)
      }
    }
    return entries.count
  }
}
