/// A directory of a TIFF structure (TIFF 6.0, section 2): entries by their tags.
struct EXIFDirectory: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var tag: Int
    /// The type of its values: 1…13.
    var type: Int
    /// The values, in the structure's byte order; empty if there are ``directories``.
    var value: [UInt8]
    var directories: [EXIFDirectory] = []
    /// The value's original position in the structure: some values contain offsets from its start.
    var offset: Int?

    var count: Int { directories.isEmpty ? value.count / (Self.size(type) ?? 1) : directories.count }

    /// Bytes per value of a type; `nil` for an unknown type.
    static func size(_ type: Int) -> Int? {
      let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4]
      return sizes[type]
    }
  }

  /// The entries, in any order.
  var entries: [Entry] = []

  /// The first entry of a tag; setting it replaces all of them.
  subscript(tag: Int) -> Entry? {
    get { entries.first { $0.tag == tag } }
    set {
      entries.removeAll { $0.tag == tag }
      if let newValue { entries.append(newValue) }
    }
  }
}

extension EXIFDirectory.Entry {
  /// Integers of 16 or 32 bits.
  init(_ tag: Int, _ numbers: [Int], isLong: Bool, _ order: ByteReader.Order) {
    var writer = ByteWriter(order: order)
    for number in numbers { writer.number(UInt64(truncatingIfNeeded: number), size: isLong ? 4 : 2) }
    self.init(tag: tag, type: isLong ? 4 : 3, value: writer.bytes)
  }
}
