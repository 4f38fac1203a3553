extension ColorSpace {
  /// The colours of pure red, green and blue, and of white.
  public enum Primaries: String, Sendable, CaseIterable {
    /// BT.709 and sRGB.
    case bt709
    /// BT.601 with 525 lines (SMPTE 170M).
    case bt601Lines525
    /// BT.601 with 625 lines (EBU Tech. 3213, BT.470 system B, G).
    case bt601Lines625
    /// BT.2020 and BT.2100.
    case bt2020
    /// Display P3: the primaries of SMPTE RP 431-2 with the white of sRGB.
    case displayP3
    /// SMPTE RP 431-2, with the white of cinemas.
    case dciP3
    /// Adobe RGB (1998).
    case adobeRGB
    /// ROMM RGB (ISO 22028-2), known as ProPhoto.
    case proPhoto
    /// Others, described by the space's profile.
    case custom

    var name: String {
      switch self {
      case .bt709: "BT.709"
      case .bt601Lines525: "BT.601 (525 lines)"
      case .bt601Lines625: "BT.601 (625 lines)"
      case .bt2020: "BT.2020"
      case .displayP3: "Display P3"
      case .dciP3: "DCI-P3"
      case .adobeRGB: "Adobe RGB"
      case .proPhoto: "ProPhoto RGB"
      case .custom: "custom"
      }
    }

    /// The chromaticities; `nil` for `custom`.
    var chromaticities: Chromaticities? {
      let d65 = (x: 0.3127, y: 0.3290)
      return switch self {
      case .bt709: Chromaticities(red: (0.640, 0.330), green: (0.300, 0.600), blue: (0.150, 0.060), white: d65)
      case .bt601Lines525: Chromaticities(red: (0.630, 0.340), green: (0.310, 0.595), blue: (0.155, 0.070), white: d65)
      case .bt601Lines625: Chromaticities(red: (0.640, 0.330), green: (0.290, 0.600), blue: (0.150, 0.060), white: d65)
      case .bt2020: Chromaticities(red: (0.708, 0.292), green: (0.170, 0.797), blue: (0.131, 0.046), white: d65)
      case .displayP3: Chromaticities(red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060), white: d65)
      case .dciP3:
        Chromaticities(red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060), white: (0.314, 0.351))
      case .adobeRGB: Chromaticities(red: (0.640, 0.330), green: (0.210, 0.710), blue: (0.150, 0.060), white: d65)
      case .proPhoto:
        Chromaticities(
          red: (0.734699, 0.265301), green: (0.159597, 0.840403), blue: (0.036598, 0.000105),
          white: (0.345704, 0.358540))
      case .custom: nil
      }
    }
  }
}

/// The CIE 1931 chromaticities of primaries and white.
package struct Chromaticities: Sendable {
  package typealias Point = (x: Double, y: Double)
  var red: Point, green: Point, blue: Point, white: Point

  package init(red: Point, green: Point, blue: Point, white: Point) {
    (self.red, self.green, self.blue, self.white) = (red, green, blue, white)
  }

  /// Linear R, G, B to X, Y, Z relative to the profiles' white, D50 (SMPTE RP 177 for the matrix; Bradford's adaptation as in ICC.1, annex
  /// E); `nil` if the colours span nothing.
  package var toPCS: Matrix3? {
    guard let (columns, luminance) = solved, let adaptation = Self.adaptation(from: white) else { return nil }
    return adaptation * columns * Matrix3(diagonal: luminance)
  }

  /// The contributions of red, green and blue to luminance, which is 1 for white; `nil` if the colours span nothing.
  var luminance: [Double]? { solved?.luminance }

  private var solved: (columns: Matrix3, luminance: [Double])? {
    guard let red = Self.xyz(red), let green = Self.xyz(green), let blue = Self.xyz(blue), let light = Self.xyz(white)
    else { return nil }
    let columns = Matrix3(columns: red, green, blue)
    guard abs(columns.determinant) > 1e-4, let inverse = columns.inverse else { return nil }
    return (columns, inverse * light)
  }

  /// X, Y, Z of a chromaticity with Y = 1; `nil` for impossible chromaticities.
  private static func xyz(_ point: Point) -> [Double]? {
    guard point.y > 1e-5 && point.x >= 0 && point.x + point.y <= 1.0001 else { return nil }
    return [point.x / point.y, 1, (1 - point.x - point.y) / point.y]
  }

  /// Bradford's matrix from a white to D50.
  static func adaptation(from white: Point) -> Matrix3? {
    guard let white = xyz(white) else { return nil }
    let cones = Matrix3([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    let (source, target) = (cones * white, cones * Matrix3.d50)
    guard let back = cones.inverse, source.allSatisfy({ $0 > 1e-3 }) else { return nil }
    return back * Matrix3(diagonal: (0..<3).map { target[$0] / source[$0] }) * cones
  }
}
