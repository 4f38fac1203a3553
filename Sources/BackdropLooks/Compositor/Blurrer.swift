import BackdropImaging

/// Blurs the pictures of one layer, reusing its memory.
final class Blurrer {
  private let workspace = BlurWorkspace()
  private var result: Image?
  private var source: PixelStorage?
  private var sigma = 0.0

  /// Blurs a picture that changes with each call.
  func blur(_ image: Image, sigma: Double) throws(BackdropError) -> Image {
    var target: Image
    if let result, result.width == image.width && result.height == image.height && result.format == image.format {
      target = result
    } else {
      target = Image(image.format, width: image.width, height: image.height, color: image.color)
    }
    // Drop the second reference, or writing to the target would copy it. `blurOnce` must not return the old result
    // after this.
    result = nil
    source = nil
    try image.blur(sigma: sigma, into: &target, workspace: workspace)
    result = target
    return target
  }

  /// Blurs a picture that may be unchanged; the blur is then not repeated.
  func blurOnce(_ image: Image, sigma: Double) throws(BackdropError) -> Image {
    if let result, source === image.storage && self.sigma == sigma { return result }
    let made = try blur(image, sigma: sigma)
    (source, self.sigma) = (image.storage, sigma)
    return made
  }
}
