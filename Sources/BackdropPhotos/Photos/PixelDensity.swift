import BackdropCodecs

/// The number of pixels per inch, if a file has it besides EXIF (JFIF 1.02; PNG specification, section 11.3.4.3).
public struct PixelDensity: Sendable, Equatable {
  /// Horizontal and vertical pixels per inch.
  public var x: Double, y: Double

  /// Makes a density from pixels per inch.
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  /// Centimetres in an inch, and inches in a metre.
  private static let centimetres = 2.54, inches = 100 / 2.54

  /// Converts a density per metre. Restores whole numbers per inch, which a density per metre cannot express exactly.
  init(_ density: PictureMetadata.PixelsPerMetre) {
    func onInch(_ value: UInt32) -> Double {
      let exact = Double(value) / Self.inches
      let whole = exact.rounded()
      return (whole * Self.inches).rounded() == Double(value) ? whole : exact
    }
    self.init(x: onInch(density.x), y: onInch(density.y))
  }

  /// The density per metre; `nil` outside the range of PNG files.
  var pixelsPerMetre: PictureMetadata.PixelsPerMetre? {
    let (x, y) = ((self.x * Self.inches).rounded(), (self.y * Self.inches).rounded())
    guard (1...0x7FFF_FFFF).contains(x), (1...0x7FFF_FFFF).contains(y) else { return nil }
    return PictureMetadata.PixelsPerMetre(x: UInt32(x), y: UInt32(y))
  }

  /// Reads a JFIF segment's payload; `nil` if that has only a pixel aspect.
  init?(jfif payload: ArraySlice<UInt8>) {
    guard payload.count >= 12, payload.starts(with: JPEGStructure.Segment.jfifMark) else { return nil }
    let bytes = Array(payload)
    let (x, y) = (Int(bytes[8]) << 8 | Int(bytes[9]), Int(bytes[10]) << 8 | Int(bytes[11]))
    guard x > 0, y > 0 else { return nil }
    switch bytes[7] {
    case 1: self.init(x: Double(x), y: Double(y))
    case 2: self.init(x: Double(x) * Self.centimetres, y: Double(y) * Self.centimetres)
    default: return nil
    }
  }

  /// Its five bytes in a JFIF segment, after the version; `nil` outside their range.
  var jfif: [UInt8]? {
    let (x, y) = (self.x.rounded(), self.y.rounded())
    guard (1...65_535).contains(x), (1...65_535).contains(y) else { return nil }
    return [1, UInt8(Int(x) >> 8), UInt8(Int(x) & 255), UInt8(Int(y) >> 8), UInt8(Int(y) & 255)]
  }
}
