/// The meaning of R′G′B′ values: the primaries with their white, and the curve between light and samples.
///
/// A space has a name, or an ICC profile describes it. A named space from a profile keeps the profile, so that a result can carry the same
/// bytes. Copying and comparing are cheap.
///
/// Colours outside the target are clipped channel by channel, and any white stays white: the media-relative colorimetric intent of ICC.1,
/// without black point compensation. Only profiles of tables and of inks use compensation, since the black of prints and scans differs from
/// that of screens.
public struct ColorSpace: Sendable, Hashable {
  /// The primaries and the white.
  public let primaries: Primaries
  /// The curve between light and samples.
  public let transfer: Transfer
  /// The ICC profile from a file.
  public let profile: ColorProfile?

  /// A named space; neither part may be `custom`, which needs a profile.
  public init(_ primaries: Primaries, _ transfer: Transfer = .srgb) {
    precondition(primaries != .custom && transfer != .custom, "only a profile explains custom colours")
    (self.primaries, self.transfer, profile) = (primaries, transfer, nil)
  }

  /// The space of a profile; sRGB if it is not supported, see ``ColorProfile/fault``.
  public init(_ profile: ColorProfile) {
    (primaries, transfer) = profile.names
    self.profile = profile
  }

  /// The space of an ICC profile in these bytes, for pictures in grey or in colour.
  ///
  /// A profile for the other kind of picture, which only a damaged file has, and the profile of a CMYK picture converted to R′G′B′ are
  /// ignored: the space is then sRGB.
  package init(icc bytes: [UInt8], forGray isGray: Bool) {
    let profile = ColorProfile(bytes)
    switch profile.kind {
    case .gray where !isGray, .rgb where isGray, .other: self = .sRGB
    case .gray, .rgb, .unknown: self.init(profile)
    }
  }

  /// sRGB (IEC 61966-2-1), and everything that screens show in the same way. Unmarked pictures are sRGB.
  public static let sRGB = ColorSpace(.bt709)
  /// Display P3, used for phones' photos.
  public static let displayP3 = ColorSpace(.displayP3)
  /// BT.2020 with the curve of standard-dynamic-range screens.
  public static let bt2020 = ColorSpace(.bt2020)
  /// Adobe RGB (1998).
  public static let adobeRGB = ColorSpace(.adobeRGB, .gamma22)
  /// ProPhoto RGB: ROMM RGB (ISO 22028-2) with its profiles' plain power of 1.8.
  public static let proPhoto = ColorSpace(.proPhoto, .gamma18)

  /// Whether samples have the same meaning in both, with any profiles.
  public func matches(_ other: ColorSpace) -> Bool {
    guard primaries == other.primaries && transfer == other.transfer else { return false }
    return (primaries != .custom && transfer != .custom) || profile == other.profile
  }

  /// Whether samples must change in conversion to another space. They do not if either has the curve of a high dynamic range: see
  /// ``Transfer/isHDR``.
  public func needsConversion(to other: ColorSpace) -> Bool {
    !transfer.isHDR && !other.transfer.isHDR && !matches(other)
  }

  /// The profile's fault, in one line; `nil` for none.
  public var note: String? {
    profile?.fault.map { "Backdrop treats the picture's colour profile as sRGB: \($0.message)" }
  }

  /// Its name for people: "Display P3".
  public var name: String {
    if profile?.fault != nil { return profile?.name ?? "unknown" }
    if primaries == .custom || transfer == .custom { return profile?.name ?? "unknown" }
    switch (primaries, transfer) {
    case (.bt709, .srgb): return "sRGB"
    case (.displayP3, .srgb): return "Display P3"
    case (.adobeRGB, .gamma22): return "Adobe RGB (1998)"
    case (.proPhoto, .gamma18): return "ProPhoto RGB"
    case (_, .srgb): return primaries.name
    default: return "\(primaries.name), \(transfer.name)"
    }
  }
}
