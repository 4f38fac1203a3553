/// Writes numbers of either byte order one after the other.
struct ByteWriter: Sendable {
  private(set) var bytes: [UInt8] = []
  var order: ByteReader.Order = .big

  /// Appends the low `size` bytes of a number.
  mutating func number(_ value: UInt64, size: Int) {
    precondition((0...8).contains(size), "numbers have up to 8 bytes")
    for index in 0..<size {
      let shift = 8 * (order == .big ? size - 1 - index : index)
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  mutating func uint8(_ value: Int) { number(UInt64(value), size: 1) }
  mutating func uint16(_ value: Int) { number(UInt64(value), size: 2) }
  mutating func uint32(_ value: Int) { number(UInt64(value), size: 4) }
  mutating func data(_ data: some Sequence<UInt8>) { bytes += data }

  /// Appends text with its final zero byte.
  mutating func string(_ text: String) {
    // A zero inside would end it early.
    data(text.utf8.lazy.filter { $0 != 0 })
    uint8(0)
  }

  /// Appends an entry of a TIFF directory (TIFF 6.0, section 2), with its value or the value's position.
  mutating func entry(_ tag: Int, _ type: Int, count: Int, _ value: Int) {
    uint16(tag)
    uint16(type)
    uint32(count)
    uint32(value)
  }

  /// Replaces a number written earlier, when a size or an offset is known.
  mutating func replace(at position: Int, _ value: UInt64, size: Int) {
    var patch = ByteWriter(order: order)
    patch.number(value, size: size)
    replace(at: position, with: patch.bytes)
  }

  mutating func replace(at position: Int, with data: [UInt8]) {
    bytes.replaceSubrange(position..<position + data.count, with: data)
  }
}

extension [UInt8] {
  mutating func append(littleEndian row: Span<Float>) {
    for x in row.indices {
      Swift.withUnsafeBytes(of: row[x].bitPattern.littleEndian) { self += $0 }
    }
  }
}
