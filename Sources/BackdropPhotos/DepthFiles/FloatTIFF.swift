import BackdropImaging

/// TIFF files of one 32-bit float per pixel (TIFF 6.0, sections 2 to 8 for grey pictures, SampleFormat of section 19).
package enum FloatTIFF {
  private static let stripBytes = 1 << 16

  /// A grey map as a little-endian file without compression; holes stay NaN. The description of the values becomes its ImageDescription.
  package static func encode(_ plane: Plane<Float>, description: String) throws(BackdropError) -> [UInt8] {
    let rowBytes = plane.width * 4
    guard plane.width > 0 && plane.height > 0 && rowBytes * plane.height < 1 << 31 else {
      throw BackdropError(
        .overLimit, "the TIFF would have \(plane.width)×\(plane.height) floats, too many", hint: "scale it down")
    }
    let rowsPerStrip = min(plane.height, max(1, stripBytes / rowBytes))
    let strips = (plane.height + rowsPerStrip - 1) / rowsPerStrip
    // The added spaces make the text longer than four bytes: a shorter one would have to be inside the directory.
    let text = Array((description + "    ").utf8.filter { $0 < 0x80 && $0 != 0 }) + [0]

    // The directory, then the data of its tags, then the pixels.
    let tags = 11
    let textStart = 8 + 2 + tags * 12 + 4
    let offsetsStart = (textStart + text.count + 3) / 4 * 4
    let countsStart = offsetsStart + strips * 4
    let pixelStart = countsStart + strips * 4
    let counts = (0..<strips).map { min(rowsPerStrip, plane.height - $0 * rowsPerStrip) * rowBytes }

    var writer = ByteWriter(order: .little)
    writer.data("II".utf8)
    writer.uint16(42)
    writer.uint32(8)
    writer.uint16(tags)
    let (short, long, ascii) = (3, 4, 2)
    writer.entry(256, long, count: 1, plane.width)
    writer.entry(257, long, count: 1, plane.height)
    writer.entry(258, short, count: 1, 32)
    writer.entry(259, short, count: 1, 1)
    writer.entry(262, short, count: 1, 1)
    writer.entry(270, ascii, count: text.count, textStart)
    writer.entry(273, long, count: strips, strips == 1 ? pixelStart : offsetsStart)
    writer.entry(277, short, count: 1, 1)
    writer.entry(278, long, count: 1, rowsPerStrip)
    writer.entry(279, long, count: strips, strips == 1 ? counts[0] : countsStart)
    writer.entry(339, short, count: 1, 3)
    writer.uint32(0)
    writer.data(text)
    writer.data([UInt8](repeating: 0, count: offsetsStart - writer.bytes.count))
    var at = pixelStart
    for count in counts {
      writer.uint32(at)
      at += count
    }
    for count in counts { writer.uint32(count) }

    var bytes = writer.bytes
    bytes.reserveCapacity(bytes.count + rowBytes * plane.height)
    for y in 0..<plane.height {
      bytes.append(littleEndian: plane.row(y))
    }
    return bytes
  }
}
