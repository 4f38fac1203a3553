import BackdropImaging

/// A record of a ROS bag: its fields and the position of its data.
struct BagRecord {
  private let fields: [String: [UInt8]]
  let operation: UInt8
  let dataStart: Int
  let dataCount: Int
  /// The data, for a record in memory.
  private(set) var data: [UInt8]?

  var next: Int { dataStart + dataCount }

  /// Parses a header, with the lengths before and after it, that lies at `offset` in a file of `byteCount` bytes; `nil` if the header is
  /// damaged or its data is truncated.
  init?(head: [UInt8], at offset: Int, byteCount: Int) {
    guard head.count >= 8 else { return nil }
    fields = Self.fields(Array(head[4..<head.count - 4]))
    guard let operation = fields["op"]?.first else { return nil }
    self.operation = operation
    dataStart = offset + head.count
    dataCount = Int(head.word32(head.count - 4))
    guard dataCount <= byteCount - dataStart else { return nil }
  }

  /// Parses a record in a chunk; `nil` at the end of the chunk.
  init?(_ content: [UInt8], at offset: Int) {
    guard offset >= 0, offset + 8 <= content.count else { return nil }
    let count = Int(content.word32(offset))
    guard count <= content.count - offset - 8 else { return nil }
    self.init(head: Array(content[offset..<offset + count + 8]), at: offset, byteCount: content.count)
    // Only a topic keeps its data; that of other records is read in place.
    if operation == 7 { data = Array(content[dataStart..<next]) }
  }

  /// Parses fields, each a length and `name=value` of that length.
  static func fields(_ bytes: [UInt8]) -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    var offset = 0
    while offset + 4 <= bytes.count {
      let count = Int(bytes.word32(offset))
      guard count <= bytes.count - offset - 4 else { break }
      let field = bytes[offset + 4..<offset + 4 + count]
      if let sign = field.firstIndex(of: UInt8(ascii: "=")) {
        result[String(decoding: field[..<sign], as: UTF8.self)] = Array(field[(sign + 1)...])
      }
      offset += 4 + count
    }
    return result
  }

  func word(_ name: String) -> UInt32? { fields[name].flatMap { $0.count == 4 ? $0.word32(0) : nil } }
  func long(_ name: String) -> UInt64? { fields[name].flatMap { $0.count == 8 ? $0.word64(0) : nil } }
  func text(_ name: String) -> String? { fields[name].map { String(decoding: $0, as: UTF8.self) } }
}
