import BackdropImaging
import Testing

@testable import BackdropPhotos

/// The number of pictures that a HEIC file shows (ISO/IEC 23008-12, 6.2 and 7; ISO/IEC 14496-12, 8.18).
struct HEICPictureCountTests {
  /// Three coded pictures, of which the first is the main one.
  private func file(
    _ references: [ItemReference] = [], grid: Bool = false, groups: (inout ByteWriter) -> Void = { _ in }
  ) throws -> HEICFile {
    var made = MadeHEIC()
    made.items = (1...3).map { id in
      var item = MadeHEIC.Item(id: id, type: grid && id == 1 ? "grid" : "hvc1")
      item.pieces = [[1, 2, 3]]
      return item
    }
    made.references = references
    var writer = ByteWriter()
    writer.box("grpl") { groups(&$0) }
    made.extra = writer.bytes
    return try HEICFile(made.bytes())
  }

  private func group(_ type: FourCC, _ members: [Int], count: Int? = nil, _ writer: inout ByteWriter) {
    writer.fullBox(type) { (writer: inout ByteWriter) in
      writer.uint32(9)
      writer.uint32(count ?? members.count)
      for member in members { writer.uint32(member) }
    }
  }

  @Test func collections() throws {
    #expect(try file().pictureCount == 3)
    #expect(try file([ItemReference("thmb", from: 2, to: [1])]).pictureCount == 2)
    #expect(
      try file([ItemReference("auxl", from: 2, to: [1]), ItemReference("auxl", from: 3, to: [1])]).pictureCount == 1)
    #expect(try file([ItemReference("dimg", from: 1, to: [2, 3])], grid: true).pictureCount == 1)
    #expect(try file { group("altr", [1, 2], &$0) }.pictureCount == 2)
    #expect(try file { group("altr", [2, 3], &$0) }.pictureCount == 2)
    #expect(try file { group("ster", [1, 2], &$0) }.pictureCount == 2)
    #expect(try file { group("brst", [1, 2, 3], &$0) }.pictureCount == 3)
  }

  /// Groups only describe relations, so those that are cut off count as none.
  @Test func damagedGroups() throws {
    #expect(try file { group("altr", [1, 2], count: 3, &$0) }.pictureCount == 3)
    #expect(try file { group("altr", [1, 2], count: 0xFFFF_FFFF, &$0) }.pictureCount == 3)
    #expect(try file { group("ster", [1, 7], &$0) }.stereoPair == nil)
    #expect(try file { group("ster", [2, 1], &$0) }.stereoPair?.left.id == 2)
  }

  @Test(arguments: [("pict", 4, 4), ("vide", 4, 3), ("pict", 2, 3)]) func sequences(
    handler: String, samples: Int, count: Int
  ) throws {
    var movie = ByteWriter()
    movie.box("moov") { (writer: inout ByteWriter) in
      writer.box("trak") { (writer: inout ByteWriter) in
        writer.box("mdia") { (writer: inout ByteWriter) in
          writer.fullBox("hdlr") { (writer: inout ByteWriter) in
            writer.uint32(0)
            writer.data(Array(handler.utf8))
          }
          writer.box("minf") { (writer: inout ByteWriter) in
            writer.box("stbl") { (writer: inout ByteWriter) in
              writer.fullBox("stsz") { (writer: inout ByteWriter) in
                writer.uint32(9)
                writer.uint32(samples)
              }
            }
          }
        }
      }
    }
    let bytes = try file().bytes + movie.bytes
    #expect(try HEICFile(bytes).pictureCount == count)
    // A table that is cut off does not affect the main picture.
    var cut = bytes
    cut.removeLast(4)
    cut[bytes.count - movie.bytes.count + 3] -= 4
    #expect(try HEICFile(cut).pictureCount == 3)
  }
}
