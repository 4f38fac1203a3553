extension Image {
  /// Marks the picture as opaque if all of its pixels are.
  package mutating func dropFullAlpha() {
    guard alpha != .opaque, format.hasAlpha else { return }
    let (columns, rows, stride) = (width, height, layout(0).bytesPerRow)
    let isFull = withUnsafeBytes(plane: 0) { base in
      (0..<rows).allSatisfy { y in
        let row = base + y * stride
        var (all, x) = (SIMD16<UInt32>(repeating: .max), 0)
        while x + 16 <= columns {
          all &= row.loadUnaligned(fromByteOffset: 4 * x, as: SIMD16<UInt32>.self)
          x += 16
        }
        var last = UInt32.max
        for lane in all.indices { last &= all[lane] }
        for x in x..<columns { last &= row.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self) }
        // Alpha is the last of four bytes.
        return UInt32(littleEndian: last) >> 24 == 255
      }
    }
    if isFull { alpha = .opaque }
  }

  /// One channel of an interleaved colour format.
  package func channel(_ index: Int) -> Plane<UInt8> {
    let step = format == .rgb8 ? 3 : 4
    precondition(index < step && format.isRGB, "a format without this channel")
    var result = Plane<UInt8>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let from = row(y)
      var to = result.mutableRow(y)
      for x in to.indices { to[x] = from[step * x + index] }
    }
    return result
  }

  /// Replaces one channel of a format with alpha by a plane of the picture's size.
  package mutating func setChannel(_ index: Int, to plane: Plane<UInt8>) {
    precondition(format.hasAlpha && plane.width == width && plane.height == height, "a plane of another size")
    for y in 0..<height {
      let from = plane.row(y)
      var to = mutableRow(y)
      for x in from.indices { to[4 * x + index] = from[x] }
    }
  }

  /// Separates the picture from its alpha: it becomes opaque, with unpremultiplied colours.
  ///
  /// - Returns: the alpha, 0…255; `nil` for an opaque picture.
  public mutating func removeAlpha() -> Plane<UInt8>? {
    guard alpha != .opaque, format.hasAlpha else { return nil }
    let isMultiplied = alpha == .premultiplied
    var plane = Plane<UInt8>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      var row = mutableRow(y)
      var to = plane.mutableRow(y)
      for x in to.indices {
        let value = row[4 * x + 3]
        to[x] = value
        row[4 * x + 3] = 255
        guard isMultiplied && value > 0 && value < 255 else { continue }
        for c in 0..<3 {
          row[4 * x + c] = UInt8(min(255, (Int(row[4 * x + c]) * 255 + Int(value) / 2) / Int(value)))
        }
      }
    }
    alpha = .opaque
    return plane
  }
}
