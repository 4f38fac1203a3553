import BackdropImaging

extension HEICDraft {
  /// The file's bytes.
  package func encoded() throws(BackdropError) -> [UInt8] {
    var writer = ByteWriter()
    writer.box("ftyp") { (writer: inout ByteWriter) in
      for (index, brand) in brands.enumerated() {
        writer.data(brand.bytes)
        // The minor version comes after the major brand.
        if index == 0 { writer.uint32(0) }
      }
    }
    let start = writer.bytes.count
    // Offsets have a fixed size, so the box has the same length with the final ones.
    let length = try meta(mediaStart: 0).count
    let mediaStart = start + length + 8
    writer.data(try meta(mediaStart: mediaStart))
    let media = items.filter { !$0.isInline }.compactMap(\.content)
    let mediaLength = media.reduce(8) { $0 + $1.count }
    guard mediaStart + mediaLength < 0xFFFF_FFFF else {
      throw BackdropError(.overLimit, "the HEIC file would have \(mediaStart + mediaLength) bytes, too many")
    }
    var bytes = writer.bytes
    bytes.reserveCapacity(mediaStart + mediaLength + fileBoxes.reduce(0) { $0 + $1.count })
    var header = ByteWriter()
    header.uint32(mediaLength)
    header.data(FourCC("mdat").bytes)
    bytes += header.bytes
    for content in media { content.append(to: &bytes) }
    for box in fileBoxes { bytes += box }
    return bytes
  }

  private func meta(mediaStart: Int) throws(BackdropError) -> [UInt8] {
    let table = try PropertyTable(items)
    var writer = ByteWriter()
    writer.fullBox("meta") { (writer: inout ByteWriter) in
      writer.fullBox("hdlr") { (writer: inout ByteWriter) in
        writer.uint32(0)
        writer.data(FourCC("pict").bytes)
        writer.data([UInt8](repeating: 0, count: 12))
        writer.string("")
      }
      for box in metaBoxes { writer.data(box) }
      let isLarge = items.contains { $0.info.id > 0xFFFF }
      writer.fullBox("pitm", version: isLarge ? 1 : 0) { (writer: inout ByteWriter) in
        writer.number(UInt64(primary), size: isLarge ? 4 : 2)
      }
      let isLong = items.count > 0xFFFF
      writer.fullBox("iinf", version: isLong ? 1 : 0) { (writer: inout ByteWriter) in
        writer.number(UInt64(items.count), size: isLong ? 4 : 2)
        for item in items { item.info.write(to: &writer) }
      }
      ItemReference.write(references, to: &writer)
      table.write(to: &writer)
      let inline = items.filter(\.isInline).compactMap(\.content)
      if !inline.isEmpty {
        writer.box("idat") { (writer: inout ByteWriter) in
          var bytes: [UInt8] = []
          for content in inline { content.append(to: &bytes) }
          writer.data(bytes)
        }
      }
      writeLocations(mediaStart: mediaStart, to: &writer)
    }
    return writer.bytes
  }

  private func writeLocations(mediaStart: Int, to writer: inout ByteWriter) {
    let placed = items.filter { $0.content != nil }
    let isLarge = placed.count > 0xFFFF || placed.contains { $0.info.id > 0xFFFF }
    writer.fullBox("iloc", version: isLarge ? 2 : 1) { (writer: inout ByteWriter) in
      // Offsets and lengths of four bytes, no base offsets, no indices.
      writer.uint16(0x4400)
      writer.number(UInt64(placed.count), size: isLarge ? 4 : 2)
      var (media, inline) = (mediaStart, 0)
      for item in placed {
        let count = item.content?.count ?? 0
        writer.number(UInt64(item.info.id), size: isLarge ? 4 : 2)
        writer.uint16(item.isInline ? 1 : 0)
        writer.uint16(0)
        // A length of 0 would mean "everything".
        writer.uint16(count > 0 ? 1 : 0)
        guard count > 0 else { continue }
        writer.uint32(item.isInline ? inline : media)
        writer.uint32(count)
        if item.isInline { inline += count } else { media += count }
      }
    }
  }
}

/// The properties of all items, each written once (ISO/IEC 23008-12, 9.3).
private struct PropertyTable {
  private var properties: [HEICProperty] = []
  private var associations: [(item: Int, list: [(index: Int, isEssential: Bool)])] = []

  init(_ items: [HEICDraft.Item]) throws(BackdropError) {
    var known: [HEICProperty: Int] = [:]
    // The box lists items in the order of their numbers.
    for item in items.sorted(by: { $0.info.id < $1.info.id }) where !item.properties.isEmpty {
      var list: [(index: Int, isEssential: Bool)] = []
      for association in item.properties {
        let index = known[association.property] ?? properties.count
        if index == properties.count {
          properties.append(association.property)
          known[association.property] = index
        }
        list.append((index, association.isEssential))
      }
      guard list.count <= 255, properties.count < 0x7FFF else {
        throw BackdropError(
          .overLimit,
          "the HEIC file would have \(properties.count) properties, \(list.count) of them for one item: too many")
      }
      associations.append((item.info.id, list))
    }
  }

  func write(to writer: inout ByteWriter) {
    writer.box("iprp") { (writer: inout ByteWriter) in
      writer.box("ipco") { (writer: inout ByteWriter) in
        for property in properties {
          writer.box(property.type) { (writer: inout ByteWriter) in writer.data(property.body) }
        }
      }
      let isWide = properties.count > 127
      let isLarge = associations.contains { $0.item > 0xFFFF }
      writer.fullBox("ipma", version: isLarge ? 1 : 0, flags: isWide ? 1 : 0) { (writer: inout ByteWriter) in
        writer.uint32(associations.count)
        for (item, list) in associations {
          writer.number(UInt64(item), size: isLarge ? 4 : 2)
          writer.uint8(list.count)
          for (index, isEssential) in list {
            // Indices count from 1; the highest bit is the essential flag.
            if isWide {
              writer.uint16(index + 1 | (isEssential ? 0x8000 : 0))
            } else {
              writer.uint8(index + 1 | (isEssential ? 0x80 : 0))
            }
          }
        }
      }
    }
  }
}
