/// An ICC profile: its original bytes, and their meaning.
///
/// It supports RGB profiles of three primaries and curves or of tables, and grey ones (ICC.1:2022, sections 8.3 and 8.4). If a profile has
/// both, it uses the primaries. Little CMS reads them. Copying and comparing are cheap.
public struct ColorProfile: Sendable, Hashable {
  /// The kind of pictures that a profile describes.
  public enum Kind: String, Sendable {
    case rgb, gray
    /// Inks, or anything else.
    case other
    /// Unknown, because the profile is damaged.
    case unknown
  }

  private final class Storage: Sendable {
    let bytes: [UInt8]
    let content: ICCContent
    let names: (primaries: ColorSpace.Primaries, transfer: ColorSpace.Transfer)

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      content = ICCContent(of: bytes)
      names = content.hasTables ? (.custom, .custom) : content.model.map(\.names) ?? (.bt709, .srgb)
    }
  }

  private let storage: Storage

  /// Reads a profile. An unsupported one is kept as bytes, and ``fault`` gives the reason.
  public init(_ bytes: [UInt8]) { storage = Storage(bytes) }

  /// The original profile.
  public var bytes: [UInt8] { storage.bytes }
  /// The kind of its pictures.
  public var kind: Kind { storage.content.kind }
  /// Its own name, without control characters and at most 80 characters; `nil` if it has none.
  public var name: String? { storage.content.name }
  /// The fault of an unsupported profile: `unsupported` for inks and other kinds of profiles, `badData` for damage; `nil` if it is
  /// supported. Pictures with an unsupported profile are treated as sRGB.
  public var fault: BackdropError? { storage.content.fault }

  var names: (primaries: ColorSpace.Primaries, transfer: ColorSpace.Transfer) { storage.names }
  /// Whether it describes R′G′B′ only by tables: only Little CMS converts its pictures, and many such profiles lack the reverse tables.
  package var hasTables: Bool { storage.content.hasTables }
  /// Whether a decoder process has read it, and converts pictures by its tables.
  var isReadElsewhere: Bool { storage.content.isReadElsewhere }
  /// Its content; `nil` for tables, and if it is not supported.
  var model: ColorModel? { storage.content.model }

  /// Equal bytes are equal profiles.
  public static func == (a: ColorProfile, b: ColorProfile) -> Bool {
    a.storage === b.storage || a.storage.bytes == b.storage.bytes
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.bytes) }
}

/// A colour space in numbers: curves to light, and light to the connection space.
struct ColorModel: Sendable, Hashable {
  /// For red, green and blue.
  var curves: [ToneCurve]
  /// Linear R, G, B to X, Y, Z relative to D50.
  var toPCS: Matrix3

  /// The names of its parts. Profiles round their numbers and adapt whites in several ways, so a name applies if light agrees within 1/1000
  /// and other channels contribute less than a level of 8 bits even in black.
  var names: (primaries: ColorSpace.Primaries, transfer: ColorSpace.Transfer) {
    let primaries = ColorSpace.Primaries.allCases.first { candidate in
      guard let change = candidate.chromaticities?.toPCS?.inverse.map({ $0 * toPCS }) else { return false }
      return (0..<3).allSatisfy { row in
        (0..<3).allSatisfy { column in
          let (wanted, tolerance): (Double, Double) = row == column ? (1, 1e-3) : (0, 2.5e-4)
          return abs(change.rows[row][column] - wanted) <= tolerance
        }
      }
    }
    let transfer = ColorSpace.Transfer.allCases.first { candidate in
      guard let known = candidate.curve else { return false }
      return curves.allSatisfy { $0 == known || $0.isLike(known) }
    }
    return (primaries ?? .custom, transfer ?? .custom)
  }
}

extension ColorSpace {
  /// The space in numbers; `nil` for a high dynamic range.
  var model: ColorModel? {
    guard !transfer.isHDR else { return nil }
    let described = profile?.model
    let curves = transfer.curve.map { [$0, $0, $0] } ?? described?.curves
    guard let curves, let toPCS = primaries.chromaticities?.toPCS ?? described?.toPCS else { return nil }
    return ColorModel(curves: curves, toPCS: toPCS)
  }
}
