/// The colours that distances get, nearest first; holes are black in all of them.
public enum DepthPalette: String, Sendable, Codable, CaseIterable {
  /// Red, yellow, green, cyan, blue.
  case spectrum
  /// Dark red to dark blue through the same, with even steps for the eye (Anton Mikhailov, "Turbo, An Improved Rainbow
  /// Colormap for Visualization", Google AI Blog, 2019), nearest red.
  case turbo
  /// Yellow to violet, ordered for everybody's eyes, in print too (van der Walt and Smith, SciPy 2015), nearest yellow.
  case viridis
  /// White to dark grey.
  case grey

  /// Colours on the way, the ends included.
  static let count = 1021

  /// ``count`` opaque colours as R, G, B, A in memory order.
  var table: [UInt32] { Self.tables[self] ?? [] }

  /// The colour at a part of the way, 0 nearest … 1 farthest, in 8 bits a channel.
  public func color(at position: Double) -> (red: UInt8, green: UInt8, blue: UInt8) {
    let place = position.isNaN ? 0 : min(max(position, 0), 1) * Double(Self.count - 1)
    let bits = UInt32(littleEndian: table[Int(place)])
    return (UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255))
  }

  private static let tables: [DepthPalette: [UInt32]] = Dictionary(
    uniqueKeysWithValues: allCases.map { palette in
      (palette, (0..<count).map { palette.packed(Double($0) / Double(count - 1)) })
    })

  private func packed(_ position: Double) -> UInt32 {
    let channels: [Double] =
      switch self {
      case .spectrum: Self.spectrum(position)
      case .turbo: Self.polynomials(Self.turboCurves, 1 - position)
      case .viridis: Self.polynomials(Self.viridisCurves, 1 - position)
      case .grey: [Double](repeating: 1 - 0.88 * position, count: 3)
      }
    let bytes = channels.map { UInt32((min(max($0, 0), 1) * 255).rounded()) }
    return (bytes[0] | bytes[1] << 8 | bytes[2] << 16 | 0xFF00_0000).littleEndian
  }

  private static func spectrum(_ position: Double) -> [Double] {
    let at = position * 4
    return [2 - at, min(at, 4 - at), at - 2]
  }

  private static func polynomials(_ channels: [[Double]], _ x: Double) -> [Double] {
    channels.map { $0.reversed().reduce(0) { $0 * x + $1 } }
  }

  /// Mikhailov's own polynomials, red, green and blue, from the constant up.
  private static let turboCurves: [[Double]] = [
    [0.13572138, 4.61539260, -42.66032258, 132.13108234, -152.94239396, 59.28637943],
    [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604],
    [0.10667330, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973],
  ]

  /// Matt Zucker's fit of degree six to Matplotlib's table ("Matplotlib colormaps", Shadertoy WlfXRN).
  private static let viridisCurves: [[Double]] = [
    [0.2777273272, 0.1050930431, -0.3308618287, -4.6342304990, 6.2282699363, 4.7763849977, -5.4354558559],
    [0.0054073445, 1.4046135299, 0.2148475595, -5.7991009734, 14.1799333668, -13.7451453777, 4.6458526122],
    [0.3340998053, 1.3845901626, 0.0950951630, -19.3324409563, 56.6905526007, -65.3530326333, 26.3124352496],
  ]
}
