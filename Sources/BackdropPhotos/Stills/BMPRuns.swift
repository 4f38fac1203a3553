import BackdropImaging

/// Decompresses the indices of a BMP file that are stored as runs (BI_RLE8, BI_RLE4), from the lowest row up.
struct BMPRuns {
  private let header: BMPHeader

  init(_ header: BMPHeader) { self.header = header }

  /// An index for each pixel, the topmost row first; skipped ones are 0.
  ///
  /// - Throws: `badData` for a file that ends before its last row, or exceeds it.
  func decoded(_ bytes: [UInt8]) throws(BackdropError) -> Plane<UInt8> {
    let (width, height, isSmall) = (header.width, header.height, header.bits == 4)
    var result = Plane<UInt8>(repeating: 0, width: width, height: height)
    var reader = ByteReader(bytes, order: .little)
    guard header.pixels <= bytes.count else { throw BMPHeader.early }
    try reader.seek(to: header.pixels)
    var (x, y) = (0, 0)
    /// Ignores pixels beyond the right edge, as all readers do.
    func put(_ index: Int) throws(BackdropError) {
      guard y < height else { throw BMPHeader.damaged("it has more than \(height) rows") }
      if x < width { result[x, header.isTopDown ? y : height - 1 - y] = UInt8(index) }
      x += 1
    }
    while true {
      // Some programs leave out the end mark.
      if reader.left < 2 {
        guard y >= height || y == height - 1 && x >= width else { throw BMPHeader.early }
        return result
      }
      let (count, value) = (try reader.uint8(), try reader.uint8())
      if count > 0 {
        for place in 0..<count { try put(isSmall ? (place % 2 == 0 ? value >> 4 : value & 15) : value) }
        continue
      }
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return result
      case 2:
        guard reader.left >= 2 else { throw BMPHeader.early }
        x += try reader.uint8()
        y += try reader.uint8()
      default:
        let length = isSmall ? (value + 1) / 2 : value
        guard reader.left >= length else { throw BMPHeader.early }
        let indices = try reader.data(length)
        for place in 0..<value {
          try put(
            isSmall ? Int(place % 2 == 0 ? indices[place / 2] >> 4 : indices[place / 2] & 15) : Int(indices[place]))
        }
        // Literal indices fill whole words of 16 bits.
        if length % 2 != 0 { try reader.skip(min(1, reader.left)) }
      }
    }
  }
}
