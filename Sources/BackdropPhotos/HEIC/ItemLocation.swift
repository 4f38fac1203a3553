import BackdropImaging

/// The positions of an item's bytes: an entry of the item location box (ISO/IEC 14496-12, 8.11.3).
struct ItemLocation: Sendable {
  /// The base of offsets.
  enum Construction: Int, Sendable {
    case file = 0
    case itemData = 1
    /// The beginning of another item, named by an "iloc" reference.
    case item = 2
  }

  struct Extent: Sendable {
    /// The index of the item's "iloc" reference, from 1; 0 for none.
    var index: Int
    var offset: UInt64
    /// 0 for everything.
    var length: UInt64
  }

  var construction: Construction
  /// 0 for this file.
  var dataReference: Int
  var baseOffset: UInt64
  var extents: [Extent]

  static func all(_ box: Box, _ bytes: [UInt8], _ limits: HEICLimits) throws(BackdropError) -> [Int: ItemLocation] {
    var (reader, version, _) = try box.fullReader(bytes, newest: 2)
    let sizes = try reader.uint16()
    let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
    let (baseSize, indexSize) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
    for size in [offsetSize, lengthSize, baseSize, indexSize] where size != 0 && size != 4 && size != 8 {
      throw box.error("a field has \(size) bytes; only 0, 4 and 8 are allowed")
    }
    let count = try version < 2 ? reader.uint16() : reader.uint32()
    try box.check(itemCount: count, limits)
    var result: [Int: ItemLocation] = [:]
    var extentsLeft = limits.extents
    for _ in 0..<count {
      let id = try version < 2 ? reader.uint16() : reader.uint32()
      let method = try version == 0 ? 0 : reader.uint16() & 15
      guard let construction = Construction(rawValue: method) else {
        throw box.error("item \(id) uses the construction method \(method), which Backdrop does not know", .unsupported)
      }
      let dataReference = try reader.uint16()
      let base = try reader.number(baseSize)
      let extentCount = try reader.uint16()
      extentsLeft -= extentCount
      guard extentsLeft >= 0 else {
        throw box.error("the items have more than \(limits.extents) pieces", .overLimit)
      }
      let extents = try (0..<extentCount).map { _ throws(BackdropError) in
        Extent(
          index: Int(clamping: try reader.number(indexSize)), offset: try reader.number(offsetSize),
          length: try reader.number(lengthSize))
      }
      let location = ItemLocation(
        construction: construction, dataReference: dataReference, baseOffset: base, extents: extents)
      guard result.updateValue(location, forKey: id) == nil else {
        throw box.error("item \(id) has two positions")
      }
    }
    return result
  }
}
