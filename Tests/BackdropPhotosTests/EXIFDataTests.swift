import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Reading, changing and writing EXIF directories; damage to one part leaves the others intact.
@Suite struct EXIFDataTests {
  /// Entries in a directory at `offset`, values behind them.
  static func directory(
    _ entries: [(tag: Int, type: Int, value: [UInt8])], at offset: Int, next: Int = 0, _ order: ByteReader.Order
  ) -> [UInt8] {
    var head = ByteWriter(order: order)
    head.uint16(entries.count)
    var values: [UInt8] = []
    let start = offset + 2 + 12 * entries.count + 4
    for entry in entries {
      head.uint16(entry.tag)
      head.uint16(entry.type)
      head.uint32(entry.value.count / (EXIFDirectory.Entry.size(entry.type) ?? 1))
      if entry.value.count <= 4 {
        head.data(entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count))
      } else {
        head.uint32(start + values.count)
        values += entry.value
      }
    }
    head.uint32(next)
    return head.bytes + values
  }

  static func file(_ order: ByteReader.Order, _ directories: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(order: order)
    writer.data((order == .little ? "II" : "MM").utf8)
    writer.uint16(42)
    writer.uint32(8)
    return writer.bytes + directories
  }

  static func number(_ value: Int, _ order: ByteReader.Order) -> [UInt8] {
    var writer = ByteWriter(order: order)
    writer.uint32(value)
    return writer.bytes
  }

  @Test(arguments: [ByteReader.Order.big, .little]) func comesBack(order: ByteReader.Order) throws {
    var data = EXIFData(order: order)
    data.main[0x010F] = .init(tag: 0x010F, type: 2, value: Array("Somebody\0".utf8))
    data.main[0x0112] = .init(0x0112, [6], isLong: false, order)
    data[directory: EXIFData.Tag.gps] = EXIFDirectory(entries: [.init(tag: 0, type: 1, value: [2, 3, 0, 0])])
    var exif = EXIFDirectory(entries: [.init(0xA002, [4032], isLong: true, order)])
    var fraction = ByteWriter(order: order)
    fraction.uint32(1)
    fraction.uint32(125)
    exif[0x829A] = .init(tag: 0x829A, type: 5, value: fraction.bytes)
    data[directory: EXIFData.Tag.exif] = exif
    let bytes = data.encoded
    var again = try EXIFData(bytes)
    #expect(again.damagedParts == 0 && again.encoded == bytes)
    #expect(again.main[0x0112]?.number(order) == 6)
    #expect(again[directory: EXIFData.Tag.exif]?[0x829A]?.value.count == 8)
    #expect(PhotoMetadata(exif: bytes).exifOrientation == .right)
    again.setSize(width: 20, height: 10)
    #expect(again[directory: EXIFData.Tag.exif]?[0xA002]?.number(order) == 20 && again.main[0x0100] == nil)
  }

  /// A maker note with offsets from the structure's beginning keeps its position, even without the data before it.
  @Test func notesStay() throws {
    let note = [UInt8]("whatever it is".utf8)
    let inner = Self.directory([(0x927C, 7, note)], at: 600, .big)
    var bytes = Self.file(
      .big,
      Self.directory(
        [(0x010E, 2, [UInt8](repeating: 65, count: 500)), (0x8769, 4, Self.number(600, .big))], at: 8, .big))
    bytes += [UInt8](repeating: 0, count: 600 - bytes.count) + inner
    var data = try EXIFData(bytes)
    let offset = try #require(data[directory: EXIFData.Tag.exif]?[0x927C]?.offset)
    data.main[0x010E] = nil
    data.main[0x0131] = .init(tag: 0x0131, type: 2, value: [UInt8](repeating: 66, count: 5000))
    let written = data.encoded
    #expect(Array(written[offset..<offset + note.count]) == note)
    let again = try EXIFData(written)
    #expect(again.damagedParts == 0 && again[directory: EXIFData.Tag.exif]?[0x927C]?.offset == offset)
    #expect(again.main[0x0131]?.value == [UInt8](repeating: 66, count: 5000))
  }

  /// Loops, endlessly nested directories, values outside, more values than bytes: each damages only its own part.
  @Test func hostile() throws {
    let order = ByteReader.Order.little
    let loop = Self.file(
      order, Self.directory([(0x0112, 3, [1, 0]), (0x8769, 4, Self.number(8, order))], at: 8, next: 8, order))
    // The directory that contains itself, its entry, and the one that follows itself.
    let data = try EXIFData(loop)
    #expect(data.damagedParts == 3 && data.main[0x0112]?.number(order) == 1 && data.directories.count == 1)
    var outside = Self.file(
      order, Self.directory([(0x010E, 2, Array("abcdefgh".utf8)), (0x0112, 3, [3, 0])], at: 8, order))
    // The count, then the offset.
    for offset in [14, 18] {
      var bytes = outside
      bytes.replaceSubrange(offset..<offset + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
      let data = try EXIFData(bytes)
      #expect(data.damagedParts == 1 && data.main[0x010E] == nil && data.main[0x0112]?.number(order) == 3)
    }
    outside.removeLast(20)
    #expect(try EXIFData(outside).damagedParts > 0)
    // All values overlap.
    let entries = (0..<900).map { (tag: $0 + 1000, type: 1, value: [UInt8](repeating: 0, count: 4)) }
    var many = Self.file(order, Self.directory(entries, at: 8, order)) + [UInt8](repeating: 7, count: 60_000)
    for index in 0..<900 {
      many.replaceSubrange(10 + 12 * index + 4..<10 + 12 * index + 8, with: Self.number(60_000, order))
      many.replaceSubrange(10 + 12 * index + 8..<10 + 12 * index + 12, with: Self.number(8, order))
    }
    let few = try EXIFData(many)
    #expect(few.damagedParts > 890 && few.encoded.count < 3 * many.count)
    #expect(throws: BackdropError.self) { try EXIFData([1, 2, 3]) }
  }

  /// Image resources are kept, thumbnails removed, and a truncated resource leaves the others intact.
  @Test func imageResources() throws {
    func block(_ id: Int, _ data: [UInt8], name: String = "") -> [UInt8] {
      var writer = ByteWriter()
      writer.data("8BIM".utf8)
      writer.uint16(id)
      writer.uint8(name.utf8.count)
      writer.data(name.utf8)
      if name.utf8.count % 2 == 0 { writer.uint8(0) }
      writer.uint32(data.count)
      writer.data(data + (data.count % 2 == 0 ? [] : [0]))
      return writer.bytes
    }
    let kept = block(1028, [0x1C, 2, 120, 0, 1, 65, 7], name: "abc") + block(1005, [1, 2, 3, 4])
    let path = block(2000, [UInt8](repeating: 1, count: 26))
    let old = block(1036, [UInt8](repeating: 9, count: 40)) + block(4000, [0xFF, 0xD8, 0xFF, 0xDB, 0, 0])
    var resources = ImageResources(kept + old + path)
    #expect(resources.encoded == kept + old + path && resources.resources.count == 5)
    resources.describe(PictureReplacement())
    #expect(resources.encoded == kept + path)
    resources.describe(PictureReplacement(keepsGeometry: false))
    #expect(resources.encoded == kept)
    #expect(ImageResources(kept + Array(path.dropLast(3))).encoded == kept)
    #expect(ImageResources([1, 2, 3]).resources.isEmpty)
  }
}

extension EXIFDirectory.Entry {
  /// Its bytes as one number.
  fileprivate func number(_ order: ByteReader.Order) -> Int {
    (order == .big ? value : value.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }
}
