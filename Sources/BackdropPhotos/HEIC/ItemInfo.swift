import BackdropImaging

/// The kind of an item: an entry of the item information box (ISO/IEC 14496-12, 8.11.6).
struct ItemInfo: Sendable {
  var id: Int
  /// The item's type; `nil` in entries of versions 0 and 1, which only know a media type.
  var type: FourCC?
  var protection = 0
  var name = ""
  /// The media type of "mime" items.
  var contentType: String?
  var contentEncoding = ""
  var uriType: String?
  var isHidden = false

  static func all(_ box: Box, _ bytes: [UInt8], _ limits: HEICLimits) throws(BackdropError) -> [ItemInfo] {
    var (reader, version, _) = try box.fullReader(bytes, newest: 1)
    let count = try version == 0 ? reader.uint16() : reader.uint32()
    try box.check(itemCount: count, limits)
    var result: [ItemInfo] = []
    for entry in try Box.all(in: reader, limit: limits.items) {
      // Entries beyond the count do not belong to the list.
      guard result.count < count else { break }
      guard entry.type == "infe" else { continue }
      result.append(try ItemInfo(entry, bytes))
    }
    guard result.count == count else {
      throw box.error("the box claims \(count) items, and \(result.count) follow")
    }
    return result
  }

  func write(to writer: inout ByteWriter) {
    let old = type == nil
    let version = old ? 0 : id > 0xFFFF ? 3 : 2
    writer.fullBox("infe", version: version, flags: isHidden && !old ? 1 : 0) { (writer: inout ByteWriter) in
      writer.number(UInt64(id), size: version == 3 ? 4 : 2)
      writer.uint16(protection)
      if let type { writer.number(UInt64(type.rawValue), size: 4) }
      writer.string(name)
      if let contentType {
        writer.string(contentType)
        if old || !contentEncoding.isEmpty { writer.string(contentEncoding) }
      }
      if let uriType { writer.string(uriType) }
    }
  }
}

extension ItemInfo {
  fileprivate init(_ box: Box, _ bytes: [UInt8]) throws(BackdropError) {
    var (reader, version, flags) = try box.fullReader(bytes)
    switch version {
    case 0, 1:
      id = try reader.uint16()
      protection = try reader.uint16()
      name = reader.string()
      contentType = reader.string()
      contentEncoding = reader.string()
    // The optional extension of version 1 describes delivery (8.11.6.2), which pictures do not need.
    case 2, 3:
      id = try version == 2 ? reader.uint16() : reader.uint32()
      protection = try reader.uint16()
      let type = FourCC(try reader.uint32())
      self.type = type
      name = reader.string()
      if type == "mime" {
        contentType = reader.string()
        contentEncoding = reader.string()
      } else if type == "uri " {
        uriType = reader.string()
      }
      // ISO/IEC 23008-12, 6.4.2: flag 1 marks an item that should not be shown by itself.
      isHidden = flags & 1 != 0
    default: throw box.error("version \(version) is unknown", .unsupported)
    }
  }
}
