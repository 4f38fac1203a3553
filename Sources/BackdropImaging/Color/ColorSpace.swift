/// Which colours R′G′B′ numbers stand for: the primaries with their white, and the curve between light and samples.
///
/// A space is named, or it is what an ICC profile describes; a named one that came from a profile keeps the profile, so that
/// a result can carry the same bytes. Copying and comparing are cheap.
///
/// Colours that lie outside the target are clipped channel by channel, and white stays white, whatever it is: what ICC.1
/// calls the media-relative colorimetric intent, without black point compensation. Only profiles of tables and of inks have it
/// compensated, since the black of prints and scans is not that of screens.
public struct ColorSpace: Sendable, Hashable {
  /// The primaries and the white.
  public let primaries: Primaries
  /// The curve between light and samples.
  public let transfer: Transfer
  /// The ICC profile that a file carried.
  public let profile: ColorProfile?

  /// A named space; neither part may be `custom`, which only a profile can explain.
  public init(_ primaries: Primaries, _ transfer: Transfer = .srgb) {
    precondition(primaries != .custom && transfer != .custom, "only a profile explains custom colours")
    (self.primaries, self.transfer, profile) = (primaries, transfer, nil)
  }

  /// What a profile describes; sRGB where it is not understood, see ``ColorProfile/fault``.
  public init(_ profile: ColorProfile) {
    (primaries, transfer) = profile.names
    self.profile = profile
  }

  /// What an ICC profile of so many bytes describes, for pictures in grey or in colour.
  ///
  /// A profile for the other kind of picture, which only a damaged file has, and that of a CMYK picture whose inks became
  /// R′G′B′ are left out: then it is sRGB.
  package init(icc bytes: [UInt8], forGray isGray: Bool) {
    let profile = ColorProfile(bytes)
    switch profile.kind {
    case .gray where !isGray, .rgb where isGray, .other: self = .sRGB
    case .gray, .rgb, .unknown: self.init(profile)
    }
  }

  /// sRGB (IEC 61966-2-1), and all that screens show like it: what has no mark is this.
  public static let sRGB = ColorSpace(.bt709)
  /// Display P3: what phones take their pictures in.
  public static let displayP3 = ColorSpace(.displayP3)
  /// BT.2020 with the curve of screens of standard dynamic range.
  public static let bt2020 = ColorSpace(.bt2020)
  /// Adobe RGB (1998).
  public static let adobeRGB = ColorSpace(.adobeRGB, .gamma22)
  /// ProPhoto RGB: ROMM RGB (ISO 22028-2) with the plain power of 1.8 that its profiles have.
  public static let proPhoto = ColorSpace(.proPhoto, .gamma18)

  /// Whether samples mean the same in both, whatever profiles say it.
  public func matches(_ other: ColorSpace) -> Bool {
    guard primaries == other.primaries && transfer == other.transfer else { return false }
    return (primaries != .custom && transfer != .custom) || profile == other.profile
  }

  /// Whether samples have to be changed on the way to another space. They are not where one of the two has the curve of a high
  /// dynamic range: see ``Transfer/isHDR``.
  public func needsConversion(to other: ColorSpace) -> Bool {
    !transfer.isHDR && !other.transfer.isHDR && !matches(other)
  }

  /// The profile's fault, in one line; `nil` for none.
  public var note: String? {
    profile?.fault.map { "Backdrop treats the picture's colour profile as sRGB: \($0.message)" }
  }

  /// How a person calls it: "Display P3".
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
