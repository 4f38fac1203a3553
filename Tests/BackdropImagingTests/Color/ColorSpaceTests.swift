import Foundation
import Testing

@testable import BackdropImaging

@Suite struct ColorSpaceTests {
  /// Linear R, G, B to X, Y, Z beside D50, from Bruce Lindbloom's "RGB/XYZ Matrices" (Bradford-adapted), and for Display P3 from the
  /// profile in phones' pictures.
  static let published: [(ColorSpace.Primaries, [Double])] = [
    (
      .bt709,
      [0.4360747, 0.3850649, 0.1430804, 0.2225045, 0.7168786, 0.0606169, 0.0139322, 0.0971045, 0.7141733]
    ),
    (
      .adobeRGB,
      [0.6097559, 0.2052401, 0.1492240, 0.3111242, 0.6256560, 0.0632197, 0.0194811, 0.0608902, 0.7448387]
    ),
    (
      .proPhoto,
      [0.7976749, 0.1351917, 0.0313534, 0.2880402, 0.7118741, 0.0000857, 0.0000000, 0.0000000, 0.8252100]
    ),
    (.displayP3, [0.51512, 0.29198, 0.15710, 0.24120, 0.69225, 0.06657, -0.00105, 0.04189, 0.78407]),
    // PAL/SECAM and SMPTE-C.
    (
      .bt601Lines625,
      [0.4552773, 0.3675500, 0.1413926, 0.2323025, 0.7077956, 0.0599019, 0.0145457, 0.1049154, 0.7057489]
    ),
    (
      .bt601Lines525,
      [0.4163290, 0.3931464, 0.1547446, 0.2216999, 0.7032549, 0.0750452, 0.0136576, 0.0913604, 0.7201920]
    ),
  ]

  @Test(arguments: published) func matricesAreThePublishedOnes(primaries: ColorSpace.Primaries, numbers: [Double])
    throws
  {
    let matrix = try #require(primaries.chromaticities?.toPCS)
    for (found, wanted) in zip(matrix.rows.joined(), numbers) { #expect(abs(found - wanted) < 5e-4) }
  }

  /// BT.2087-0, table 3 (the inverse direction of M2): BT.2020 to BT.709.
  @Test func wideVideoToNarrow() throws {
    let (wide, narrow) = (ColorSpace.Primaries.bt2020.chromaticities, ColorSpace.Primaries.bt709.chromaticities)
    let matrix = try #require(narrow?.toPCS?.inverse) * #require(wide?.toPCS)
    let wanted = [1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187]
    for (found, wanted) in zip(matrix.rows.joined(), wanted) { #expect(abs(found - wanted) < 1e-4) }
  }

  @Test func whiteStaysWhite() throws {
    for primaries in ColorSpace.Primaries.allCases where primaries != .custom {
      let white = try #require(primaries.chromaticities?.toPCS) * [1, 1, 1]
      for (found, wanted) in zip(white, [0.9642, 1, 0.8249]) { #expect(abs(found - wanted) < 1e-9, "\(primaries)") }
    }
  }

  /// IEC 61966-2-1, and powers.
  @Test func curves() {
    for value in 0...1000 {
      let x = Double(value) / 1000
      let wanted = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
      #expect(abs(ToneCurve.srgb.light(x) - wanted) < 1e-12)
      for curve in [ToneCurve.srgb, .power(1), .power(1.8), .power(2.2), .power(2.8)] {
        #expect(abs(curve.sample(curve.light(x)) - x) < 1e-9, "\(curve) at \(x)")
      }
    }
    #expect(abs(ToneCurve.power(2.2).light(0.5) - 0.217637640824031) < 1e-12)
    for odd in [-1.0, .nan, 2, .infinity] {
      #expect([0, 1].contains(ToneCurve.srgb.light(odd)) && [0, 1].contains(ToneCurve.srgb.sample(odd)))
    }
  }

  /// The numbers of Rec. ITU-T H.273.
  @Test func codePoints() {
    for primaries in ColorSpace.Primaries.allCases where primaries != .custom {
      for transfer in ColorSpace.Transfer.allCases where transfer != .custom {
        let space = ColorSpace(primaries, transfer)
        guard let codes = space.codePoints else { continue }
        #expect(ColorSpace(primaries: codes.primaries, transfer: codes.transfer) == space)
      }
    }
    #expect(ColorSpace(primaries: 12, transfer: 13) == .displayP3)
    #expect(ColorSpace(primaries: 9, transfer: 14) == .bt2020)
    #expect(ColorSpace(primaries: 9, transfer: 16) == ColorSpace(.bt2020, .pq))
    for transfer in [1, 6, 13, 14, 15] { #expect(ColorSpace(primaries: 1, transfer: transfer) == .sRGB) }
    #expect(ColorSpace(primaries: 2, transfer: 2) == .sRGB)
    #expect(ColorSpace(primaries: 2, transfer: 8, fallback: .displayP3) == ColorSpace(.displayP3, .linear))
    #expect(ColorSpace.adobeRGB.codePoints == nil)
  }

  @Test func whatHasToBeConverted() {
    #expect(!ColorSpace.sRGB.needsConversion(to: ColorSpace(.bt709)))
    #expect(ColorSpace.sRGB.needsConversion(to: .displayP3))
    #expect(ColorSpace.displayP3.needsConversion(to: .bt2020))
    // Only its label distinguishes such a picture from others.
    #expect(!ColorSpace(.bt2020, .pq).needsConversion(to: .sRGB))
    #expect(!ColorSpace.sRGB.needsConversion(to: ColorSpace(.bt2020, .hlg)))
    #expect(!ColorSpace(.bt2020, .pq).matches(.sRGB))
    #expect(ColorSpace.displayP3.name == "Display P3" && ColorSpace(.bt2020, .pq).name == "BT.2020, PQ")
  }
}
