import BackdropCodecs
import BackdropImaging

/// A HEIC file: pictures coded with HEVC in the boxes of the ISO base media file format (ISO/IEC 14496-12, 23008-12).
///
/// Opening a file reads its list of items and decodes nothing. ``decode(_:threads:turned:)`` decodes pictures one by one, so reading a
/// depth map does not decode the main picture.
///
///     let file = try HEICFile(InputFile.read("portrait.heic"))
///     for auxiliary in file.auxiliaries { print(auxiliary.urn, try auxiliary.item.storedSize()) }
///     let photo = try file.decode(file.primary).image()
package struct HEICFile: Sendable {
  package let bytes: [UInt8]
  package let limits: HEICLimits
  /// Its file types, the major brand first (ISO/IEC 14496-12, 4.3).
  package let brands: [FourCC]
  package let primary: HEICItem
  /// All items in the file's order.
  package let items: [HEICItem]
  /// Pictures beside the main one, in the file's order.
  package let auxiliaries: [HEICAuxiliary]
  package var references: [ItemReference] { meta.references }

  let boxes: [Box]
  let meta: MetaBox
  private let byNumber: [Int: HEICItem]
  /// References by their source item.
  let outgoing: [Int: [ItemReference]]
  /// Items that describe an item.
  private let describing: [Int: [Int]]

  /// Reads the boxes.
  ///
  /// - Throws: `badData` for a file that is not HEIC, is truncated, or is inconsistent; `overLimit` beyond `limits`; `unsupported` for
  ///   unknown box versions.
  package init(_ bytes: [UInt8], limits: HEICLimits = .standard) throws(BackdropError) {
    self.bytes = bytes
    self.limits = limits
    guard FileContent(bytes.span) == .heic else {
      throw BackdropError(.badData, "this is not a HEIC file", hint: "give a .heic or .heif photo")
    }
    boxes = try Box.all(in: ByteReader(bytes), limit: limits.boxes, toleratesTail: true)
    brands = try HEICFile.brands(boxes[0], bytes)
    guard let box = boxes.first(where: { $0.type == "meta" }) else {
      throw BackdropError(.badData, "the file has no pictures (none of its \(boxes.count) boxes is 'meta')")
    }
    let meta = try MetaBox(box, bytes, limits)
    self.meta = meta
    items = meta.items.map { HEICItem($0, meta.properties(of: $0.id)) }
    byNumber = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    guard let primary = byNumber[meta.primary] else {
      throw BackdropError(.badData, "the main picture is item \(meta.primary), which the file does not have")
    }
    self.primary = primary
    outgoing = Dictionary(grouping: meta.references, by: \.from)
    var describing: [Int: [Int]] = [:]
    for reference in meta.references where reference.type == "cdsc" {
      for target in reference.to { describing[target, default: []].append(reference.from) }
    }
    self.describing = describing
    auxiliaries = try HEICFile.auxiliaries(items, outgoing)
  }

  private static func brands(_ box: Box, _ bytes: [UInt8]) throws(BackdropError) -> [FourCC] {
    var reader = box.reader(bytes)
    var result = [FourCC(try reader.uint32())]
    try reader.skip(4)
    while reader.left >= 4 && result.count < 256 { result.append(FourCC(try reader.uint32())) }
    return result
  }

  private static func auxiliaries(_ items: [HEICItem], _ outgoing: [Int: [ItemReference]]) throws(BackdropError)
    -> [HEICAuxiliary]
  {
    var result: [HEICAuxiliary] = []
    for item in items {
      guard let property = item.property("auxC"), let references = outgoing[item.id] else { continue }
      let targets = references.filter { $0.type == "auxl" }.flatMap(\.to)
      guard !targets.isEmpty else { continue }
      let (urn, subtype) = try property.auxiliaryType()
      result.append(HEICAuxiliary(item: item, urn: urn, subtype: subtype, targets: targets))
    }
    return result
  }

  package func item(_ id: Int) -> HEICItem? { byNumber[id] }

  /// The targets of `item`'s references of a kind, in order.
  func targets(_ type: FourCC, from item: HEICItem) throws(BackdropError) -> [HEICItem] {
    var result: [HEICItem] = []
    for reference in outgoing[item.id] ?? [] where reference.type == type {
      for id in reference.to {
        guard let target = self.item(id) else {
          throw BackdropError(
            .badData, "item \(item.id) ('\(item.type)') refers to item \(id), which the file does not have")
        }
        result.append(target)
      }
    }
    return result
  }

  /// The items that describe `item` by "cdsc", such as its XMP.
  package func descriptions(of item: HEICItem) -> [HEICItem] {
    (describing[item.id] ?? []).compactMap { self.item($0) }
  }

  /// The XMP packet that describes `item`, as UTF-8 (ISO/IEC 23008-12, A.3); `nil` if there is none.
  package func xmp(of item: HEICItem) throws(BackdropError) -> [UInt8]? {
    let xmp = descriptions(of: item).first { $0.type == "mime" && $0.contentType == "application/rdf+xml" }
    return try xmp.map { xmp throws(BackdropError) in try data(of: xmp, limit: limits.metadata) }
  }

  /// The main picture's EXIF data, a TIFF structure (ISO/IEC 23008-12, A.2.1); `nil` if there is none.
  package func exif() throws(BackdropError) -> [UInt8]? {
    guard let item = descriptions(of: primary).first(where: { $0.type == "Exif" }) else { return nil }
    let data = try data(of: item, limit: limits.metadata)
    // The data begins with the offset of the TIFF header, counted from the end of this field.
    var reader = ByteReader(data)
    let start = data.count >= 4 ? try reader.uint32() : .max
    guard start <= data.count - 4 else {
      throw BackdropError(.badData, "the EXIF data has \(data.count) bytes, but claims to begin at byte \(start)")
    }
    return Array(data[(4 + start)...])
  }
}
