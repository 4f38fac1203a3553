import BackdropDepth
import BackdropImaging

/// Light from behind that falls round the edges of the foreground: a matte for a blurred copy of the background. The copy is laid over the
/// foreground, and the result over the background.
///
/// Cameras see such light; without it a person looks cut out. It is strongest at the edge and gone a few hundredths of the picture's width
/// inside: ½ strength · α · min(1, 2 − 2 blur(α)).
struct LightWrap {
  /// The standard deviation of the matte's blur, as a fraction of its longer side; and of the background's, as a fraction of its width.
  private static let reach = 0.015, softness = 0.03
  /// The longer side of the matte in the computation.
  private static let side = 320

  /// The standard deviation in pixels of the background's blur for light.
  static func lightSigma(width: Int) -> Double { max(0.5, softness * Double(width)) }

  /// The light's matte, of any size.
  static func matte(for matte: Matte, strength: Double) throws(BackdropError) -> Matte {
    let longer = max(matte.width, matte.height)
    let small =
      longer <= side
      ? matte : matte.scaled(toWidth: max(1, matte.width * side / longer), height: max(1, matte.height * side / longer))
    let sigma = max(0.5, reach * Double(max(small.width, small.height)))
    let blurred = try small.q15.blurred(sigma: sigma)
    var result = small
    result.q15.update(with: blurred) { opacity, around in
      let alpha = Double(min(opacity, Matte.one)) / 32768
      let open = min(1, 2 - 2 * Double(min(around, Matte.one)) / 32768)
      return UInt16((0.5 * strength * alpha * open * 32768).rounded())
    }
    return result
  }
}
