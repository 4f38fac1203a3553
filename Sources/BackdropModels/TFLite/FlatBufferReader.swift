import BackdropImaging

/// Reads FlatBuffers (https://flatbuffers.dev/internals) from untrusted bytes: every position, table and vector is checked before use.
struct FlatBufferReader {
  let bytes: [UInt8]
  /// More elements than any real network has.
  static let longestVector = 1 << 17

  struct Table {
    let position: Int
    let fields: Int
    let fieldCount: Int
  }

  /// A model of TensorFlow Lite, and its root table.
  ///
  /// - Throws: `badData` for other bytes.
  static func model(_ bytes: [UInt8]) throws(BackdropError) -> (reader: FlatBufferReader, root: Table) {
    guard bytes.count >= 16, bytes[4..<8].elementsEqual("TFL3".utf8) else {
      throw BackdropError(.badData, "this is not a TensorFlow Lite model", hint: "give a .tflite file")
    }
    let reader = FlatBufferReader(bytes: bytes)
    return (reader, try reader.table(try reader.target(0)))
  }

  static func damaged(_ what: String) -> BackdropError {
    BackdropError(.badData, "the TensorFlow Lite model is damaged: \(what)", hint: "download the model file again")
  }

  private func check(_ position: Int, _ count: Int) throws(BackdropError) {
    guard position >= 0, count >= 0, position <= bytes.count, count <= bytes.count - position else {
      throw Self.damaged("position \(position) is outside its \(bytes.count) bytes")
    }
  }

  func u8(_ position: Int) throws(BackdropError) -> UInt8 {
    try check(position, 1)
    return bytes[position]
  }

  func u16(_ position: Int) throws(BackdropError) -> Int {
    try check(position, 2)
    return Int(bytes[position]) | Int(bytes[position + 1]) << 8
  }

  func u32(_ position: Int) throws(BackdropError) -> Int {
    try check(position, 4)
    return (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
  }

  func i32(_ position: Int) throws(BackdropError) -> Int { Int(Int32(truncatingIfNeeded: try u32(position))) }

  /// The target of the offset at `position`.
  func target(_ position: Int) throws(BackdropError) -> Int {
    let result = position + (try u32(position))
    try check(result, 4)
    return result
  }

  func table(_ position: Int) throws(BackdropError) -> Table {
    let fields = position - (try i32(position))
    let size = try u16(fields)
    guard size >= 4 && size.isMultiple(of: 2) else {
      throw Self.damaged("a table has a list of fields of \(size) bytes")
    }
    try check(fields, size)
    return Table(position: position, fields: fields, fieldCount: (size - 4) / 2)
  }

  /// The position of a field; `nil` if the table leaves it at its default.
  func field(_ table: Table, _ index: Int) throws(BackdropError) -> Int? {
    guard index < table.fieldCount else { return nil }
    let offset = try u16(table.fields + 4 + 2 * index)
    guard offset != 0 else { return nil }
    try check(table.position + offset, 1)
    return table.position + offset
  }

  /// The target of a field that is stored elsewhere.
  func reference(_ table: Table, _ index: Int) throws(BackdropError) -> Int? {
    guard let at = try field(table, index) else { return nil }
    return try target(at)
  }

  /// The number of a vector's elements, and the position of the first.
  func vector(_ position: Int, elementSize: Int) throws(BackdropError) -> (count: Int, first: Int) {
    let count = try u32(position)
    guard elementSize == 1 || count <= Self.longestVector else { throw Self.damaged("a list has \(count) entries") }
    try check(position + 4, count * elementSize)
    return (count, position + 4)
  }

  /// The targets of the entries of a vector of tables; empty if the field is absent.
  func tables(_ table: Table, _ index: Int) throws(BackdropError) -> [Int] { try entries(table, index, target) }

  /// A vector of 32-bit integers; empty if the field is absent.
  func integers(_ table: Table, _ index: Int) throws(BackdropError) -> [Int] { try entries(table, index, i32) }

  private func entries(
    _ table: Table, _ index: Int, _ read: (Int) throws(BackdropError) -> Int
  ) throws(BackdropError) -> [Int] {
    guard let at = try reference(table, index) else { return [] }
    let list = try vector(at, elementSize: 4)
    return try (0..<list.count).map { (k) throws(BackdropError) in try read(list.first + 4 * k) }
  }

  /// A string and the position of its characters; `nil` if the field is absent.
  func string(_ table: Table, _ index: Int) throws(BackdropError) -> (text: String, first: Int)? {
    guard let at = try reference(table, index) else { return nil }
    let list = try vector(at, elementSize: 1)
    return (String(decoding: bytes[list.first..<list.first + min(list.count, 4096)], as: UTF8.self), list.first)
  }
}
