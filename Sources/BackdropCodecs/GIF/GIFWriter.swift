import BackdropImaging

/// Makes an animated GIF (GIF89a Specification, CompuServe 1990; NETSCAPE2.0 application extension).
///
/// Each picture has 255 colours at most, chosen for it by median cut (`GIFPalette`) with an ordered pattern between them.
/// As long as the colours of the picture before do nearly as well they stay, so that nothing flickers, and only what changed is
/// stored. A pixel is there or not: with alpha the same pattern decides near the half, and each picture takes the place of the one
/// before.
public struct GIFWriter: AnimationWriter {
  /// Pictures so far.
  public private(set) var count = 0

  private let settings: AnimationSettings
  private var bytes: [UInt8] = []
  private var palette: GIFPalette?
  private var before: [UInt8] = []
  private var lzw = LZW()
  /// When the last picture is over, in hundredths of a second.
  private var shown = 0

  /// The index that leaves what is there.
  private static let clear: UInt8 = 255
  /// How many times the error of a palette of its own a picture may have before it gets one.
  private static let paletteTolerance = 1.25
  /// Viewers slow down what is shorter, in hundredths of a second; the longest that is possible.
  private static let shortest = 2, longest = 65_535

  /// Begins a file.
  ///
  /// - Throws: `wrongArgument` for a size that a GIF cannot have.
  public init(_ settings: AnimationSettings) throws(BackdropError) {
    self.settings = settings
    let (width, height) = (settings.width, settings.height)
    guard (1...65_535).contains(width) && (1...65_535).contains(height) else {
      throw BackdropError(
        .wrongArgument, "a GIF cannot have \(width)×\(height) pixels", hint: "use sides from 1 to 65535 pixels")
    }
    // Header and logical screen descriptor, sections 17 and 18: no global colours.
    bytes = Array("GIF89a".utf8) + word(width) + word(height) + [0x70, 0, 0]
    guard settings.plays != 1 else { return }
    // Application extension, section 26: how often it is repeated, 0 for ever.
    bytes +=
      [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + word(min(max(0, settings.plays - 1), 65_535)) + [0]
  }

  /// Adds a picture; colours become those of sRGB. See ``AnimationWriter/append(_:from:to:)``.
  ///
  /// - Throws: as that does.
  public mutating func append(_ image: Image, from start: Int64, to end: Int64) throws(BackdropError) {
    try settings.check(image)
    // Files have no way to say which colours they mean, so they are sRGB.
    let picture = settings.pixels(of: image).converted(to: settings.keepsAlpha ? .rgba8 : .rgb8, color: .jpeg)
    let histogram = GIFPalette.Histogram(picture)
    var isNew = true
    if let palette, palette.error(of: histogram) <= palette.ownError * Self.paletteTolerance + 1 {
      isNew = false
    } else {
      palette = GIFPalette(histogram)
    }
    // Just made, where there was none.
    guard var palette else { return }
    var indices = [UInt8](repeating: Self.clear, count: settings.width * settings.height)
    for y in 0..<settings.height {
      palette.map(picture.row(y), y, hasAlpha: settings.keepsAlpha, into: &indices, at: y * settings.width)
    }
    self.palette = palette
    // By the time that is over, so that what is rounded does not add up.
    var left = max(Self.shortest, settings.units(end, perSecond: 100) - shown)
    shown += left
    write(indices, palette, all: isNew || count == 0, hundredths: min(left, Self.longest))
    before = indices
    while left > Self.longest {
      left -= Self.longest
      write(indices, palette, all: false, hundredths: min(left, Self.longest))
    }
    count += 1
  }

  /// See ``AnimationWriter/finish()``.
  public mutating func finish() -> [(place: Int, bytes: [UInt8])] {
    bytes.append(0x3B)
    return []
  }

  /// See ``AnimationWriter/take()``.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// The rectangle of a picture that is stored: what is there, or, without alpha, what changed unless it is to be `all`.
  private func box(_ indices: [UInt8], all: Bool) -> (left: Int, top: Int, right: Int, bottom: Int) {
    let (width, height) = (settings.width, settings.height)
    if all && !settings.keepsAlpha { return (0, 0, width, height) }
    var (left, top, right, bottom) = (width, height, 0, 0)
    for y in 0..<height {
      for x in 0..<width {
        let i = y * width + x
        guard settings.keepsAlpha ? indices[i] != Self.clear : indices[i] != before[i] else { continue }
        (left, right) = (min(left, x), max(right, x + 1))
        (top, bottom) = (min(top, y), max(bottom, y + 1))
      }
    }
    // A picture without pixels is not possible.
    return right <= left ? (0, 0, 1, 1) : (left, top, right, bottom)
  }

  /// One picture, its times and its colours.
  private mutating func write(_ indices: [UInt8], _ palette: GIFPalette, all: Bool, hundredths: Int) {
    let (left, top, right, bottom) = box(indices, all: all)
    // Graphic control extension, section 23: leave the picture there, or with alpha take it away; index 255 is transparent.
    let disposal: UInt8 = settings.keepsAlpha ? 0x09 : 0x05
    bytes += [0x21, 0xF9, 4, disposal] + word(hundredths) + [Self.clear, 0]
    // Image descriptor, section 20: 256 colours of its own.
    bytes += [0x2C] + word(left) + word(top) + word(right - left) + word(bottom - top) + [0x87]
    bytes += palette.bytes
    var part: [UInt8] = []
    part.reserveCapacity((right - left) * (bottom - top))
    for y in top..<bottom {
      for x in left..<right {
        let i = y * settings.width + x
        part.append(!all && !settings.keepsAlpha && indices[i] == before[i] ? Self.clear : indices[i])
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
