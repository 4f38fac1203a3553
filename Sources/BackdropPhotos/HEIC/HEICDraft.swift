import BackdropImaging

/// A HEIC file being written: items with their bytes, properties and relations, new ones or those of an existing file.
///
/// A draft of an existing file keeps all of it, including parts that this library does not understand, and copies coded bytes without
/// re-encoding them.
package struct HEICDraft: Sendable {
  /// An item's bytes: new ones, or pieces of an existing file, which are copied only in writing.
  struct Content: Sendable {
    let source: [UInt8]
    let pieces: [Range<Int>]

    init(_ source: [UInt8], pieces: [Range<Int>]? = nil) {
      (self.source, self.pieces) = (source, pieces ?? [source.indices])
    }

    var count: Int { pieces.reduce(0) { $0 + $1.count } }

    func append(to bytes: inout [UInt8]) {
      for piece in pieces { bytes += source[piece] }
    }
  }

  struct Item: Sendable {
    var info: ItemInfo
    /// `nil` for items without bytes, such as identity derivations.
    var content: Content?
    /// Whether the bytes go into the item data box, like descriptions of grids.
    var isInline = false
    var properties: [HEICProperty.Association] = []
  }

  /// Its file types, the major brand first.
  var brands: [FourCC]
  var items: [Item] = []
  var references: [ItemReference] = []
  var primary = 0
  /// Other boxes in the meta box, including headers.
  var metaBoxes: [[UInt8]] = []
  /// Other boxes of the file, or bytes after its boxes.
  var fileBoxes: [[UInt8]] = []
  private(set) var nextID = 1
  private var copied = (bytes: 0, pieces: 0)

  package init() {
    brands = ["heic", "mif1", "heic", "miaf"]
    // ISO/IEC 14496-12, 8.7: all data is in this file.
    var writer = ByteWriter()
    writer.box("dinf") { (writer: inout ByteWriter) in
      writer.fullBox("dref") { (writer: inout ByteWriter) in
        writer.uint32(1)
        writer.fullBox("url ", flags: 1) { (_: inout ByteWriter) in }
      }
    }
    metaBoxes = [writer.bytes]
  }

  /// Copies a whole existing file.
  ///
  /// - Throws: `badData` if an item's position is impossible; `unsupported` for files that also contain a video, whose tables hold data
  ///   positions, and for data in other files.
  package init(copying file: HEICFile) throws(BackdropError) {
    brands = file.brands
    primary = file.primary.id
    references = file.references.filter { $0.type != "iloc" }
    metaBoxes = file.meta.others.map { Array(file.bytes[$0.range]) }
    let rebuilt: Set<FourCC> = ["ftyp", "meta", "mdat", "free", "skip"]
    for box in file.boxes where !rebuilt.contains(box.type) {
      guard box.type != "moov" && box.type != "moof" else {
        throw BackdropError(
          .unsupported, "the file also holds a video, which Backdrop cannot keep when it changes the photo",
          hint: "write a .jpg, or write the decoded picture to a new file")
      }
      fileBoxes.append(Array(file.bytes[box.range]))
    }
    if let last = file.boxes.last, last.range.upperBound < file.bytes.count {
      fileBoxes.append(Array(file.bytes[last.range.upperBound...]))
    }
    for info in file.meta.items {
      var item = Item(info: info, properties: file.meta.properties(of: info.id))
      if let location = file.meta.locations[info.id] {
        item.content = try carry(info.id, from: file)
        item.isInline = location.construction == .itemData
      }
      items.append(item)
      nextID = max(nextID, info.id + 1)
    }
  }

  mutating func add(
    _ type: FourCC, _ content: Content?, _ properties: [HEICProperty.Association] = [], isHidden: Bool = false,
    isInline: Bool = false
  ) throws(BackdropError) -> Int {
    let info = ItemInfo(id: nextID, type: type, isHidden: isHidden)
    return try add(Item(info: info, content: content, isInline: isInline, properties: properties))
  }

  /// Adds an item under the next number, ``nextID``, and returns it.
  mutating func add(_ item: Item) throws(BackdropError) -> Int {
    guard nextID < 0x7FFF_FFFF else { throw BackdropError(.overLimit, "the file has used up its item numbers") }
    nextID += 1
    items.append(item)
    return item.info.id
  }

  /// The bytes of another file's item, as ranges of that file.
  private mutating func carry(_ id: Int, from file: HEICFile) throws(BackdropError) -> Content {
    let content = Content(file.bytes, pieces: try file.pieces(of: id))
    copied.bytes += content.count
    copied.pieces += content.pieces.count
    guard copied.bytes <= file.limits.copies * file.bytes.count + 1 << 24, copied.pieces <= file.limits.steps else {
      throw BackdropError(
        .overLimit,
        "the file's items share its \(file.bytes.count) bytes; a copy would have \(copied.bytes) bytes, too many")
    }
    return content
  }

  func index(of id: Int) -> Int? { items.firstIndex { $0.info.id == id } }

  /// Removes an item with its descriptions, its parts, and items derived from it.
  mutating func remove(_ id: Int) {
    var doomed: Set<Int> = [id]
    // Finds descriptions, tiles, and pictures made of tiles. The fixed number of rounds limits the work for a hostile file.
    for _ in 0..<32 {
      var used: Set<Int> = [primary]
      for reference in references where reference.type != "dimg" || !doomed.contains(reference.from) {
        used.formUnion(reference.to)
      }
      var found: Set<Int> = []
      for reference in references {
        if doomed.contains(reference.from) {
          if reference.type == "dimg" { found.formUnion(reference.to.filter { !used.contains($0) }) }
          continue
        }
        let isOrphan =
          switch reference.type {
          case "cdsc", "auxl", "thmb": !reference.to.isEmpty && reference.to.allSatisfy(doomed.contains)
          // A picture that lacks a part cannot be shown.
          case "dimg": reference.from != primary && reference.to.contains(where: doomed.contains)
          default: false
          }
        if isOrphan { found.insert(reference.from) }
      }
      guard !found.isSubset(of: doomed) else { break }
      doomed.formUnion(found)
    }
    items.removeAll { doomed.contains($0.info.id) }
    references = references.compactMap { reference in
      guard !doomed.contains(reference.from) else { return nil }
      var reference = reference
      reference.to.removeAll { doomed.contains($0) }
      return reference.to.isEmpty ? nil : reference
    }
    metaBoxes = metaBoxes.map { HEICDraft.withoutEntities(doomed, $0) }
    // The brand `tmap` marks files with a picture derived from a gain map.
    if !items.contains(where: { $0.info.type == "tmap" }) { brands.removeAll { $0 == "tmap" } }
  }

  /// Entity groups (ISO/IEC 14496-12, 8.18) without some of their members; other boxes unchanged.
  private static func withoutEntities(_ doomed: Set<Int>, _ bytes: [UInt8]) -> [UInt8] {
    var reader = ByteReader(bytes)
    do {
      try reader.skip(4)
      guard FourCC(try reader.uint32()) == "grpl" else { return bytes }
      var writer = ByteWriter()
      try writer.box("grpl") { (writer: inout ByteWriter) throws(BackdropError) in
        for group in try Box.all(in: reader, limit: HEICLimits.standard.boxes) {
          var content = group.reader(bytes)
          let head = try content.data(8)
          var members: [Int] = []
          for _ in 0..<(try content.uint32()) { members.append(try content.uint32()) }
          members.removeAll { doomed.contains($0) }
          guard !members.isEmpty else { continue }
          let rest = try content.data(content.left)
          writer.box(group.type) { (writer: inout ByteWriter) in
            writer.data(head)
            writer.uint32(members.count)
            for member in members { writer.uint32(member) }
            writer.data(rest)
          }
        }
      }
      return writer.bytes
    } catch {
      // Keep groups that cannot be read.
      return bytes
    }
  }

  /// Copies a picture of another file with its tiles, properties and descriptions, as an auxiliary picture of the main one.
  mutating func addCopy(of item: HEICItem, from file: HEICFile, describing: Bool = true) throws(BackdropError) -> Int {
    var numbers: [Int: Int] = [:]
    let id = try copy(item, from: file, depth: 0, &numbers)
    references.append(ItemReference("auxl", from: id, to: [primary]))
    guard describing else { return id }
    for description in file.descriptions(of: item) {
      let copied = try copy(description, from: file, depth: 0, &numbers)
      references.append(ItemReference("cdsc", from: copied, to: [id]))
    }
    return id
  }

  private mutating func copy(_ item: HEICItem, from file: HEICFile, depth: Int, _ numbers: inout [Int: Int])
    throws(BackdropError) -> Int
  {
    if let known = numbers[item.id] { return known }
    guard depth < file.limits.depth else {
      throw BackdropError(.overLimit, "pictures refer to each other more than \(depth) levels deep")
    }
    var parts: [Int] = []
    for part in try file.targets("dimg", from: item) {
      parts.append(try copy(part, from: file, depth: depth + 1, &numbers))
    }
    let location = file.meta.locations[item.id]
    let content = location == nil ? nil : try carry(item.id, from: file)
    let info = ItemInfo(id: nextID, type: item.type, contentType: item.contentType, isHidden: item.isHidden)
    let id = try add(
      Item(info: info, content: content, isInline: location?.construction == .itemData, properties: item.properties))
    numbers[item.id] = id
    if !parts.isEmpty { references.append(ItemReference("dimg", from: id, to: parts)) }
    return id
  }
}
