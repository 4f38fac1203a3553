import BackdropImaging

extension BMPHeader {
  /// Decompresses indices that are stored as runs (BI_RLE8, BI_RLE4), from the lowest row up.
  ///
  /// - Returns: an index for each pixel, the topmost row first; skipped ones are 0.
  func runs(in bytes: [UInt8]) throws(BackdropError) -> Plane<UInt8> {
    let isSmall = bits == 4
    var result = Plane<UInt8>(repeating: 0, width: width, height: height)
    var reader = ByteReader(bytes, order: .little)
    guard pixels <= bytes.count else { throw Self.early }
    try reader.seek(to: pixels)
    var (x, y) = (0, 0)
    /// Ignores pixels beyond the right edge, as all readers do.
    func put(_ index: Int) throws(BackdropError) {
      guard y < height else { throw Self.damaged("it has more than \(height) rows") }
      if x < width { result[x, isTopDown ? y : height - 1 - y] = UInt8(index) }
      x += 1
    }
    while true {
      // Some programs leave out the end mark.
      if reader.left < 2 {
        guard y >= height || y == height - 1 && x >= width else { throw Self.early }
        return result
      }
      let (count, value) = (try reader.uint8(), try reader.uint8())
      if count > 0 {
        for pixel in 0..<count { try put(isSmall ? (pixel % 2 == 0 ? value >> 4 : value & 15) : value) }
        continue
      }
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return result
      case 2:
        guard reader.left >= 2 else { throw Self.early }
        x += try reader.uint8()
        y += try reader.uint8()
      default:
        let length = isSmall ? (value + 1) / 2 : value
        guard reader.left >= length else { throw Self.early }
        let indices = try reader.data(length)
        for pixel in 0..<value {
          try put(
            isSmall ? Int(pixel % 2 == 0 ? indices[pixel / 2] >> 4 : indices[pixel / 2] & 15) : Int(indices[pixel]))
        }
        // Literal indices fill whole words of 16 bits.
        if length % 2 != 0 { try reader.skip(min(1, reader.left)) }
      }
    }
  }
}
