import BackdropImaging

package struct AnimationSettings: Sendable {
  package var width: Int, height: Int
  /// The length of a time tick, in seconds.
  package var timeBase: Rational
  /// The number of times it plays, 0 for an endless loop.
  package var plays = 0
  package var keepsAlpha = false
  /// The quality of lossy formats, 1…100.
  package var quality = Picture.standardQuality
  /// Whether to keep every pixel, in formats that can.
  package var isLossless = false

  package init(width: Int, height: Int, timeBase: Rational) {
    (self.width, self.height, self.timeBase) = (width, height, timeBase)
  }

  /// The picture in R′G′B′, with straight alpha if it is kept.
  func pixels(of image: Image) -> Image {
    var result = keepsAlpha ? image.straightRGBA() : image.converted(to: .rgb8)
    if keepsAlpha { result.alpha = .straight }
    return result
  }

  /// A time in fractions of a second, rounded to the nearest.
  func units(_ time: Int64, perSecond: Double) -> Int {
    Int(max(-1e15, min(1e15, (Double(time) * timeBase.value * perSecond).rounded())))
  }
}
