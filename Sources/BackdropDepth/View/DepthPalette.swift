import BackdropImaging

/// The colours of distances, nearest first; holes are black in all palettes.
public enum DepthPalette: String, Sendable, Codable, CaseIterable {
  /// Red, yellow, green, cyan, blue.
  case spectrum
  /// Dark red to dark blue through the same colours, with perceptually even steps (Anton Mikhailov, "Turbo, An Improved
  /// Rainbow Colormap for Visualization", Google AI Blog, 2019), nearest red.
  case turbo
  /// Yellow to violet, perceptually uniform and safe for colour-blind readers and in print (van der Walt
  /// and Smith, SciPy 2015), nearest yellow.
  case viridis
  /// White to dark grey.
  case grey

  static let count = 1021

  /// ``count`` opaque colours as R, G, B, A in memory order.
  var table: [UInt32] { Self.tables[self] ?? [] }

  /// The colour at a position, 0 nearest … 1 farthest, in 8 bits per channel.
  public func color(at position: Double) -> (red: UInt8, green: UInt8, blue: UInt8) {
    let index = position.isNaN ? 0 : min(max(position, 0), 1) * Double(Self.count - 1)
    let bits = UInt32(littleEndian: table[Int(index)])
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
      case .turbo: Self.between(Self.turboStops, position)
      case .viridis: Self.between(Self.viridisStops, position)
      case .grey: [Double](repeating: 1 - 0.88 * position, count: 3)
      }
    return RGBColor(red: channels[0], green: channels[1], blue: channels[2]).packed
  }

  private static func spectrum(_ position: Double) -> [Double] {
    let at = position * 4
    return [2 - at, min(at, 4 - at), at - 2]
  }

  /// A colour between evenly spaced stops.
  private static func between(_ stops: [UInt32], _ position: Double) -> [Double] {
    let stop = position * Double(stops.count - 1)
    let first = min(Int(stop), stops.count - 2)
    let part = stop - Double(first)
    return [16, 8, 0].map { shift in
      let (a, b) = (Double(stops[first] >> shift & 255), Double(stops[first + 1] >> shift & 255))
      return (a + (b - a) * part) / 255
    }
  }

  /// Every 7.5th colour of Mikhailov's table, from its red end: within 2 levels of the others.
  private static let turboStops: [UInt32] = [
    0x7A0403, 0x940C01, 0xA91601, 0xBD2002, 0xCE2D04, 0xDC3C08, 0xE84B0C, 0xF25E14, 0xF9751D, 0xFD8C26,
    0xFEA130, 0xFCB436, 0xF5C53A, 0xEAD439, 0xDBE236, 0xCAEE34, 0xB7F735, 0xA2FC3C, 0x8BFF4B, 0x6FFE60,
    0x52FA7A, 0x36F492, 0x22EBAA, 0x18E1BC, 0x1AD4D0, 0x22C4E3, 0x2FB2F4, 0x3C9FFE, 0x458CFD, 0x477AF1,
    0x4666DD, 0x4452C1, 0x3F3E9C, 0x382870, 0x30123B,
  ]

  /// Every 7.5th colour of Matplotlib's table, from its yellow end.
  private static let viridisStops: [UInt32] = [
    0xFDE725, 0xEBE51A, 0xD8E219, 0xC4E022, 0xB0DD2F, 0x9CD93C, 0x89D548, 0x76D054, 0x65CB5E, 0x55C668,
    0x46C06F, 0x39BA76, 0x2EB37C, 0x26AC82, 0x21A585, 0x1F9E88, 0x1F978B, 0x21908C, 0x23898E, 0x26828E,
    0x297B8E, 0x2C748E, 0x2E6D8E, 0x32668E, 0x355E8D, 0x39568C, 0x3D4E8A, 0x404688, 0x433D84, 0x463480,
    0x472A7A, 0x482072, 0x481769, 0x460C5F, 0x440154,
  ]
}
