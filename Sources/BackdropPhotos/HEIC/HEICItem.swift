import BackdropImaging

/// An item in a HEIC file: a coded or derived picture, a tile, or metadata (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12).
package struct HEICItem: Sendable {
  package let id: Int
  /// Its kind: `hvc1` (coded picture), `grid`, `iden`, `tmap` (derived pictures), `Exif`, `mime`, `uri ` and others.
  package let type: FourCC
  /// The media type of `mime` items; XMP is `application/rdf+xml`.
  package let contentType: String?
  /// Whether it should not be shown by itself.
  package let isHidden: Bool
  /// Its properties; transformations apply in this order.
  package let properties: [HEICProperty.Association]

  init(_ info: ItemInfo, _ properties: [HEICProperty.Association]) {
    id = info.id
    type = info.type ?? "mime"
    contentType = info.contentType
    isHidden = info.isHidden
    self.properties = properties
  }

  package func property(_ type: FourCC) -> HEICProperty? {
    properties.first { $0.property.type == type }?.property
  }

  /// Width and height as stored, before any transformation.
  package func storedSize(limits: HEICLimits = .standard) throws(BackdropError) -> (width: Int, height: Int) {
    guard let size = try property("ispe")?.size() else {
      throw BackdropError(.badData, "picture item \(id) ('\(type)') gives no size")
    }
    try limits.picture.check(width: size.width, height: size.height)
    return size
  }

  /// Rotations, mirrorings and crops, in their order.
  package func transforms() throws(BackdropError) -> [HEICTransform] {
    let found = try properties.map { association throws(BackdropError) in try association.property.transform() }
    return found.compactMap { $0 }
  }

  /// The mapping from the stored picture to the displayed one. EXIF's orientation only repeats it, so do not apply that as well.
  package func geometry(limits: HEICLimits = .standard) throws(BackdropError) -> HEICGeometry {
    let size = try storedSize(limits: limits)
    return try HEICGeometry(storedWidth: size.width, storedHeight: size.height, transforms: transforms())
  }

  /// The ICC profile, if it has one.
  package func icc() throws(BackdropError) -> [UInt8]? {
    for case .icc(let profile) in try colours() { return profile }
    return nil
  }

  /// The code points of its colours, if it has them.
  package func nclx() throws(BackdropError) -> NCLX? {
    for case .nclx(let colour) in try colours() { return colour }
    return nil
  }

  /// The colours of its samples: by the profile, or else by the code points; `nil` if it has neither.
  func colorSpace() throws(BackdropError) -> ColorSpace? {
    if let profile = try icc() {
      let isGray = try property("pixi")?.bitsPerChannel().count == 1
      return ColorSpace(icc: profile, forGray: isGray)
    }
    return try nclx().map { ColorSpace(primaries: $0.primaries, transfer: $0.transfer) }
  }

  private func colours() throws(BackdropError) -> [HEICProperty.Colour] {
    let found = properties.filter { $0.property.type == "colr" }
    return try found.map { association throws(BackdropError) in try association.property.colour() }
  }

  /// Bits per sample: from "pixi", or else from the decoder configuration.
  package func bitDepth() throws(BackdropError) -> Int {
    if let bits = try property("pixi")?.bitsPerChannel().max(), bits > 0 { return bits }
    if let configuration = property("hvcC") { return try HEVCConfiguration(configuration.body).bitDepth }
    throw BackdropError(.badData, "picture item \(id) ('\(type)') gives no bit depth")
  }
}

/// A picture beside the main one: depth, a matte, a gain map.
package struct HEICAuxiliary: Sendable {
  package let item: HEICItem
  /// Its kind, for example `urn:com:apple:photo:2018:aux:portraiteffectsmatte`.
  package let urn: String
  /// Bytes whose meaning depends on the URN; for `urn:mpeg:hevc:2015:auxid:2` (depth), an SEI message in a NAL unit after its length.
  package let subtype: [UInt8]
  /// Its target items: the main picture, and often a derived one with the same appearance.
  package let targets: [Int]
}
