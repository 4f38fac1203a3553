import BackdropImaging

/// Reads numbers of either byte order from a part of a file, never beyond it.
///
/// Positions count from the start of the whole file, so a structure with file offsets can be read in place.
struct ByteReader: Sendable {
  enum Order: Sendable { case big, little }

  let bytes: [UInt8]
  let range: Range<Int>
  var order: Order
  private(set) var position: Int

  /// - Parameter range: the readable range, limited to the bytes; `nil` for all.
  init(_ bytes: [UInt8], in range: Range<Int>? = nil, order: Order = .big) {
    self.bytes = bytes
    self.range = (range ?? bytes.indices).clamped(to: bytes.indices)
    self.order = order
    position = self.range.lowerBound
  }

  var left: Int { range.upperBound - position }

  /// Continues at a position in the file.
  mutating func seek(to position: Int) throws(BackdropError) {
    guard position >= range.lowerBound && position <= range.upperBound else { throw ended(at: position) }
    self.position = position
  }

  mutating func skip(_ count: Int) throws(BackdropError) { _ = try advance(count) }

  mutating func uint8() throws(BackdropError) -> Int { try Int(truncatingIfNeeded: number(1)) }
  mutating func uint16() throws(BackdropError) -> Int { try Int(truncatingIfNeeded: number(2)) }
  mutating func uint32() throws(BackdropError) -> Int { try Int(truncatingIfNeeded: number(4)) }

  /// A number of 0…8 bytes.
  mutating func number(_ size: Int) throws(BackdropError) -> UInt64 {
    precondition((0...8).contains(size), "numbers have up to 8 bytes")
    let found = bytes[try advance(size)]
    return switch order {
    case .big: found.reduce(0) { $0 << 8 | UInt64($1) }
    case .little: found.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// A number of 0…4 bytes with a sign.
  mutating func signed(_ size: Int) throws(BackdropError) -> Int {
    let unused = UInt32(32 - 8 * size)
    return Int(Int32(bitPattern: UInt32(truncatingIfNeeded: try number(size)) << unused) >> unused)
  }

  /// Text up to a zero byte, or to the end without one.
  mutating func string() -> String {
    let rest = bytes[position..<range.upperBound]
    let end = rest.firstIndex(of: 0)
    position = end.map { $0 + 1 } ?? rest.endIndex
    return String(decoding: rest[..<(end ?? rest.endIndex)], as: UTF8.self)
  }

  mutating func data(_ count: Int) throws(BackdropError) -> [UInt8] { Array(bytes[try advance(count)]) }

  /// A reader for the next bytes, which it skips.
  mutating func part(_ count: Int) throws(BackdropError) -> ByteReader {
    ByteReader(bytes, in: try advance(count), order: order)
  }

  private mutating func advance(_ count: Int) throws(BackdropError) -> Range<Int> {
    guard count >= 0 && count <= left else { throw ended(at: position) }
    defer { position += count }
    return position..<position + count
  }

  private func ended(at position: Int) -> BackdropError {
    BackdropError(.badData, "the file, or a part of it, ends too early, at byte \(position)")
  }
}
