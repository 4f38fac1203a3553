import BackdropImaging

/// Converts pictures to the colours that call programs assume for a camera without colour data.
///
/// BT.601 in limited range: Linux's assumption for an sRGB device (`V4L2_MAP_YCBCR_ENC_DEFAULT`, `V4L2_MAP_QUANTIZATION_DEFAULT`),
/// and libyuv's for I420 and YUYV, with which Chromium and Firefox draw. A session's pictures have the colours of its camera, and
/// standby frames have others, but all pictures of a stream must have the same.
struct CallPicture {
  static let color = ColorDescription(matrix: .bt601, range: .limited)

  private var recolored: Image?, converted: Image?

  /// A picture in `format` and ``color``; the next call reuses its memory.
  mutating func callAsFunction(_ image: Image, as format: PixelFormat) -> Image {
    let isRight = format.isYUV ? image.color.matches(Self.color) : image.color.space.matches(Self.color.space)
    guard image.format != format || !isRight else { return image }
    guard image.format.isYUV && !image.color.matches(Self.color) && (image.format == .yuyv || format == .yuyv) else {
      return Self.convert(image, as: format, into: &converted)
    }
    // One combined conversion would allocate memory each time.
    let planar = Self.convert(image, as: .i420, into: &recolored)
    return Self.convert(planar, as: format, into: &converted)
  }

  private static func convert(_ image: Image, as format: PixelFormat, into reused: inout Image?) -> Image {
    var result = reused.take() ?? Image(format, width: image.width, height: image.height, color: color)
    if result.format != format || result.width != image.width || result.height != image.height {
      result = Image(format, width: image.width, height: image.height, color: color)
    }
    // If nothing is converted, the image still has the colours of the last picture.
    result.color = color
    image.convert(into: &result)
    reused = result
    return result
  }
}
