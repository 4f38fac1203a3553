import BackdropCodecs
import BackdropImaging

extension HEICAuxiliary {
  /// Whether it is the picture's alpha (ISO/IEC 23008-12, 6.5.8 and annex B).
  var isAlpha: Bool { Self.alphaURNs.contains(urn) }

  /// The types for HEVC, for AVC, and for any codec.
  static let alphaURNs = [
    "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
  ]
}

extension HEICFile {
  /// The picture of an item's alpha, and whether its colours are multiplied by it; `nil` if it has none.
  func alpha(of item: HEICItem) -> (item: HEICItem, isPremultiplied: Bool)? {
    guard let found = auxiliaries.first(where: { $0.isAlpha && $0.targets.contains(item.id) })?.item else { return nil }
    let references = outgoing[item.id] ?? []
    return (found, references.contains { $0.type == "prem" && $0.to.contains(found.id) })
  }
}

extension HEICPicture {
  /// Luma as opacity, `gray8`, ignoring its range.
  var opacity: Image {
    if let plane = luma8() { return Image(gray: plane) }
    let greatest = UInt32(1) << UInt32(bitDepth) - 1
    return Image(gray: luma().map { UInt8((min(UInt32($0), greatest) * 255 + greatest / 2) / greatest) })
  }
}

extension Image {
  func alphaPlane() -> Plane<UInt8>? {
    alpha != .opaque && format.hasAlpha ? channel(3) : nil
  }

  /// The picture in R′G′B′A with straight alpha, from an opacity in `gray8`, scaled if its size differs.
  func with(opacity: Image, isPremultiplied: Bool) throws(BackdropError) -> Image {
    var opacity = opacity
    if opacity.width != width || opacity.height != height {
      opacity = try opacity.scaled(toWidth: width, height: height)
    }
    var result = converted(to: .rgba8)
    result.setChannel(3, to: opacity.plane())
    result.alpha = isPremultiplied ? .premultiplied : .straight
    return result.straightRGBA()
  }
}
