import BackdropImaging

/// The meta box of a file (ISO/IEC 14496-12, 8.11.1), without the items' own bytes.
struct MetaBox: Sendable {
  var primary: Int
  /// In the file's order.
  var items: [ItemInfo] = []
  var locations: [Int: ItemLocation] = [:]
  var references: [ItemReference] = []
  /// The property container; associations count from 0.
  var properties: [HEICProperty] = []
  var associations: [Int: [(index: Int, isEssential: Bool)]] = [:]
  var itemData: Range<Int>?
  /// Other boxes to keep: entity groups, data information and unknown ones.
  var others: [Box] = []
  /// For each data reference, from 1, whether it is this file.
  var selfReferences: [Bool] = []

  init(_ box: Box, _ bytes: [UInt8], _ limits: HEICLimits) throws(BackdropError) {
    let (reader, _, _) = try box.fullReader(bytes, newest: 0)
    let boxes = try Box.all(in: reader, limit: limits.boxes)
    func first(_ type: FourCC) -> Box? { boxes.first { $0.type == type } }

    guard let handlerBox = first("hdlr"), let primaryBox = first("pitm"), let infoBox = first("iinf") else {
      throw BackdropError(
        .badData,
        "the file does not list its pictures (the 'meta' box at byte \(box.range.lowerBound) has no hdlr, pitm or iinf box)"
      )
    }
    var (part, _, _) = try handlerBox.fullReader(bytes)
    try part.skip(4)
    let handler = FourCC(try part.uint32())
    guard handler == "pict" else {
      throw BackdropError(.unsupported, "the file holds '\(handler)' items, not pictures")
    }
    let primaryVersion: Int
    (part, primaryVersion, _) = try primaryBox.fullReader(bytes)
    primary = try primaryVersion == 0 ? part.uint16() : part.uint32()

    items = try ItemInfo.all(infoBox, bytes, limits)
    var known = Set<Int>()
    for item in items {
      guard known.insert(item.id).inserted else { throw infoBox.error("item \(item.id) appears twice") }
    }
    if let box = first("iloc") { locations = try ItemLocation.all(box, bytes, limits) }
    if let box = first("iref") { references = try ItemReference.all(box, bytes, limits) }
    if let box = first("iprp") { try readProperties(box, bytes, limits) }
    if let box = first("dinf") { try readDataInformation(box, bytes, limits) }
    itemData = first("idat")?.body
    let understood: Set<FourCC> = ["hdlr", "pitm", "iinf", "iloc", "iref", "iprp", "idat", "free", "skip"]
    others = boxes.filter { !understood.contains($0.type) }
  }

  /// ISO/IEC 23008-12, 9.3: one container and any number of association boxes.
  private mutating func readProperties(_ box: Box, _ bytes: [UInt8], _ limits: HEICLimits) throws(BackdropError) {
    var associationsLeft = limits.associations
    for part in try Box.all(in: box.reader(bytes), limit: limits.boxes) {
      switch part.type {
      case "ipco":
        guard properties.isEmpty else { throw part.error("the box has a second list of properties") }
        for property in try Box.all(in: part.reader(bytes), limit: 0x8000) {
          properties.append(HEICProperty(property.type, body: Array(bytes[property.body])))
        }
      case "ipma": try readAssociations(part, bytes, limits, &associationsLeft)
      default: continue
      }
    }
    for (item, list) in associations {
      guard let bad = list.first(where: { $0.index >= properties.count }) else { continue }
      throw box.error("item \(item) has property \(bad.index + 1) of \(properties.count)")
    }
  }

  private mutating func readAssociations(
    _ box: Box, _ bytes: [UInt8], _ limits: HEICLimits, _ associationsLeft: inout Int
  ) throws(BackdropError) {
    var (reader, version, flags) = try box.fullReader(bytes)
    let count = try reader.uint32()
    try box.check(itemCount: count, limits)
    for _ in 0..<count {
      let item = try version < 1 ? reader.uint16() : reader.uint32()
      let amount = try reader.uint8()
      associationsLeft -= amount
      guard associationsLeft >= 0 else {
        throw box.error("the items have more than \(limits.associations) properties", .overLimit)
      }
      for _ in 0..<amount {
        let value = try flags & 1 != 0 ? reader.uint16() : reader.uint8() << 8
        // An index has seven or fifteen bits; 0 means no property.
        let index = flags & 1 != 0 ? value & 0x7FFF : value >> 8 & 0x7F
        guard index > 0 else { continue }
        associations[item, default: []].append((index - 1, value & 0x8000 != 0))
      }
    }
  }

  /// ISO/IEC 14496-12, 8.7.1 and 8.7.2: flag 1 of a data entry means that the data is in this file.
  private mutating func readDataInformation(_ box: Box, _ bytes: [UInt8], _ limits: HEICLimits) throws(BackdropError) {
    for part in try Box.all(in: box.reader(bytes), limit: limits.boxes) where part.type == "dref" {
      var (reader, _, _) = try part.fullReader(bytes)
      try reader.skip(4)
      for entry in try Box.all(in: reader, limit: limits.boxes) {
        let (_, _, flags) = try entry.fullReader(bytes)
        selfReferences.append(flags & 1 != 0)
      }
    }
  }

  func properties(of item: Int) -> [HEICProperty.Association] {
    (associations[item] ?? []).map {
      HEICProperty.Association(properties[$0.index], isEssential: $0.isEssential)
    }
  }
}
