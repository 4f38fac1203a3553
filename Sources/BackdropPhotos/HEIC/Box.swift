import BackdropImaging

/// A box of the ISO base media file format (ISO/IEC 14496-12, 4.2), located but not read.
struct Box: Sendable {
  var type: FourCC
  /// The whole box, including its header.
  var range: Range<Int>
  /// The part after the header.
  var body: Range<Int>

  /// The boxes in a part of a file, one after the other.
  ///
  /// - Parameter toleratesTail: whether other bytes may follow, because some cameras append data to the file.
  static func all(in reader: ByteReader, limit: Int, toleratesTail: Bool = false) throws(BackdropError) -> [Box] {
    var reader = reader
    var result: [Box] = []
    while reader.left > 0 {
      guard result.count < limit else {
        throw BackdropError(.overLimit, "a box holds more than \(limit) boxes, at byte \(reader.position)")
      }
      if toleratesTail && !result.isEmpty && !looksLikeBox(reader) { break }
      result.append(try next(&reader, isTopLevel: toleratesTail))
    }
    return result
  }

  private static func looksLikeBox(_ reader: ByteReader) -> Bool {
    guard reader.left >= 8 else { return false }
    return FourCC(reader.bytes[reader.position + 4..<reader.position + 8].reduce(0) { $0 << 8 | Int($1) }).isPrintable
  }

  private static func next(_ reader: inout ByteReader, isTopLevel: Bool) throws(BackdropError) -> Box {
    let start = reader.position
    let end = reader.range.upperBound
    var size = UInt64(try reader.uint32())
    let type = FourCC(try reader.uint32())
    if size == 1 {
      size = try reader.number(8)
    } else if size == 0 {
      // "To the end of the file" is invalid in inner boxes.
      guard isTopLevel else { throw BackdropError(.badData, "box '\(type)' at byte \(start) has no size") }
      size = UInt64(end - start)
    }
    // The 16-byte name of a "uuid" box stays in the body; no code reads such boxes.
    guard size >= UInt64(reader.position - start), size <= UInt64(end - start) else {
      throw BackdropError(
        .badData, "box '\(type)' at byte \(start) claims \(size) bytes, and \(end - start) are left",
        hint: "the file is damaged or was cut off; download or copy it again")
    }
    let box = Box(type: type, range: start..<start + Int(size), body: reader.position..<start + Int(size))
    try reader.seek(to: box.range.upperBound)
    return box
  }

  func reader(_ bytes: [UInt8]) -> ByteReader { ByteReader(bytes, in: body) }

  /// A reader of the body after the version and flags of a full box (ISO/IEC 14496-12, 4.2).
  ///
  /// - Parameter newest: the newest known version; `nil` if all versions begin alike.
  func fullReader(
    _ bytes: [UInt8], newest: Int? = nil
  ) throws(BackdropError) -> (reader: ByteReader, version: Int, flags: Int) {
    var reader = reader(bytes)
    let version = try reader.uint8()
    let flags = Int(try reader.number(3))
    if let newest, version > newest { throw error("version \(version) is unknown", .unsupported) }
    return (reader, version, flags)
  }

  func check(itemCount count: Int, _ limits: HEICLimits) throws(BackdropError) {
    guard count <= limits.items else {
      throw error("the box has \(count) items; the limit is \(limits.items)", .overLimit)
    }
  }

  func error(_ problem: String, _ kind: BackdropError.Kind = .badData) -> BackdropError {
    BackdropError(kind, "\(problem), in box '\(type)' at byte \(range.lowerBound)")
  }
}

extension ByteWriter {
  /// Appends a box; its size is set when `content` returns.
  mutating func box<E: Error>(_ type: FourCC, _ content: (inout ByteWriter) throws(E) -> Void) throws(E) {
    let start = bytes.count
    uint32(0)
    number(UInt64(type.rawValue), size: 4)
    try content(&self)
    // Boxes with gigabytes of content write their own header.
    replace(at: start, UInt64(bytes.count - start), size: 4)
  }

  mutating func fullBox<E: Error>(
    _ type: FourCC, version: Int = 0, flags: Int = 0, _ content: (inout ByteWriter) throws(E) -> Void
  ) throws(E) {
    try box(type) { (writer: inout ByteWriter) throws(E) in
      writer.uint8(version)
      writer.number(UInt64(flags), size: 3)
      try content(&writer)
    }
  }
}
