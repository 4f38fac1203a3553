import BackdropImaging

@testable import BackdropPhotos

/// A small HEIC file, assembled box by box in any form allowed by ISO/IEC 14496-12.
struct MadeHEIC: Sendable {
  struct Item: Sendable {
    var id: Int
    var type: FourCC = "mime"
    var contentType = "application/octet-stream"
    /// The construction method: 0 file, 1 item data box, 2 other items.
    var method = 0
    /// The item's bytes, one piece for each extent.
    var pieces: [[UInt8]] = []
    /// For method 2: the position of each piece, as index of reference from 1, offset and length.
    var extents: [(index: Int, offset: Int, length: Int)] = []
    /// Properties, numbered from 1, with the essential mark.
    var properties: [(index: Int, isEssential: Bool)] = []
  }

  var ilocVersion = 1
  var offsetSize = 4
  var lengthSize = 4
  var baseSize = 0
  var indexSize = 0
  var infeVersion = 2
  var ipmaVersion = 0
  var hasWideIndices = false
  var irefVersion = 0
  /// Whether boxes store their sizes in eight bytes.
  var hasLargeBoxes = false
  /// Whether the last box has no size.
  var endsOpen = false
  var items: [Item] = []
  var references: [ItemReference] = []
  var properties: [HEICProperty] = []
  var primary = 1
  /// Additional content of the meta box.
  var extra: [UInt8] = []

  /// Bytes between pieces, to detect a wrong offset.
  private static let gap: [UInt8] = [0xEE, 0xEE, 0xEE]

  func bytes() -> [UInt8] {
    var writer = ByteWriter()
    writer.box("ftyp") { $0.data(Array("heic\u{0}\u{0}\u{0}\u{0}mif1heic".utf8)) }
    let start = writer.bytes.count
    let length = meta(mediaStart: 0).count
    writer.data(meta(mediaStart: start + length + (hasLargeBoxes ? 16 : 8)))
    let boxStart = writer.bytes.count
    box("mdat", &writer) { writer in
      for item in items where item.method == 0 {
        for piece in item.pieces { writer.data(Self.gap + piece) }
      }
    }
    if endsOpen { writer.replace(at: boxStart, 0, size: 4) }
    return writer.bytes
  }

  private func box(_ type: FourCC, _ writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void) {
    guard hasLargeBoxes else { return writer.box(type, content) }
    var inner = ByteWriter()
    content(&inner)
    writer.uint32(1)
    writer.data(type.bytes)
    writer.number(UInt64(inner.bytes.count + 16), size: 8)
    writer.data(inner.bytes)
  }

  private func full(
    _ type: FourCC, _ version: Int, _ flags: Int, _ writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void
  ) {
    box(type, &writer) {
      $0.uint8(version)
      $0.number(UInt64(flags), size: 3)
      content(&$0)
    }
  }

  private func meta(mediaStart: Int) -> [UInt8] {
    var writer = ByteWriter()
    full("meta", 0, 0, &writer) { writer in
      full("hdlr", 0, 0, &writer) {
        $0.uint32(0)
        $0.data(FourCC("pict").bytes)
        $0.data([UInt8](repeating: 0, count: 13))
      }
      full("pitm", ilocVersion == 2 ? 1 : 0, 0, &writer) { $0.number(UInt64(primary), size: ilocVersion == 2 ? 4 : 2) }
      writeInfo(&writer)
      if !references.isEmpty {
        full("iref", irefVersion, 0, &writer) { writer in
          let size = irefVersion == 0 ? 2 : 4
          for reference in references {
            box(reference.type, &writer) { writer in
              writer.number(UInt64(reference.from), size: size)
              writer.uint16(reference.to.count)
              for item in reference.to { writer.number(UInt64(item), size: size) }
            }
          }
        }
      }
      writeProperties(&writer)
      let inline = items.filter { $0.method == 1 }.flatMap(\.pieces)
      if !inline.isEmpty { box("idat", &writer) { for piece in inline { $0.data(Self.gap + piece) } } }
      writeLocations(&writer, mediaStart)
      writer.data(extra)
    }
    return writer.bytes
  }

  private func writeInfo(_ writer: inout ByteWriter) {
    full("iinf", infeVersion == 3 ? 1 : 0, 0, &writer) { writer in
      writer.number(UInt64(items.count), size: infeVersion == 3 ? 4 : 2)
      for item in items {
        full("infe", infeVersion, 0, &writer) { writer in
          writer.number(UInt64(item.id), size: infeVersion == 3 ? 4 : 2)
          writer.uint16(0)
          if infeVersion >= 2 { writer.data(item.type.bytes) }
          writer.string("name \(item.id)")
          if infeVersion < 2 || item.type == "mime" {
            writer.string(item.contentType)
            writer.string("")
          }
        }
      }
    }
  }

  private func writeProperties(_ writer: inout ByteWriter) {
    box("iprp", &writer) { writer in
      box("ipco", &writer) { writer in
        for property in properties { box(property.type, &writer) { $0.data(property.body) } }
      }
      full("ipma", ipmaVersion, hasWideIndices ? 1 : 0, &writer) { writer in
        let described = items.filter { !$0.properties.isEmpty }
        writer.uint32(described.count)
        for item in described {
          writer.number(UInt64(item.id), size: ipmaVersion == 0 ? 2 : 4)
          writer.uint8(item.properties.count)
          for (index, isEssential) in item.properties {
            writer.number(
              UInt64(index | (isEssential ? (hasWideIndices ? 0x8000 : 0x80) : 0)), size: hasWideIndices ? 2 : 1)
          }
        }
      }
    }
  }

  private func writeLocations(_ writer: inout ByteWriter, _ mediaStart: Int) {
    full("iloc", ilocVersion, 0, &writer) { writer in
      writer.uint8(offsetSize << 4 | lengthSize)
      writer.uint8(baseSize << 4 | (ilocVersion == 0 ? 0 : indexSize))
      writer.number(UInt64(items.count), size: ilocVersion == 2 ? 4 : 2)
      var offsets = [mediaStart, 0]
      for item in items {
        writer.number(UInt64(item.id), size: ilocVersion == 2 ? 4 : 2)
        if ilocVersion > 0 { writer.uint16(item.method) }
        writer.uint16(0)
        var found = item.extents
        if item.method < 2 {
          for piece in item.pieces {
            found.append((0, offsets[item.method] + Self.gap.count, piece.count))
            offsets[item.method] += Self.gap.count + piece.count
          }
        }
        // The base is as large as possible, so that both parts matter.
        let base = baseSize == 0 ? 0 : found.map(\.offset).min() ?? 0
        writer.number(UInt64(base), size: baseSize)
        writer.uint16(found.count)
        for extent in found {
          if ilocVersion > 0 { writer.number(UInt64(extent.index), size: indexSize) }
          writer.number(UInt64(extent.offset - base), size: offsetSize)
          writer.number(UInt64(extent.length), size: lengthSize)
        }
      }
    }
  }
}
