import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Every form of the boxes in ISO/IEC 14496-12 and 23008-12, in generated files with known bytes.
@Suite struct HEICBoxTests {
  struct Form: Sendable, CustomTestStringConvertible {
    var version: Int
    var offset: Int
    var length: Int
    var base: Int
    var index: Int
    var testDescription: String { "iloc v\(version), sizes \(offset) \(length) \(base) \(index)" }
  }

  static let forms: [Form] = [0, 1, 2].flatMap { version in
    [4, 8].flatMap { offset in
      [4, 8].flatMap { length in
        [0, 4, 8].flatMap { base in
          (version == 0 ? [0] : [0, 4, 8]).map {
            Form(version: version, offset: offset, length: length, base: base, index: $0)
          }
        }
      }
    }
  }

  @Test(arguments: forms) func findsItems(_ form: Form) throws {
    var made = MadeHEIC()
    (made.ilocVersion, made.offsetSize, made.lengthSize) = (form.version, form.offset, form.length)
    (made.baseSize, made.indexSize) = (form.base, form.index)
    made.items = [
      MadeHEIC.Item(id: 1, pieces: [[1, 2, 3], [4], [5, 6]]),
      MadeHEIC.Item(id: 2, method: form.version > 0 ? 1 : 0, pieces: [[7, 8], [9, 10, 11]]),
      MadeHEIC.Item(id: 3, pieces: [Array(0...99)]),
    ]
    if form.version > 0 {
      // Across two pieces of item 1, then from item 2.
      let second = form.index > 0 ? 2 : 1
      made.items.append(
        MadeHEIC.Item(id: 4, method: 2, extents: [(form.index > 0 ? 1 : 0, 2, 3), (form.index > 0 ? 2 : 0, 1, 2)]))
      made.references = [ItemReference("iloc", from: 4, to: [1, 2].prefix(second).map { $0 })]
    }
    let file = try HEICFile(made.bytes())
    func data(_ id: Int) throws -> [UInt8] { try file.data(of: #require(file.item(id))) }
    #expect(try data(1) == [1, 2, 3, 4, 5, 6])
    #expect(try data(2) == [7, 8, 9, 10, 11])
    #expect(try data(3) == Array(0...99))
    if form.version > 0 { #expect(try data(4) == (form.index > 0 ? [3, 4, 5, 8, 9] : [3, 4, 5, 2, 3])) }
    // A draft writes the items again, whatever their form.
    let again = try HEICFile(HEICDraft(copying: file).encoded())
    for item in file.items { #expect(try again.data(of: #require(again.item(item.id))) == file.data(of: item)) }
  }

  /// ISO/IEC 14496-12, 8.11.3.1: an extent without a length, or with length 0, takes all bytes.
  @Test(arguments: [0, 4]) func takesAllWithoutLength(_ size: Int) throws {
    var made = MadeHEIC()
    made.lengthSize = size
    made.items = [
      MadeHEIC.Item(id: 1, method: 1, pieces: [[1, 2, 3]]),
      MadeHEIC.Item(id: 2, method: 2, extents: [(0, 1, 0)]),
      MadeHEIC.Item(id: 3, method: 2, extents: [(0, 4, 0)]),
    ]
    made.references = [2, 3].map { ItemReference("iloc", from: $0, to: [1]) }
    let file = try HEICFile(made.bytes())
    #expect(try file.data(of: file.primary) == [1, 2, 3])
    #expect(try file.data(of: #require(file.item(2))) == [2, 3])
    #expect(throws: BackdropError.self) { try file.data(of: #require(file.item(3))) }
  }

  @Test(arguments: [0, 1, 2, 3], [false, true]) func readsItemInformation(_ version: Int, _ isLarge: Bool) throws {
    var made = MadeHEIC()
    (made.infeVersion, made.hasLargeBoxes, made.endsOpen) = (version, isLarge, !isLarge)
    if version == 3 { (made.ilocVersion, made.ipmaVersion, made.irefVersion) = (2, 1, 1) }
    let id = version == 3 ? 0x12345 : 77
    made.primary = id
    made.items = [MadeHEIC.Item(id: id, type: version < 2 ? "mime" : "hvc1", contentType: "image/x", pieces: [[42]])]
    made.references = [ItemReference("cdsc", from: id, to: [id])]
    let file = try HEICFile(made.bytes())
    #expect(file.primary.id == id)
    #expect(file.meta.items[0].name == "name \(id)")
    #expect(file.primary.type == (version < 2 ? "mime" : "hvc1"))
    #expect(file.primary.contentType == (version < 2 ? "image/x" : nil))
    #expect(try file.data(of: file.primary) == [42])
    #expect(file.references == made.references)
    let again = try HEICFile(HEICDraft(copying: file).encoded())
    #expect(again.primary.id == id && again.primary.type == file.primary.type)
    #expect(again.meta.items[0].name == file.meta.items[0].name)
  }

  /// Property indices of 7 and of 15 bits; a copy keeps all numbers of items and properties.
  @Test(arguments: [0, 1], [false, true]) func readsAssociations(_ version: Int, _ isWide: Bool) throws {
    var made = MadeHEIC()
    (made.ipmaVersion, made.hasWideIndices) = (version, isWide)
    let count = isWide ? 400 : 127
    made.properties = (0..<count).map { HEICProperty("ispe", body: HEICProperty.size(width: $0 + 1, height: 7).body) }
    made.items = [
      MadeHEIC.Item(id: 1, pieces: [[1]], properties: [(count, true), (1, false), (0, false)]),
      MadeHEIC.Item(id: 2, pieces: [[1]], properties: [(2, true)]),
    ]
    for file in [try HEICFile(made.bytes()), try HEICFile(HEICDraft(copying: HEICFile(made.bytes())).encoded())] {
      #expect(try file.primary.storedSize() == (count, 7))
      #expect(file.primary.properties.map(\.isEssential) == [true, false])
      #expect(try file.primary.properties.map { try $0.property.size().width } == [count, 1])
      #expect(try file.item(2)?.storedSize().width == 2)
    }
  }

  @Test func severalTargetsAndUnknownProperties() throws {
    var made = MadeHEIC()
    made.properties = [.auxiliaryType("urn:x", subtype: [1, 2]), HEICProperty("what", body: [9, 9, 9])]
    made.items = [
      MadeHEIC.Item(id: 1, pieces: [[1]]), MadeHEIC.Item(id: 2, pieces: [[1]]),
      MadeHEIC.Item(id: 3, pieces: [[1]], properties: [(1, true), (2, false)]),
    ]
    made.references = [ItemReference("auxl", from: 3, to: [1, 2])]
    let file = try HEICFile(made.bytes())
    #expect(file.auxiliaries.count == 1)
    let found = try #require(file.auxiliaries.first)
    #expect(found.targets == [1, 2] && found.urn == "urn:x" && found.subtype == [1, 2])
    #expect(found.item.property("what")?.body == [9, 9, 9])
  }

  @Test func keepsWhatIsNotUnderstood() throws {
    var made = MadeHEIC()
    made.items = [MadeHEIC.Item(id: 1, pieces: [[1]]), MadeHEIC.Item(id: 2, type: "abcd", pieces: [[5, 6]])]
    var extra = ByteWriter()
    extra.box("wild") { (writer: inout ByteWriter) in writer.data([1, 2, 3]) }
    made.extra = extra.bytes
    // A box of another kind, and the data that some cameras append after all boxes.
    var tail = ByteWriter()
    tail.box("mpvd") { (writer: inout ByteWriter) in writer.data([7, 7]) }
    let end = tail.bytes + [0, 0, 0, 0, 0, 0, 0, 1, 2]
    let file = try HEICFile(made.bytes() + end)
    let written = try HEICDraft(copying: file).encoded()
    #expect(written.suffix(end.count).elementsEqual(end))
    let again = try HEICFile(written)
    #expect(again.meta.others.contains { again.bytes[$0.range].elementsEqual(extra.bytes) })
    #expect(try again.data(of: #require(again.item(2))) == [5, 6])
    #expect(again.item(2)?.type == "abcd")
    // Writing the written file again does not change it.
    #expect(try HEICDraft(copying: again).encoded() == written)
  }

  @Test func removesWhatBelongsTogether() throws {
    var made = MadeHEIC()
    made.items = (1...8).map { MadeHEIC.Item(id: $0, pieces: [[UInt8($0)]]) }
    made.references = [
      ItemReference("auxl", from: 2, to: [1]), ItemReference("cdsc", from: 3, to: [2]),
      ItemReference("dimg", from: 2, to: [4, 5]), ItemReference("dimg", from: 6, to: [5]),
      ItemReference("cdsc", from: 7, to: [1, 2]), ItemReference("thmb", from: 8, to: [2]),
    ]
    var groups = ByteWriter()
    groups.box("grpl") { (writer: inout ByteWriter) in
      writer.fullBox("altr") { (writer: inout ByteWriter) in
        for number in [100, 3, 1, 2, 6] { writer.uint32(number) }
      }
    }
    made.extra = groups.bytes
    var draft = try HEICDraft(copying: HEICFile(made.bytes()))
    draft.remove(2)
    // 5 is still a part of 6, and 7 still describes 1.
    #expect(draft.items.map(\.info.id) == [1, 5, 6, 7])
    #expect(draft.references == [ItemReference("dimg", from: 6, to: [5]), ItemReference("cdsc", from: 7, to: [1])])
    let file = try HEICFile(draft.encoded())
    let group = try #require(file.meta.others.first { $0.type == "grpl" })
    #expect(Array(file.bytes[group.range].suffix(12)) == [0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 6])
  }

  /// Rotations and crops compared with the properties' definitions, which move single pixels.
  @Test func transformsMovePixelsAsDefined() throws {
    let plane = Plane<UInt8>((0..<35).map { UInt8($0) }, width: 7, height: 5)
    let aperture = HEICTransform.cleanAperture(
      .init(width: .init(4), height: .init(3), offsetX: .init(-1, 2), offsetY: .init(0)))
    let steps: [HEICTransform] = [
      .rotation(quarters: 1), .rotation(quarters: 2), .rotation(quarters: 3), .mirrorTopBottom, .mirrorLeftRight,
    ]
    for (first, second) in product(steps, steps + [aperture]) {
      for third in steps {
        var expected = plane
        for step in [first, second, third] { expected = slow(step, expected) }
        let geometry = try HEICGeometry(storedWidth: 7, storedHeight: 5, transforms: [first, second, third])
        let picture = HEICPicture(
          .bytes(Image(gray: plane)), size: (7, 5), bitDepth: 8, isMonochrome: true, color: .jpeg)
        #expect(try picture.shown(geometry).luma8() == expected, "\(first) \(second) \(third)")
        // The same as one crop and one rotation.
        let again = try HEICGeometry(storedWidth: 7, storedHeight: 5, transforms: geometry.transforms)
        #expect(again == geometry)
      }
    }
  }

  private func slow(_ step: HEICTransform, _ plane: Plane<UInt8>) -> Plane<UInt8> {
    let (w, h) = (plane.width, plane.height)
    switch step {
    case .rotation(let quarters):
      var result = plane
      for _ in 0..<quarters {
        let before = result
        // Counter-clockwise: the right column becomes the top row.
        result = Plane(repeating: 0, width: before.height, height: before.width)
        for y in 0..<result.height { for x in 0..<result.width { result[x, y] = before[before.width - 1 - y, x] } }
      }
      return result
    case .mirrorTopBottom:
      var result = plane
      for y in 0..<h { for x in 0..<w { result[x, y] = plane[x, h - 1 - y] } }
      return result
    case .mirrorLeftRight:
      var result = plane
      for y in 0..<h { for x in 0..<w { result[x, y] = plane[w - 1 - x, y] } }
      return result
    case .cleanAperture:
      // Width 4, height 3, centre half a pixel to the left: 12.1.4.1's formula, rounded down.
      let (centerX, centerY) = (Double(w - 1) / 2 - 0.5, Double(h - 1) / 2)
      let (left, top) = (Int((centerX - 1.5).rounded(.down)), Int((centerY - 1).rounded(.down)))
      return Plane<UInt8>(width: 4, height: 3) { x, y in plane[left + x, top + y] }
    }
  }

  @Test func depthRangeMessages() throws {
    // iPhone 13 Pro; libheif 1.23.6 reads d_min 1.498046875, d_max 4.3828125, type 1.
    let apple: [UInt8] = [
      0, 0, 0, 0x11, 0, 0, 0, 0x0D, 0x4E, 0x01, 0xB1, 0x09, 0x35, 0x1F, 0x7B, 0xFC, 0x01, 0x0B, 0xC6, 0x20, 0x20,
    ]
    #expect(try DepthRepresentation(apple) == DepthRepresentation(least: 1.498046875, greatest: 4.3828125, type: 1))
    for value in [
      DepthRepresentation(least: 0, greatest: 1, type: 1), DepthRepresentation(near: 0.25, far: 1e6, type: 2),
      DepthRepresentation(least: -1.5, greatest: 0x1p-20, type: 1),
      DepthRepresentation(near: Double(Float(0.1)), far: Double(Float(123.456)), type: 0),
    ] {
      #expect(try DepthRepresentation(value.subtype) == value)
    }
    #expect(try DepthRepresentation([]) == nil)
  }
}
