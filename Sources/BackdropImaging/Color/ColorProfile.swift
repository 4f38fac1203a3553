/// An ICC profile: its bytes as they were, and what they describe.
///
/// Understood are RGB profiles of three primaries and curves or of tables, and grey ones (ICC.1:2022, sections 8.3 and 8.4); of
/// those with both, the primaries. Little CMS reads them. Copying and comparing are cheap.
public struct ColorProfile: Sendable, Hashable {
  /// The kind of pictures that a profile is for.
  public enum Kind: String, Sendable {
    case rgb, gray
    /// Inks, or anything else.
    case other
    /// It is damaged before it says so.
    case unknown
  }

  private final class Storage: Sendable {
    let bytes: [UInt8]
    let content: ICCContent
    let names: (primaries: ColorSpace.Primaries, transfer: ColorSpace.Transfer)

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      content = ICCContent(bytes)
      names = content.hasTables ? (.custom, .custom) : content.model.map(\.names) ?? (.bt709, .srgb)
    }
  }

  private let storage: Storage

  /// Reads a profile; one that is not understood is kept as bytes, and ``fault`` says why.
  public init(_ bytes: [UInt8]) { storage = Storage(bytes) }

  /// The profile as it was.
  public var bytes: [UInt8] { storage.bytes }
  /// The kind of pictures that it is for.
  public var kind: Kind { storage.content.kind }
  /// Its own name, without control characters and at most 80 characters; `nil` if it has none.
  public var name: String? { storage.content.name }
  /// Why it is not understood: `unsupported` for inks and other kinds of profiles, `badData` for damage. Its pictures are taken
  /// for sRGB then.
  public var fault: BackdropError? { storage.content.fault }

  /// The named parts of the space that it describes.
  var names: (primaries: ColorSpace.Primaries, transfer: ColorSpace.Transfer) { storage.names }
  /// Whether it describes R′G′B′ by tables alone: nothing but Little CMS converts its pictures, and many such profiles lack the
  /// tables for the way back.
  package var hasTables: Bool { storage.content.hasTables }
  /// What it describes; `nil` for tables, and if it is not understood.
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
  /// Of red, green and blue.
  var curves: [ToneCurve]
  /// Linear R, G, B to X, Y, Z beside D50.
  var toPCS: Matrix3

  /// The names of its parts. Profiles round, and adapt whites in more than one way: a name stands for light that is the same
  /// within 1/1000, and with so little of the other channels in it that it is less than a level of 8 bits even in black.
  var names: (primaries: ColorSpace.Primaries, transfer: ColorSpace.Transfer) {
    let primaries = ColorSpace.Primaries.allCases.first { candidate in
      guard let change = candidate.chromaticities?.toPCS?.inverse.map({ $0 * toPCS }) else { return false }
      return (0..<3).allSatisfy { row in
        (0..<3).allSatisfy { abs(change.rows[row][$0] - (row == $0 ? 1 : 0)) <= (row == $0 ? 1e-3 : 2.5e-4) }
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
