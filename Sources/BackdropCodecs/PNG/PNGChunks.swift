import CZlib

/// The chunks of a PNG file or of its start, in order (PNG specification, third edition, section 5.3). The last one may be cut off.
package struct PNGChunks<Bytes: RandomAccessCollection>: Sequence, IteratorProtocol
where Bytes.Element == UInt8, Bytes.Index == Int {
  package struct Chunk {
    /// Its type, four characters.
    package let name: String
    /// The positions of its content; they may exceed the file.
    package let content: Range<Int>
    /// Whether the file has all of it, with its checksum.
    package let isWhole: Bool
  }

  private let file: Bytes
  private var position: Int

  /// - Parameter file: the bytes, with the signature of a PNG file.
  package init(_ file: Bytes) { (self.file, position) = (file, file.startIndex + 8) }

  package mutating func next() -> Chunk? {
    // Length, type, content, checksum.
    guard position + 12 <= file.endIndex else { return nil }
    let length = Self.number(file, at: position)
    let name = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
    let content = position + 8..<position + 8 + length
    position += 12 + length
    return Chunk(name: name, content: content, isWhole: position <= file.endIndex)
  }

  /// The big-endian 32-bit number at a position.
  package static func number(_ file: Bytes, at position: Int) -> Int {
    file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension PNG {
  /// A chunk with its length and checksum.
  static func chunk(_ name: String, _ content: some Collection<UInt8>) -> [UInt8] {
    let body = Array(name.utf8) + content
    return long(content.count) + body + long(Int(bd_crc32(body, body.count)))
  }

  /// A number of 32 bits in a chunk.
  static func long(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
