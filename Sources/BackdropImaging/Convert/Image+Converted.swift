extension Image {
  /// The image in another pixel format, in another Y′CbCr description, or in the colours of another space.
  ///
  /// - Grey means R′ = G′ = B′ at full range: 0…255, 0…65535, 0…1. Colour becomes grey by the luma weights of `color` (RGB) or by its own
  ///   luma (Y′CbCr).
  /// - Chroma samples lie in the middle of their two or four pixels: halving takes the mean, doubling is bilinear (weights 3/4 and 1/4),
  ///   with the edge repeated. Between two Y′CbCr formats this applies only to directions in which they differ. Sources with other chroma
  ///   positions are off by up to half a pixel in colour.
  /// - Colours of another ``ColorSpace`` are converted through light, pixel by pixel, with R′G′B′ of 8 bits in between if one of the two is
  ///   Y′CbCr. Matching spaces change nothing, and if one has a high dynamic range the result keeps the space of the source: see
  ///   ``ColorSpace/needsConversion(to:)``.
  /// - Results are within one level of the exact value. Values outside the range are clamped; a NaN becomes 0.
  /// - Alpha is 255 if the source has none, and dropped if the result has none; colours are never multiplied or divided by it.
  ///
  /// - Parameters:
  ///   - format: the pixel format of the result.
  ///   - color: the description of the result; `nil` for the source's own.
  ///   - pool: the pool for the result's memory; `nil` for new memory.
  public func converted(to format: PixelFormat, color: ColorDescription? = nil, pool: ImagePool? = nil) -> Image {
    let color = color ?? self.color
    let isSame = !format.isYUV || color.isCodedLike(self.color)
    if format == self.format && isSame && !self.color.space.needsConversion(to: color.space) {
      var same = self
      same.color = color
      if !self.color.space.matches(color.space) { same.color.space = self.color.space }
      return same
    }
    var result = Image(format, width: width, height: height, color: color, pool: pool)
    convert(into: &result)
    return result
  }

  /// The image in the colours of another space, as in ``converted(to:color:pool:)``; itself if nothing changes.
  public func converted(to space: ColorSpace) -> Image { converted(to: format, color: color.with(space)) }

  /// Converts into an image of the same size, like ``converted(to:color:pool:)``, with the result's format and ``color``; sets its alpha
  /// kind and orientation.
  ///
  /// Conversions among `bgra8`, `rgba8`, `rgb8`, `i420`, `nv12` and `yuyv` allocate nothing, with these exceptions: `result` shares its
  /// memory with another image, one of them is `yuyv` and the other Y′CbCr of another ``color``, or Y′CbCr comes from or goes to another
  /// colour space.
  public func convert(into result: inout Image) {
    convert(into: &result, level: .current)
  }

  package func convert(into result: inout Image, level: CPULevel) {
    precondition(result.width == width && result.height == height, "images of different sizes")
    result.orientation = orientation
    result.alpha = result.format.hasAlpha && format.hasAlpha ? alpha : .opaque
    if let transform = ColorTransform.between(color.space, result.color.space) {
      return transform.convert(self, into: &result, level: level)
    }
    // High dynamic range: nothing is converted, so the samples keep their meaning.
    if !color.space.matches(result.color.space) { result.color.space = color.space }
    if KernelConversion(level).run(self, into: &result) { return }
    FloatConversion.run(self, into: &result)
  }
}
