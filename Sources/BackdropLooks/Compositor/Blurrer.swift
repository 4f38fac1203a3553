import BackdropImaging

/// Blurs the pictures of one layer, keeping its memory; a picture that stays is blurred once.
final class Blurrer {
  private var result: Image?
  private var source: PixelStorage?
  private var sigma = 0.0

  /// Blurs a picture that changes with each call.
  func blur(_ image: Image, sigma: Double) -> Image {
    image
  }

  /// Blurs a picture that may be the same as before.
  func blurOnce(_ image: Image, sigma: Double) -> Image {
    if let result, source === image.storage && self.sigma == sigma { return result }
    let made = blur(image, sigma: sigma)
    (result, source, self.sigma) = (made, image.storage, sigma)
    return made
  }
}
extension Image {
 func upright() -> Image { self }
 func filling(width: Int, height: Int) -> Image {self}
 func converted(to: PixelFormat, color: ColorDescription?) throws(BackdropError) -> Image {self}
}
