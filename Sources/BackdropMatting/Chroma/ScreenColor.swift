import BackdropImaging

/// The colour of the screen behind a person: clearly red, green or blue.
package struct ScreenColor: Equatable {
  /// Red, green or blue: 0, 1 or 2. The screen has more of it than of the other two.
  var channel: Int
  /// Red, green and blue, 0…255.
  var color: SIMD3<Float>

  /// How much brighter a screen must be in its channel than in the others: a smaller excess is grey with camera noise.
  static let minimumExcess: Float = 24
  /// Pixels with this fraction of the screen's excess may be the screen in another light.
  private static let minimumPart: Float = 0.5
  /// How much farther apart the other two channels may be than in the screen, as a fraction of its excess.
  private static let maximumTint: Float = 0.4
  /// The fraction of the border that must have one colour.
  static let minimumBorder = 0.5
  /// The longer side of the searched picture, and the width of the border, as a fraction of that.
  private static let side = 160, border = 0.06

  var excess: Float { Self.excess(color, channel) }

  static func excess(_ color: SIMD3<Float>, _ channel: Int) -> Float {
    color[channel] - max(color[(channel + 1) % 3], color[(channel + 2) % 3])
  }

  /// The colour that the user chose.
  ///
  /// - Throws: `wrongArgument` for a colour that is neither red, green nor blue.
  init(_ given: RGBColor) throws(BackdropError) {
    color = 255 * SIMD3(Float(given.red), Float(given.green), Float(given.blue))
    channel = color[1] >= max(color[0], color[2]) ? 1 : color[2] >= color[0] ? 2 : 0
    guard excess >= Self.minimumExcess else {
      throw BackdropError(
        .wrongArgument, "\(given.hex) is not a colour for a screen: it is not clearly red, green or blue",
        hint: .nameScreenColor)
    }
  }

  private init(channel: Int, color: SIMD3<Float>) { (self.channel, self.color) = (channel, color) }

  /// The green or blue that dominates a picture's upper and outer borders.
  ///
  /// - Throws: `badData` if there is none.
  init(bordering image: Image) throws(BackdropError) {
    let small = try image.reduced(toSide: Self.side, filter: .area).converted(to: .rgb8)
    let band = max(1, Int(Double(max(small.width, small.height)) * Self.border))
    var samples: [SIMD3<Float>] = []
    for y in 0..<small.height {
      let row = small.row(y)
      for x in 0..<small.width where y < band || x < band || x >= small.width - band {
        samples.append(SIMD3(Float(row[3 * x]), Float(row[3 * x + 1]), Float(row[3 * x + 2])))
      }
    }
    for channel in [1, 2] {
      let likely = samples.filter { Self.excess($0, channel) >= Self.minimumExcess }
      guard likely.count >= max(1, samples.count / 2) else { continue }
      let found = Self(channel: channel, color: Self.median(likely))
      let share = Double(samples.count { found.isLike($0) }) / Double(max(1, samples.count))
      if found.excess >= Self.minimumExcess && share >= Self.minimumBorder {
        self = found
        return
      }
    }
    throw BackdropError(.badData, "the border of the picture shows no screen of one colour", hint: .nameScreenColor)
  }

  /// Whether a pixel may be the screen, in any light.
  func isLike(_ pixel: SIMD3<Float>) -> Bool {
    guard Self.excess(pixel, channel) >= Self.minimumPart * excess else { return false }
    let (first, second) = ((channel + 1) % 3, (channel + 2) % 3)
    let tint = (pixel[first] - pixel[second]) - (color[first] - color[second])
    return abs(tint) <= Self.maximumTint * excess
  }

  private static func median(_ colors: [SIMD3<Float>]) -> SIMD3<Float> {
    var result = SIMD3<Float>.zero
    for channel in 0..<3 { result[channel] = colors.map { $0[channel] }.sorted()[colors.count / 2] }
    return result
  }
}
