import BackdropImaging

/// Looks up tags in the directories of a TIFF structure (TIFF 6.0, section 2), as used in EXIF and MPF.
///
/// Reads one directory at a time and follows no links, so a loop cannot trap it.
struct TIFFReader: Sendable {
  private let bytes: [UInt8]
  /// The whole structure; offsets count from its start.
  let range: Range<Int>
  let order: ByteReader.Order
  /// The position of the first directory, from the start of the structure.
  let firstDirectory: Int

  struct Entry {
    var type: Int
    var count: Int
    /// The range of the value in the file.
    var content: Range<Int>
  }

  init(_ bytes: [UInt8], in range: Range<Int>? = nil) throws(BackdropError) {
    let range = (range ?? bytes.indices).clamped(to: bytes.indices)
    var reader = ByteReader(bytes, in: range)
    let mark = try reader.uint16()
    order = mark == 0x4949 ? .little : .big
    reader.order = order
    guard mark == 0x4949 || mark == 0x4D4D, try reader.uint16() == 42 else {
      throw BackdropError(damaged: "the metadata is damaged (no TIFF header)")
    }
    firstDirectory = try reader.uint32()
    self.bytes = bytes
    self.range = range
  }

  // These methods search a directory, by default the first one.

  /// The range of a tag's value in the file; `nil` if the directory does not have it.
  func content(of tag: Int, at directory: Int? = nil) throws(BackdropError) -> Range<Int>? {
    try entry(tag, at: directory)?.content
  }

  /// The first number of an integer tag.
  func value(of tag: Int, at directory: Int? = nil) throws(BackdropError) -> Int? {
    guard let entry = try entry(tag, at: directory), entry.count > 0, let size = EXIFDirectory.Entry.size(entry.type),
      size <= 4
    else { return nil }
    var reader = ByteReader(bytes, in: entry.content, order: order)
    return Int(try reader.number(size))
  }

  /// The text of an ASCII tag, up to its first zero, without surrounding spaces.
  func text(of tag: Int, at directory: Int? = nil) throws(BackdropError) -> String? {
    guard let entry = try entry(tag, at: directory), entry.type == 2, entry.content.count <= 4096 else { return nil }
    let text = String(decoding: bytes[entry.content].prefix { $0 != 0 }, as: UTF8.self).trimmed
    return text.isEmpty ? nil : text
  }

  /// The first number of a signed or unsigned fraction tag.
  func fraction(of tag: Int, at directory: Int? = nil) throws(BackdropError) -> Double? {
    guard let entry = try entry(tag, at: directory), [5, 10].contains(entry.type), entry.count > 0 else { return nil }
    var reader = ByteReader(bytes, in: entry.content, order: order)
    let (above, below) =
      try entry.type == 10 ? (reader.signed(4), reader.signed(4)) : (reader.uint32(), reader.uint32())
    return below == 0 ? nil : Double(above) / Double(below)
  }

  /// The first entry of a tag; `nil` if there is none, and for a type without a size.
  private func entry(_ tag: Int, at directory: Int?) throws(BackdropError) -> Entry? {
    var reader = ByteReader(bytes, in: range, order: order)
    try reader.seek(to: range.lowerBound + (directory ?? firstDirectory))
    for _ in 0..<(try reader.uint16()) {
      guard try reader.uint16() == tag else {
        try reader.skip(10)
        continue
      }
      let (type, values) = (try reader.uint16(), try reader.uint32())
      let field = reader.position
      let offset = try reader.uint32()
      guard let size = EXIFDirectory.Entry.size(type) else { return nil }
      let length = values * size
      let start = length <= 4 ? field : range.lowerBound + offset
      guard start + length <= range.upperBound else {
        throw BackdropError(damaged: "the metadata is damaged (tag \(tag) lies outside the file)")
      }
      return Entry(type: type, count: values, content: start..<start + length)
    }
    return nil
  }

  /// The range of the two bytes of a short value in the first directory, for overwriting.
  func contentRange(ofShort tag: Int) throws(BackdropError) -> Range<Int>? {
    try entry(tag, at: nil).flatMap { $0.type == 3 && $0.count == 1 ? $0.content : nil }
  }
}
