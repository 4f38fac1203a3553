import BackdropImaging

/// Makes an animated GIF that runs for ever (GIF89a Specification, CompuServe 1990; NETSCAPE2.0 application extension).
///
/// Each picture has 255 colours at most, chosen for it by median cut (`GIFPalette`) with an ordered pattern between them.
/// As long as the colours of the picture before do nearly as well they stay, so that nothing flickers, and only what changed is
/// stored.
///
///     var writer = try GIFWriter(width: 480, height: 360, hundredths: 8)
///     for picture in pictures { try writer.append(picture) }
///     let file = writer.finish()
public struct GIFWriter {
  /// Size of the pictures.
  public let width: Int, height: Int
  /// Pictures so far.
  public private(set) var count = 0

  private let hundredths: Int
  private var bytes: [UInt8] = []
  private var palette: GIFPalette?
  private var before: [UInt8] = []
  private var lzw = LZW()

  /// The index that leaves what is there.
  private static let clear: UInt8 = 255
  /// How much worse than one of its own a picture's palette may be.
  private static let timeout = 1.25

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - width: pixels in a row.
  ///   - height: rows of pixels.
  ///   - hundredths: how long each picture is shown, in hundredths of a second; what is below 2 is slowed down by viewers.
  /// - Throws: `wrongArgument` for a size that a GIF cannot have, or a time outside 1…65535.
  public init(width: Int, height: Int, hundredths: Int) throws(BackdropError) {
    guard (1...65_535).contains(width) && (1...65_535).contains(height) else {
      throw BackdropError(
        .wrongArgument, "a GIF of \(width)×\(height) is not possible", hint: "sides are from 1 to 65535 pixels")
    }
    guard (1...65_535).contains(hundredths) else {
      throw BackdropError(
        .wrongArgument, "a picture of \(hundredths) hundredths of a second is not possible", hint: "take 1 to 65535")
    }
    (self.width, self.height, self.hundredths) = (width, height, hundredths)
    // Header and logical screen descriptor, sections 17 and 18: no global colours.
    bytes = Array("GIF89a".utf8) + word(width) + word(height) + [0x70, 0, 0]
    // Application extension, section 26: repeat without end.
    bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
  }

  /// Adds a picture; alpha is left aside, and colours become those of sRGB.
  ///
  /// - Throws: `wrongArgument` for another size.
  public mutating func append(_ image: Image) throws(BackdropError) {
    guard image.width == width && image.height == height else {
      throw BackdropError(
        .wrongArgument, "expected a picture of \(width)×\(height), found \(image.width)×\(image.height)")
    }
    // Files have no way to say which colours they mean, so they are sRGB.
    let picture = image.converted(to: .rgb8, color: .jpeg)
    let histogram = GIFPalette.Histogram(picture)
    var isNew = true
    if let palette, palette.error(of: histogram) <= palette.ownError * Self.timeout + 1 {
      isNew = false
    } else {
      palette = GIFPalette(histogram)
    }
    // Just made, where there was none.
    guard var palette else { return }
    var indices = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      palette.map(picture.row(y), y, into: &indices, at: y * width)
    }
    self.palette = palette
    write(indices, palette, all: isNew || count == 0)
    before = indices
    count += 1
  }

  /// The whole file.
  public mutating func finish() -> [UInt8] {
    bytes.append(0x3B)
    defer { bytes = [] }
    return bytes
  }

  /// One picture, its times and its colours, of which only the box that changed is stored unless it is to be `all`.
  private mutating func write(_ indices: [UInt8], _ palette: GIFPalette, all: Bool) {
    var (left, top, right, bottom) = (0, 0, width, height)
    if !all {
      (left, top, right, bottom) = (width, height, 0, 0)
      for y in 0..<height {
        for x in 0..<width where indices[y * width + x] != before[y * width + x] {
          (left, right) = (min(left, x), max(right, x + 1))
          (top, bottom) = (min(top, y), max(bottom, y + 1))
        }
      }
      // A picture without pixels is not possible.
      if right <= left { (left, top, right, bottom) = (0, 0, 1, 1) }
    }
    // Graphic control extension, section 23: leave the picture there, index 255 is transparent.
    bytes += [0x21, 0xF9, 4, 0x05] + word(hundredths) + [Self.clear, 0]
    // Image descriptor, section 20: 256 colours of its own.
    bytes += [0x2C] + word(left) + word(top) + word(right - left) + word(bottom - top) + [0x87]
    bytes += palette.bytes
    var part: [UInt8] = []
    part.reserveCapacity((right - left) * (bottom - top))
    for y in top..<bottom {
      for x in left..<right {
        let i = y * width + x
        part.append(!all && indices[i] == before[i] ? Self.clear : indices[i])
      }
    }
    // Table based image data, section 22: blocks of up to 255 bytes.
    bytes.append(8)
    let packed = lzw.encode(part)
    for start in stride(from: 0, to: packed.count, by: 255) {
      let end = min(start + 255, packed.count)
      bytes.append(UInt8(end - start))
      bytes += packed[start..<end]
    }
    bytes.append(0)
  }
}

private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

/// Variable-length-code LZW as in appendix F of the specification, for bytes.
private struct LZW {
  /// The code of a known string and one byte more, 0 if there is none; as many as there are codes.
  private var next = [UInt16](repeating: 0, count: 4096 * 256)
  private var used: [Int] = []

  mutating func encode(_ values: [UInt8]) -> [UInt8] {
    let (clear, end) = (256, 257)
    var output: [UInt8] = []
    var (buffer, bits) = (0, 0)
    var (size, free) = (9, 258)
    func put(_ code: Int) {
      buffer |= code << bits
      bits += size
      while bits >= 8 {
        output.append(UInt8(buffer & 255))
        buffer >>= 8
        bits -= 8
      }
    }
    put(clear)
    var prefix = -1
    for value in values {
      guard prefix >= 0 else {
        prefix = Int(value)
        continue
      }
      let place = prefix << 8 | Int(value)
      let known = Int(next[place])
      if known > 0 {
        prefix = known
        continue
      }
      put(prefix)
      if free < 4096 {
        next[place] = UInt16(free)
        used.append(place)
        // The reader is one code behind.
        if free == 1 << size { size += 1 }
        free += 1
      } else {
        put(clear)
        forget()
        (size, free) = (9, 258)
      }
      prefix = Int(value)
    }
    if prefix >= 0 {
      put(prefix)
      if free == 1 << size && size < 12 { size += 1 }
    }
    put(end)
    if bits > 0 { output.append(UInt8(buffer & 255)) }
    forget()
    return output
  }

  private mutating func forget() {
    for place in used { next[place] = 0 }
    used.removeAll(keepingCapacity: true)
  }
}
