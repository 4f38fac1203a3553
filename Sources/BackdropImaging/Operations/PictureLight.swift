/// A change of a picture's light: white balance, and the brightening of each part.
///
/// Both act on coded R′G′B′. A sample v of 0…1 becomes v + k v (1 − v): black and white stay, nothing is cut off, and colours keep their
/// hue. For k of 0.5 and 1 mid-grey gets 0.7 and 1.2 stops of light more.
package struct PictureLight: Equatable, Sendable {
  /// The factors of R′, G′ and B′, 0.8…1.25. Greys keep their luma if these, weighted like luma, add up to 1.
  package var balance = SIMD3<Double>(repeating: 1)
  /// k, −1…1, on a coarse grid over the whole picture: a sample applies to the middle of its cell.
  package var curve: Plane<Float>

  package init(curve: Float = 0) { self.curve = Plane(repeating: curve, width: 1, height: 1) }

  package var isNeutral: Bool {
    balance == SIMD3(repeating: 1) && curve.width == 1 && curve.height == 1 && curve[0, 0] == 0
  }

  static func gain(_ k: Float, black: Int16, white: Int16) -> Int16 {
    Int16((min(max(k, -1), 1) * 4_194_304 / Float(white - black)).rounded())
  }

  /// The kernels' form for Y′CbCr (ITU-R BT.601, BT.709): the balance as a change of luma and of both colour differences.
  func levels(_ color: ColorDescription) -> (
    black: Int16, white: Int16, tint: SIMD2<Double>, blue: SIMD3<Double>, red: SIMD3<Double>
  ) {
    let scale = YUVScale(color)
    let (kr, kb) = (scale.red, scale.blue)
    let (black, white) = (Int16(scale.lumaOffset), Int16(scale.lumaOffset + scale.lumaScale))
    let (spreadBlue, spreadRed) = (2 * (1 - kb), 2 * (1 - kr))
    let (dr, dg, db) = (Self.limited(balance.x), Self.limited(balance.y), Self.limited(balance.z))
    let (a, b) = (kb * spreadBlue * (db - dg), kr * spreadRed * (dr - dg))
    // The steps of luma and of colour differences for 1.
    let ratio = scale.lumaScale / scale.chromaScale
    return (
      black, white, SIMD2(a, b) * ratio, SIMD3((db - 1) / spreadBlue / ratio, db - 1 - a / spreadBlue, -b / spreadBlue),
      SIMD3((dr - 1) / spreadRed / ratio, -a / spreadRed, dr - 1 - b / spreadRed)
    )
  }

  static func limited(_ value: Double) -> Double { min(max(value, 0.8), 1.25) }
}
