/// New tables for a FlatBuffer, inserted before its old ones. Offsets only point forward, so that new tables can refer to old ones, but not
/// the reverse. So every table that leads to a changed table needs a new copy.
struct FlatBufferGap {
  private(set) var bytes: [UInt8] = []
  private var outside: [Int: Int] = [:]

  /// A field of a new table.
  enum Field {
    case byte(UInt8)
    case integer(Int)
    /// Set later by ``point(_:to:)`` or ``point(_:toOld:)``.
    case reference
  }

  private mutating func put(_ value: Int, at position: Int, size: Int) {
    for k in 0..<size { bytes[position + k] = UInt8(truncatingIfNeeded: value >> (8 * k)) }
  }

  private mutating func append(_ value: Int, size: Int) {
    for k in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * k))) }
  }

  private mutating func align(_ size: Int) {
    while !bytes.count.isMultiple(of: size) { bytes.append(0) }
  }

  /// Adds a table; `nil` leaves a field at its default. Returns its position and those of its fields.
  mutating func table(_ fields: [Field?]) -> (position: Int, fields: [Int]) {
    align(4)
    let list = bytes.count
    append(4 + 2 * fields.count, size: 2)
    append(4 + 4 * fields.compactMap { $0 }.count, size: 2)
    var offset = 4
    var offsets: [Int] = []
    for field in fields {
      offsets.append(field == nil ? 0 : offset)
      append(field == nil ? 0 : offset, size: 2)
      if field != nil { offset += 4 }
    }
    align(4)
    let position = bytes.count
    append(position - list, size: 4)
    for case .some(let field) in fields {
      switch field {
      case .byte(let value): append(Int(value), size: 4)
      case .integer(let value): append(value, size: 4)
      case .reference: append(0, size: 4)
      }
    }
    return (position, offsets.map { position + $0 })
  }

  /// Adds a vector of references to set later; returns its position and those of the references.
  mutating func references(_ count: Int) -> (position: Int, entries: [Int]) {
    align(4)
    let position = bytes.count
    append(count, size: 4)
    bytes += [UInt8](repeating: 0, count: 4 * count)
    return (position, (0..<count).map { position + 4 + 4 * $0 })
  }

  /// Adds a vector of 32-bit integers.
  mutating func integers(_ values: [Int]) -> Int {
    align(4)
    let position = bytes.count
    append(values.count, size: 4)
    for value in values { append(value, size: 4) }
    return position
  }

  /// Adds a vector of bytes, starting at a multiple of 16 in the file, as constants of tensors do.
  mutating func constant(_ values: [Int]) -> Int {
    // The gap begins after a header of 8 bytes.
    while (bytes.count + 4 + 8) % 16 != 0 { bytes.append(0) }
    let position = bytes.count
    append(4 * values.count, size: 4)
    for value in values { append(value, size: 4) }
    return position
  }

  mutating func string(_ text: String) -> Int {
    align(4)
    let position = bytes.count
    append(text.utf8.count, size: 4)
    bytes += text.utf8
    bytes.append(0)
    return position
  }

  /// Makes the reference at `position` point to a later position in the gap.
  mutating func point(_ position: Int, to target: Int) {
    precondition(target > position, "offsets point forward")
    outside[position] = nil
    put(target - position, at: position, size: 4)
  }

  mutating func point(_ position: Int, toOld target: Int) { outside[position] = target }

  /// The old file with the gap after its header of 8 bytes, and a table of the gap as root.
  func inserted(into old: [UInt8], root: Int) -> [UInt8] {
    var gap = self
    gap.align(16)
    let size = gap.bytes.count
    for (position, target) in outside { gap.put(target + size - (8 + position), at: position, size: 4) }
    var head = Array(old[0..<8])
    for k in 0..<4 { head[k] = UInt8(truncatingIfNeeded: (8 + root) >> (8 * k)) }
    return head + gap.bytes + Array(old[8...])
  }
}
