import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Deliberately invalid files, each with its expected kind of error.
@Suite struct HEICHostileTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    var name: String
    var kind: BackdropError.Kind
    var bytes: [UInt8]
    var testDescription: String { name }
  }

  static func box(_ type: FourCC, _ body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.box(type) { (writer: inout ByteWriter) in writer.data(body) }
    return writer.bytes
  }

  static let type = box("ftyp", Array("heic\u{0}\u{0}\u{0}\u{0}mif1".utf8))

  static func made(_ change: (inout MadeHEIC) -> Void) -> [UInt8] {
    var made = MadeHEIC()
    made.items = [MadeHEIC.Item(id: 1, type: "hvc1", pieces: [[1, 2, 3]])]
    change(&made)
    return made.bytes()
  }

  static let unopened: [Bad] = [
    Bad(name: "nothing", kind: .badData, bytes: []),
    Bad(name: "a JPEG", kind: .badData, bytes: [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 20)),
    Bad(name: "only a file type", kind: .badData, bytes: type),
    Bad(name: "a box of less than its header", kind: .badData, bytes: type + [0, 0, 0, 7] + FourCC("meta").bytes),
    Bad(
      name: "a box of 2^31 bytes", kind: .badData, bytes: type + [0x80, 0, 0, 0] + FourCC("meta").bytes),
    Bad(
      name: "a box of 2^64 - 1 bytes", kind: .badData,
      bytes: type + [0, 0, 0, 1] + FourCC("meta").bytes + [UInt8](repeating: 0xFF, count: 8)),
    Bad(
      name: "a large box of 0 bytes", kind: .badData,
      bytes: type + [0, 0, 0, 1] + FourCC("meta").bytes + [UInt8](repeating: 0, count: 8)),
    Bad(name: "an empty meta box", kind: .badData, bytes: type + box("meta", [])),
    Bad(name: "a meta box of nothing", kind: .badData, bytes: type + box("meta", [0, 0, 0, 0])),
    Bad(
      name: "an inner box without a size", kind: .badData,
      bytes: type + box("meta", [0, 0, 0, 0, 0, 0, 0, 0] + FourCC("hdlr").bytes)),
    Bad(name: "a main picture that is not there", kind: .badData, bytes: made { $0.primary = 9 }),
    Bad(
      name: "an item twice", kind: .badData,
      bytes: made { $0.items.append(MadeHEIC.Item(id: 1, pieces: [[1]])) }),
    Bad(
      name: "a property that is not there", kind: .badData,
      bytes: made { $0.items[0].properties = [(3, true)] }),
    Bad(name: "fields of three bytes", kind: .badData, bytes: made { $0.offsetSize = 3 }),
    Bad(
      name: "65,535 pieces without a byte, many times", kind: .overLimit,
      bytes: made {
        $0.offsetSize = 0
        $0.lengthSize = 0
        $0.items = (1...3).map { MadeHEIC.Item(id: $0, pieces: [[1]]) }
      }.claimingPieces()),
    Bad(
      name: "millions of items", kind: .overLimit,
      bytes: type
        + box(
          "meta",
          [0, 0, 0, 0]
            + box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + FourCC("pict").bytes + [UInt8](repeating: 0, count: 13))
            + box("pitm", [0, 0, 0, 0, 0, 1]) + box("iinf", [1, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF]))),
  ]

  @Test(arguments: unopened) func refusesToOpen(_ bad: Bad) {
    let error = refusal { try HEICFile(bad.bytes) }
    #expect(error?.kind == bad.kind, "\(error?.description ?? "")")
    #expect(error?.message.contains("\n") == false)
  }

  static let undecodable: [Bad] = [
    Bad(name: "no size", kind: .badData, bytes: made { _ in }),
    Bad(
      name: "no pixels", kind: .badData,
      bytes: made {
        $0.properties = [.size(width: 0, height: 9)]
        $0.items[0].properties = [(1, true)]
      }),
    Bad(
      name: "2^31 pixels on a side", kind: .overLimit,
      bytes: made {
        $0.properties = [.size(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)]
        $0.items[0].properties = [(1, true)]
      }),
    Bad(
      name: "no HEVC parameters", kind: .badData,
      bytes: made {
        $0.properties = [.size(width: 16, height: 16)]
        $0.items[0].properties = [(1, true)]
      }),
    Bad(
      name: "damaged coding parameters", kind: .badData,
      bytes: made {
        $0.properties = [.size(width: 16, height: 16), HEICProperty("hvcC", body: [UInt8](repeating: 1, count: 40))]
        $0.items[0].properties = [(1, true), (2, true)]
      }),
    Bad(
      name: "an essential property of another world", kind: .unsupported,
      bytes: made {
        $0.properties = [.size(width: 16, height: 16), HEICProperty("wild", body: [])]
        $0.items[0].properties = [(1, true), (2, true)]
      }),
    Bad(
      name: "a crop of more than there is", kind: .badData,
      bytes: made {
        $0.properties = [
          .size(width: 16, height: 16),
          HEICProperty(
            .cleanAperture(.init(width: .init(17), height: .init(1), offsetX: .init(0), offsetY: .init(0)))),
        ]
        $0.items[0].properties = [(1, true), (2, true)]
      }),
    Bad(
      name: "a crop divided by zero", kind: .badData,
      bytes: made {
        $0.properties = [.size(width: 16, height: 16), HEICProperty("clap", body: [UInt8](repeating: 0, count: 32))]
        $0.items[0].properties = [(1, true), (2, true)]
      }),
    Bad(
      name: "another codec", kind: .unsupported,
      bytes: made {
        $0.items[0].type = "av01"
        $0.properties = [.size(width: 16, height: 16)]
        $0.items[0].properties = [(1, true)]
      }),
    Bad(
      name: "an overlay", kind: .unsupported,
      bytes: made {
        $0.items[0].type = "iovl"
        $0.properties = [.size(width: 16, height: 16)]
        $0.items[0].properties = [(1, true)]
      }),
    Bad(
      name: "the same as itself", kind: .badData,
      bytes: made {
        $0.items[0].type = "iden"
        $0.properties = [.size(width: 16, height: 16)]
        $0.items[0].properties = [(1, true)]
        $0.references = [ItemReference("dimg", from: 1, to: [1])]
      }),
    Bad(
      name: "the same as each other", kind: .badData,
      bytes: made {
        $0.properties = [.size(width: 16, height: 16)]
        $0.items = [1, 2].map { MadeHEIC.Item(id: $0, type: "iden", pieces: [], properties: [(1, true)]) }
        $0.references = [ItemReference("dimg", from: 1, to: [2]), ItemReference("dimg", from: 2, to: [1])]
      }),
    Bad(
      name: "a grid of itself", kind: .unsupported,
      bytes: grid(rows: 1, columns: 1, width: 16, height: 16) {
        $0.references = [ItemReference("dimg", from: 1, to: [1])]
      }),
    Bad(
      name: "a grid with too few tiles", kind: .badData,
      bytes: grid(rows: 1, columns: 2, width: 32, height: 16) {
        $0.references = [ItemReference("dimg", from: 1, to: [2])]
      }),
    Bad(
      name: "a grid with no tiles", kind: .badData,
      bytes: grid(rows: 1, columns: 1, width: 16, height: 16) { _ in }),
    Bad(
      name: "a grid of tiles that are not there", kind: .badData,
      bytes: grid(rows: 1, columns: 1, width: 16, height: 16) {
        $0.references = [ItemReference("dimg", from: 1, to: [99])]
      }),
    Bad(
      name: "a grid that its tiles do not fill", kind: .badData,
      bytes: grid(rows: 1, columns: 1, width: 17, height: 16) {
        $0.references = [ItemReference("dimg", from: 1, to: [2])]
      }),
    Bad(
      name: "a grid of 2^32 pixels", kind: .overLimit,
      bytes: grid(rows: 256, columns: 256, width: 0xFFFF, height: 0xFFFF) {
        $0.references = [ItemReference("dimg", from: 1, to: [2])]
      }),
    Bad(
      name: "a grid with tiles outside", kind: .badData,
      bytes: grid(rows: 1, columns: 2, width: 16, height: 16) {
        $0.references = [ItemReference("dimg", from: 1, to: [2, 2])]
      }),
  ]

  static func grid(
    rows: Int, columns: Int, width: Int, height: Int, _ change: (inout MadeHEIC) -> Void
  ) -> [UInt8] {
    made {
      $0.properties = [.size(width: 16, height: 16), .size(width: width, height: height)]
      $0.items = [
        MadeHEIC.Item(
          id: 1, type: "grid", method: 1,
          pieces: [HEICGrid(rows: rows, columns: columns, width: width, height: height).bytes], properties: [(2, false)]
        ),
        MadeHEIC.Item(id: 2, type: "hvc1", pieces: [[1, 2, 3]], properties: [(1, false)]),
      ]
      change(&$0)
    }
  }

  @Test(arguments: undecodable) func refusesToDecode(_ bad: Bad) throws {
    let file = try HEICFile(bad.bytes)
    let error = refusal { try file.decode(file.primary) }
    #expect(error?.kind == bad.kind, "\(error?.description ?? "")")
  }

  @Test func refusesItemsMadeOfThemselves() throws {
    for loop in [[(1, 1)], [(1, 2), (2, 1)], [(1, 2), (2, 3), (3, 1)]] {
      var made = MadeHEIC()
      made.items = (1...3).map { MadeHEIC.Item(id: $0, method: 2, extents: [(0, 0, 0), (0, 0, 0)]) }
      made.references = loop.map { ItemReference("iloc", from: $0.0, to: [$0.1]) }
      let file = try HEICFile(made.bytes())
      #expect(refusal { try file.data(of: file.primary) }?.kind == .badData)
    }
  }

  @Test func doesNotMultiplyBytesOrWork() throws {
    // Each item is a thousand times the previous one: 1000^7 bytes.
    var made = MadeHEIC()
    made.indexSize = 4
    made.items = [MadeHEIC.Item(id: 1, method: 1, pieces: [Array(0...255)])]
    for id in 2...7 {
      made.items.append(
        MadeHEIC.Item(id: id, method: 2, extents: [(Int, Int, Int)](repeating: (1, 0, 0), count: 1000)))
      made.references.append(ItemReference("iloc", from: id, to: [id - 1]))
    }
    let file = try HEICFile(made.bytes())
    #expect(try file.data(of: file.primary).count == 256)
    let error = refusal { try file.data(of: #require(file.item(7))) }
    #expect(error?.kind == .badData || error?.kind == .overLimit)
  }

  /// Items may share bytes, but a photo must not need thousands of times the size of its file.
  @Test func doesNotCopySharedBytesForever() throws {
    var made = MadeHEIC()
    made.indexSize = 4
    made.properties = [.size(width: 16, height: 16), .auxiliaryType("urn:x")]
    made.items = [
      MadeHEIC.Item(id: 1, type: "hvc1", pieces: [[UInt8](repeating: 7, count: 400_000)], properties: [(1, true)])
    ]
    for id in 2...900 {
      made.items.append(
        MadeHEIC.Item(
          id: id, type: id % 2 == 0 ? "hvc1" : "mime", contentType: "application/rdf+xml", method: 2,
          extents: [(1, 0, 0)], properties: [(1, true), (2, true)]))
      made.references.append(ItemReference("iloc", from: id, to: [1]))
      made.references.append(
        id % 2 == 0 ? ItemReference("auxl", from: id, to: [1]) : ItemReference("cdsc", from: id, to: [id - 1]))
    }
    let file = try HEICFile(made.bytes())
    #expect(file.auxiliaries.count == 450)
    #expect(refusal { try HEICDraft(copying: file) }?.kind == .overLimit)
    #expect(refusal { try DepthPhoto(file) }?.kind == .overLimit)
  }

  /// The reader refuses every truncated file.
  @Test func refusesEveryBeginning() throws {
    var made = MadeHEIC()
    made.properties = [.size(width: 16, height: 16), .auxiliaryType("urn:x")]
    made.items = [
      MadeHEIC.Item(id: 1, type: "hvc1", pieces: [[1, 2, 3]], properties: [(1, true)]),
      MadeHEIC.Item(id: 2, type: "hvc1", pieces: [[1, 2, 3]], properties: [(1, true), (2, true)]),
    ]
    made.references = [ItemReference("auxl", from: 2, to: [1])]
    let bytes = made.bytes()
    _ = try HEICFile(bytes)
    for count in 0..<bytes.count {
      let error = #expect(throws: BackdropError.self, "\(count) bytes") {
        let file = try HEICFile(Array(bytes[..<count]))
        // The box of the items' bytes may be missing entirely.
        _ = try file.data(of: file.primary)
      }
      #expect(error?.kind == .badData)
    }
  }
}

extension [UInt8] {
  /// The file with 65,535 pieces in every item of its `iloc` box, which has version 1 and empty fields.
  fileprivate func claimingPieces() -> [UInt8] {
    var result = self
    let mark = FourCC("iloc").bytes
    guard let at = indices.first(where: { $0 + 4 <= count && self[$0..<$0 + 4].elementsEqual(mark) }) else {
      return self
    }
    // Version and flags, sizes, count; then number, method, reference and pieces for each.
    var offset = at + 4 + 4 + 2 + 2
    for _ in 0..<3 {
      result[offset + 6] = 0xFF
      result[offset + 7] = 0xFF
      offset += 8
    }
    return result
  }
}
