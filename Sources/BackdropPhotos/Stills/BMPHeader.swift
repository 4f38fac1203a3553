import BackdropImaging

/// The headers of a BMP file, in all versions from OS/2's first to Windows' fifth.
struct BMPHeader {
  enum Packing {
    case none
    /// Runs of indices of 8 or 4 bits.
    case runs
    /// Bits of a 16- or 32-bit number, given by masks.
    case masks
  }

  var width = 0
  var height = 0
  var isTopDown = false
  var bits = 0
  var packing = Packing.none
  var masks: [UInt32] = []
  var palette: [(UInt8, UInt8, UInt8)] = []
  /// The position of the first pixel in the file.
  var pixels = 0
  var profile: Range<Int>?

  static let early = BackdropError(damaged: "the BMP ends early")

  static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the BMP is damaged: \(what)")
  }

  private static func refusal(_ what: String) -> BackdropError {
    BackdropError(.unsupported, "this BMP has \(what)", hint: "convert it to PNG first")
  }

  init(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) {
    // On clipboards the picture's header has no file header before it.
    let isWhole = bytes.starts(with: "BM".utf8)
    let start = isWhole ? 14 : 0
    var reader = ByteReader(bytes, order: .little)
    try reader.seek(to: start)
    let length = try reader.uint32()
    let isFirst = length == 12
    if isFirst {
      (width, height) = (try reader.uint16(), try reader.uint16())
    } else {
      width = try reader.signed(4)
      let rows = try reader.signed(4)
      (height, isTopDown) = (abs(rows), rows < 0)
    }
    try limits.check(width: width, height: height)
    try reader.skip(2)
    bits = try reader.uint16()
    let code = length >= 20 ? try reader.uint32() : 0
    // OS/2's second header has different compressions under the same numbers.
    let isOS2 = length == 64 || length < 40
    switch code {
    case 0: packing = .none
    case 1 where bits == 8, 2 where bits == 4: packing = .runs
    case 3 where !isOS2 && (bits == 16 || bits == 32), 6 where bits == 16 || bits == 32: packing = .masks
    default: throw Self.refusal("compression of kind \(code)")
    }
    guard [1, 2, 4, 8, 16, 24, 32].contains(bits) else { throw Self.refusal("\(bits) bits a pixel") }
    var colors = 0
    if length >= 36 {
      try reader.seek(to: start + 32)
      colors = try reader.uint32()
    }
    var end = start + length
    if packing == .masks {
      // In the first version the masks follow the header. Alpha has one if declared, and from the third version on.
      let count = code == 6 || length >= 56 ? 4 : 3
      try reader.seek(to: start + 40)
      for _ in 0..<count { masks.append(UInt32(try reader.uint32())) }
      if length == 40 { end += 4 * count }
    } else if bits == 16 {
      masks = [0x7C00, 0x03E0, 0x001F]
    } else if bits == 32 {
      // The fourth byte is undefined: some programs store alpha in it, others zeros, and viewers ignore it.
      masks = [0xFF0000, 0xFF00, 0xFF]
    }
    if masks.count == 3 { masks.append(0) }
    let entry = isFirst ? 3 : 4
    if isWhole {
      try reader.seek(to: 10)
      pixels = try reader.uint32()
      guard pixels >= start + length else { throw Self.damaged("its pixels begin inside its header") }
    } else {
      pixels = end + entry * (colors > 0 || bits > 8 ? colors : 1 << bits)
    }
    if bits <= 8 {
      try readPalette(bytes, at: end, entry: entry, count: colors > 0 ? min(colors, 1 << bits) : 1 << bits)
    }
    try readProfile(bytes, start: start, length: length)
    if packing != .runs {
      guard pixels <= bytes.count, rowBytes * height <= bytes.count - pixels else { throw Self.early }
    }
  }

  /// Rows are whole words of 32 bits.
  var rowBytes: Int { (width * bits + 31) / 32 * 4 }

  private mutating func readPalette(_ bytes: [UInt8], at start: Int, entry: Int, count: Int) throws(BackdropError) {
    // Old files may have fewer entries.
    for index in 0..<min(count, max(0, (pixels - start) / entry)) {
      let at = start + index * entry
      guard at + 3 <= bytes.count else { throw Self.early }
      palette.append((bytes[at + 2], bytes[at + 1], bytes[at]))
    }
    guard !palette.isEmpty else { throw Self.damaged("it has no palette") }
    // An index without a colour is black.
    while palette.count < 1 << bits { palette.append((0, 0, 0)) }
  }

  /// BITMAPV5HEADER, PROFILE_EMBEDDED.
  private mutating func readProfile(_ bytes: [UInt8], start: Int, length: Int) throws(BackdropError) {
    guard length >= 124 else { return }
    var reader = ByteReader(bytes, order: .little)
    try reader.seek(to: start + 56)
    guard try reader.uint32() == 0x4D42_4544 else { return }
    try reader.seek(to: start + 112)
    let (offset, count) = (start + (try reader.uint32()), try reader.uint32())
    guard offset <= bytes.count, count <= bytes.count - offset else { throw Self.early }
    profile = offset..<offset + count
  }
}
