import Libc

/// How to light a subject so that it fits the background: a gain for each channel of light.
///
/// It estimates the colour of the light from the bright parts of a picture (the mean of the sixth powers of light: shades of grey,
/// Finlayson and Trezzi, 2004), for the frame and for the background, and the strength of the light from the mean. Both corrections are
/// moderate: a person in front of a sunset must not become red.
struct LightMatch {
  /// The factors of red, green and blue light.
  var gains: SIMD3<Double>

  /// The number of samples along a picture's longer side.
  private static let side = 96
  /// Gains beyond these look unnatural.
  private static let brightness = 0.7...1.3, color = 0.8...1.25

  /// - Parameter strength: 0 for nothing … 1.
  init(of frame: Image, matte: Matte, to background: Image, strength: Double) throws(BackdropError) {
    let (from, to) = (try Self.small(frame), try Self.small(background))
    let mask = matte.scaled(toWidth: from.width, height: from.height)
    let (whole, behind) = (Self.light(from, nil), Self.light(to, nil))
    let subject = Self.light(from, mask)
    // Go two thirds of the way, because eyes adapt to the light.
    let ratio = behind.color / whole.color
    var gains = SIMD3(pow(ratio.x, 2 / 3), pow(ratio.y, 2 / 3), pow(ratio.z, 2 / 3))
    gains = pointwiseMin(
      pointwiseMax(gains, SIMD3(repeating: Self.color.lowerBound)), SIMD3(repeating: Self.color.upperBound))
    // Change only the colour of the light: greys keep their brightness.
    gains /= (gains * Self.luma).sum()
    let brightness = pow((behind.mean + 0.03) / (subject.mean + 0.03), 0.3)
    gains *= min(max(brightness, Self.brightness.lowerBound), Self.brightness.upperBound)
    self.gains = SIMD3(pow(gains.x, strength), pow(gains.y, strength), pow(gains.z, strength))
  }

  /// Moves a tenth of the way towards another match of the same stream.
  mutating func follow(_ other: LightMatch) { gains += (other.gains - gains) * 0.1 }

  private static let luma = SIMD3(0.2126, 0.7152, 0.0722)

  private static func small(_ image: Image) throws(BackdropError) -> Image {
    try image.reduced(toSide: side, filter: .area).converted(to: .rgba8)
  }

  private static func light(_ image: Image, _ mask: Matte?) -> (color: SIMD3<Double>, mean: Double) {
    var (powers, sum, weight) = (SIMD3<Double>.zero, SIMD3<Double>.zero, 0.0)
    for y in 0..<image.height {
      let row = image.row(y)
      for x in 0..<image.width {
        let opacity = mask.map { min($0[x, y], 1) } ?? 1
        guard opacity > 0 else { continue }
        let light = SIMD3(
          Self.linear[Int(row[4 * x])], Self.linear[Int(row[4 * x + 1])], Self.linear[Int(row[4 * x + 2])])
        let square = light * light
        powers += square * square * square * opacity
        sum += light * opacity
        weight += opacity
      }
    }
    guard weight > 0 else { return (SIMD3(repeating: 1), 0.2) }
    powers /= weight
    let color = SIMD3(pow(powers.x, 1 / 6), pow(powers.y, 1 / 6), pow(powers.z, 1 / 6)) + 0.02
    return (color / (color * luma).sum(), (sum / weight * luma).sum())
  }

  /// The light of each code of sRGB.
  static let linear = (0..<256).map { ToneCurve.srgb.light(Double($0) / 255) }

  /// The picture, interleaved R′G′B′ of 8 bits, in that light; its alpha stays.
  func apply(to image: Image) -> Image {
    guard gains != SIMD3(repeating: 1) else { return image }
    func table(_ gain: Double) -> [UInt8] {
      Self.linear.map { light in
        // Compress light above white instead of clipping it.
        let lit = light * gain
        let bent = lit <= 0.8 ? lit : 0.8 + 0.2 * (1 - exp(-(lit - 0.8) / 0.2))
        return UInt8(ToneCurve.srgb.sample(bent) * 255 + 0.5)
      }
    }
    let (red, green, blue) = (table(gains.x), table(gains.y), table(gains.z))
    let step = image.format == .rgb8 ? 3 : 4
    let (first, last) = image.format == .bgra8 ? (blue, red) : (red, blue)
    var result = image
    for y in 0..<image.height {
      var row = result.mutableRow(y)
      var at = 0
      while at + 2 < row.count {
        row[at] = first[Int(row[at])]
        row[at + 1] = green[Int(row[at + 1])]
        row[at + 2] = last[Int(row[at + 2])]
        at += step
      }
    }
    return result
  }
}
