import BackdropImaging

/// A directed reference between items (ISO/IEC 14496-12, 8.11.12), by its kind: `auxl` (auxiliary image of), `cdsc`
/// (describes), `dimg` (derived from), `thmb` (thumbnail of) and others.
package struct ItemReference: Sendable, Hashable {
  package var type: FourCC
  package var from: Int
  /// The items referred to, in order; one may occur several times.
  package var to: [Int]

  package init(_ type: FourCC, from: Int, to: [Int]) {
    self.type = type
    self.from = from
    self.to = to
  }

  static func all(_ box: Box, _ bytes: [UInt8], _ limits: HEICLimits) throws(BackdropError) -> [ItemReference] {
    let (reader, version, _) = try box.fullReader(bytes, newest: 1)
    let size = version == 0 ? 2 : 4
    var total = 0
    var result: [ItemReference] = []
    for part in try Box.all(in: reader, limit: limits.boxes) {
      var reader = part.reader(bytes)
      let from = Int(try reader.number(size))
      let count = try reader.uint16()
      total += count
      guard total <= limits.references else {
        throw box.error("the box has more than \(limits.references) references", .overLimit)
      }
      let to = try (0..<count).map { _ throws(BackdropError) in Int(try reader.number(size)) }
      result.append(ItemReference(part.type, from: from, to: to))
    }
    return result
  }

  /// Writes the whole box; nothing if there are no references.
  static func write(_ references: [ItemReference], to writer: inout ByteWriter) {
    guard !references.isEmpty else { return }
    let isLarge = references.contains { $0.from > 0xFFFF || $0.to.contains { $0 > 0xFFFF } }
    let size = isLarge ? 4 : 2
    writer.fullBox("iref", version: isLarge ? 1 : 0) { (writer: inout ByteWriter) in
      for reference in references {
        writer.box(reference.type) { (writer: inout ByteWriter) in
          writer.number(UInt64(reference.from), size: size)
          writer.uint16(reference.to.count)
          for item in reference.to { writer.number(UInt64(item), size: size) }
        }
      }
    }
  }
}
