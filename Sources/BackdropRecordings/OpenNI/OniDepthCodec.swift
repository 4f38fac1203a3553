import BackdropImaging

/// PrimeSense's compression of 16-bit depth in `.oni` files, `16zP` and `16zT` (XnStreamCompression.cpp of OpenNI2, Apache-2.0).
///
/// Numbers are stored as differences `last − this`. A byte below E0 contains two of them in four bits each, plus 6: 0…12. D means none, and
/// F in the low four bits is followed by a whole number. E0 + n stands for 2 n numbers equal to the last, FF for one whole number: a byte
/// of 80 or more is a difference plus C0, else it is the high byte of a number, followed by the low one. In `16zT` these are indices into a
/// table of the occurring numbers, which comes first.
enum OniDepthCodec {
  /// Unpacks `count` numbers.
  static func decode(_ bytes: [UInt8], count: Int, hasTable: Bool) throws(BackdropError) -> [UInt16] {
    var reader = Reader(bytes: bytes, count: count, hasTable: hasTable)
    if hasTable {
      let tableCount = Int(try reader.half())
      reader.table.reserveCapacity(tableCount)
      for _ in 0..<tableCount { reader.table.append(try reader.half()) }
      guard tableCount > 0 else { throw Reader.damaged("the table is empty") }
    }
    try reader.decode()
    return reader.result
  }

  private struct Reader {
    let bytes: [UInt8]
    let count: Int
    let hasTable: Bool
    var position = 0
    var table: [UInt16] = []
    var result: [UInt16] = []

    static func damaged(_ reason: String) -> BackdropError {
      BackdropError(.badData, "the packed depth is damaged (\(reason))")
    }

    mutating func byte() throws(BackdropError) -> UInt8 {
      guard position < bytes.count else { throw Self.damaged("it ends too early") }
      position += 1
      return bytes[position - 1]
    }

    mutating func half() throws(BackdropError) -> UInt16 {
      let low = try byte()
      return UInt16(low) | UInt16(try byte()) << 8
    }

    mutating func put(_ value: UInt16) throws(BackdropError) {
      guard result.count < count else { throw Self.damaged("it is longer than it claims") }
      guard hasTable else {
        result.append(value)
        return
      }
      guard Int(value) < table.count else { throw Self.damaged("an index outside the table") }
      result.append(table[Int(value)])
    }

    mutating func decode() throws(BackdropError) {
      result.reserveCapacity(count)
      var last = try half()
      try put(last)
      while position < bytes.count {
        let code = try byte()
        if code >= 0xE0 && code != 0xFF {
          for _ in 0..<2 * (Int(code) - 0xE0) { try put(last) }
          continue
        }
        if code != 0xFF {
          last = last &+ 6 &- UInt16(code >> 4)
          try put(last)
          let low = code & 15
          if low == 0x0D { continue }
          if low != 0x0F {
            last = last &+ 6 &- UInt16(low)
            try put(last)
            continue
          }
        }
        let whole = try byte()
        last = whole & 0x80 != 0 ? last &+ 192 &- UInt16(whole) : UInt16(whole) << 8 | UInt16(try byte())
        try put(last)
      }
      guard result.count == count else { throw Self.damaged("it is shorter than it claims") }
    }
  }
}
