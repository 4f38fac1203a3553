extension PointCloud {
  /// The file formats for clouds, by their extensions.
  package enum FileKind: String, Sendable, Codable, CaseIterable {
    /// Polygon file format (Turk, "The PLY Polygon File Format", 1994), binary.
    case ply
    /// The Point Cloud Library's format (PCD 0.7), binary.
    case pcd
    /// Lines of text: x y z, red green blue (0…255).
    case xyz
    /// glTF 2.0 (Khronos), binary, a primitive of points.
    case glb
  }

  package func file(_ kind: FileKind) -> [UInt8] {
    switch kind {
    case .ply: ply()
    case .pcd: pcd()
    case .xyz: xyz()
    case .glb: glb()
    }
  }

  /// The cloud as binary little-endian PLY: floats `x y z`, floats `nx ny nz` for normals, and bytes `red green blue` for colours.
  package func ply() -> [UInt8] {
    var head = "ply\nformat binary_little_endian 1.0\n"
    for line in remarks() { head += "comment \(line)\n" }
    head += "element vertex \(count)\n"
    for name in ["x", "y", "z"] + (hasNormals ? ["nx", "ny", "nz"] : []) { head += "property float \(name)\n" }
    if hasColors { for name in ["red", "green", "blue"] { head += "property uchar \(name)\n" } }
    head += "end_header\n"
    let colorAt = hasNormals ? 24 : 12
    return withNumbers { rows, colors in
      records(head, perPoint: colorAt + (hasColors ? 3 : 0)) { index, to in
        for (row, base) in rows.enumerated() { to.put(base[index], at: 4 * row) }
        if hasColors {
          let bits = UInt32(littleEndian: colors[index])
          for channel in 0..<3 {
            to.storeBytes(
              of: UInt8(truncatingIfNeeded: bits >> (8 * channel)), toByteOffset: colorAt + channel, as: UInt8.self)
          }
        }
      }
    }
  }

  /// The cloud as binary PCD 0.7: floats `x y z`, `rgb` for colours (0x00RRGGBB, declared as a float as the library
  /// does), and `normal_x normal_y normal_z` for normals.
  package func pcd() -> [UInt8] {
    let fields =
      ["x", "y", "z"] + (hasColors ? ["rgb"] : []) + (hasNormals ? ["normal_x", "normal_y", "normal_z"] : [])
    func each(_ text: String) -> String { fields.map { _ in text }.joined(separator: " ") }
    var head = "# .PCD v0.7 - Point Cloud Data file format\n"
    for line in remarks() { head += "# \(line)\n" }
    head += "VERSION 0.7\nFIELDS \(fields.joined(separator: " "))\nSIZE \(each("4"))\nTYPE \(each("F"))\n"
    head += "COUNT \(each("1"))\nWIDTH \(count)\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS \(count)\nDATA binary\n"
    let normalAt = hasColors ? 16 : 12
    return withNumbers { rows, colors in
      records(head, perPoint: 4 * fields.count) { index, to in
        for (row, base) in rows.enumerated() { to.put(base[index], at: row < 3 ? 4 * row : normalAt + 4 * (row - 3)) }
        if hasColors {
          let bits = UInt32(littleEndian: colors[index])
          let swapped = (bits & 255) << 16 | bits & 0xFF00 | bits >> 16 & 255
          to.storeBytes(of: swapped.littleEndian, toByteOffset: 12, as: UInt32.self)
        }
      }
    }
  }

  /// The cloud as text: comments after `#`, then a line per point, in metres to a hundredth of a millimetre.
  package func xyz() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 40)
    for line in remarks() { bytes.append(contentsOf: "# \(line)\n".utf8) }
    bytes.append(contentsOf: (hasColors ? "# x y z red green blue\n" : "# x y z\n").utf8)
    withNumbers { rows, colors in
      for index in 0..<count {
        for axis in 0..<3 { bytes.append(metres: rows[axis][index], last: axis == 2 && !hasColors) }
        guard hasColors else { continue }
        let bits = UInt32(littleEndian: colors[index])
        for channel in 0..<3 {
          bytes.append(decimal: UInt64(bits >> (8 * channel) & 255), digits: 1)
          bytes.append(channel == 2 ? 0x0A : 0x20)
        }
      }
    }
    return bytes
  }

  /// Calls `body` with the rows of numbers (x, y, z and the normals') and the colours.
  func withNumbers<R>(_ body: ([UnsafePointer<Float>], UnsafePointer<UInt32>) -> R) -> R {
    numbers.withUnsafePointer { base in
      colors.withUnsafePointer { colors in
        body((0..<(hasNormals ? 6 : 3)).map { base + $0 * numbers.stride }, colors)
      }
    }
  }
}

extension [UInt8] {
  /// A number of metres with five decimals, then a space or the end of the line.
  fileprivate mutating func append(metres: Float, last: Bool) {
    // A larger value cannot come from a depth map; the limit keeps the integer in range.
    let scaled = (Double(Swift.min(Swift.max(metres, -1e12), 1e12)) * 100_000).rounded()
    if scaled < 0 { append(0x2D) }
    let whole = UInt64(scaled.magnitude)
    append(decimal: whole / 100_000, digits: 1)
    append(0x2E)
    append(decimal: whole % 100_000, digits: 5)
    append(last ? 0x0A : 0x20)
  }

  fileprivate mutating func append(decimal value: UInt64, digits: Int) {
    var (rest, count) = (value, 0)
    let start = self.count
    while rest > 0 || count < digits {
      append(0x30 + UInt8(rest % 10))
      rest /= 10
      count += 1
    }
    self[start...].reverse()
  }
}
