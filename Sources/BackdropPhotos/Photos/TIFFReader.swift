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
    var tag: Int
    var type: Int
    var count: Int
    /// The range of the value in the file.
    var content: Range<Int>
  }

  /// - Throws: `badData` for an invalid header.
  init(_ bytes: [UInt8], in range: Range<Int>? = nil) throws(BackdropError) {
    let range = (range ?? bytes.indices).clamped(to: bytes.indices)
    var reader = ByteReader(bytes, in: range)
    let mark = try reader.uint16()
    guard mark == 0x4949 || mark == 0x4D4D else {
      throw BackdropError(.badData, "the metadata is damaged (no TIFF header)", hint: "download or copy the file again")
    }
    order = mark == 0x4949 ? .little : .big
    reader.order = order
    guard try reader.uint16() == 42 else {
      throw BackdropError(.badData, "the metadata is damaged (no TIFF header)", hint: "download or copy the file again")
    }
    firstDirectory = try reader.uint32()
    self.bytes = bytes
    self.range = range
  }

  /// The range of a tag's value in the file; `nil` if the directory does not have it.
  func content(of tag: Int, at directory: Int) throws(BackdropError) -> Range<Int>? {
    try entry(tag, at: directory)?.content
  }

  /// The first number of an integer tag.
  func value(of tag: Int, at directory: Int) throws(BackdropError) -> Int? {
    guard let entry = try entry(tag, at: directory), entry.count > 0, let size = EXIFDirectory.Entry.size(entry.type),
      size <= 4
    else {
      return nil
    }
    var reader = ByteReader(bytes, in: entry.content, order: order)
    return Int(try reader.number(size))
  }

  /// The text of an ASCII tag, up to its first zero, without surrounding spaces.
  func text(of tag: Int, at directory: Int) throws(BackdropError) -> String? {
    guard let entry = try entry(tag, at: directory), entry.type == 2, entry.content.count <= 4096 else { return nil }
    let text = String(decoding: bytes[entry.content].prefix { $0 != 0 }, as: UTF8.self).trimmed
    return text.isEmpty ? nil : text
  }

  /// The first number of a signed or unsigned fraction tag.
  func fraction(of tag: Int, at directory: Int) throws(BackdropError) -> Double? {
    guard let entry = try entry(tag, at: directory), entry.type == 5 || entry.type == 10, entry.count > 0 else {
      return nil
    }
    var reader = ByteReader(bytes, in: entry.content, order: order)
    var (above, below) = (try reader.uint32(), try reader.uint32())
    if entry.type == 10 {
      (above, below) = (Int(Int32(truncatingIfNeeded: above)), Int(Int32(truncatingIfNeeded: below)))
    }
    return below == 0 ? nil : Double(above) / Double(below)
  }

  private func entry(_ tag: Int, at directory: Int) throws(BackdropError) -> Entry? {
    var reader = ByteReader(bytes, in: range, order: order)
    try reader.seek(to: range.lowerBound + directory)
    let count = try reader.uint16()
    for _ in 0..<count {
      guard try reader.uint16() == tag else {
        try reader.skip(10)
        continue
      }
      return try entry(tag, &reader)
    }
    return nil
  }

  /// The rest of an entry, after its tag; `nil` for a type without a size.
  private func entry(_ tag: Int, _ reader: inout ByteReader) throws(BackdropError) -> Entry? {
    let type = try reader.uint16()
    let values = try reader.uint32()
    let place = reader.position
    let offset = try reader.uint32()
    guard let size = EXIFDirectory.Entry.size(type) else { return nil }
    let length = values * size
    let start = length <= 4 ? place : range.lowerBound + offset
    guard start + length <= range.upperBound else {
      throw BackdropError(
        .badData, "the metadata is damaged (tag \(tag) lies outside the file)", hint: "download or copy the file again")
    }
    return Entry(tag: tag, type: type, count: values, content: start..<start + length)
  }

  /// The range of the two bytes of a short value in the first directory, for overwriting.
  func place(ofShort tag: Int) throws(BackdropError) -> Range<Int>? {
    guard let entry = try entry(tag, at: firstDirectory), entry.type == 3, entry.count == 1 else { return nil }
    return entry.content
  }
}
