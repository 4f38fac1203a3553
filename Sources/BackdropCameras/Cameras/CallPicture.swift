import BackdropImaging

/// Pictures as call programs take those of a camera that says nothing of its colours.
///
/// BT.601 in limited range: what Linux takes for a device of sRGB (`V4L2_MAP_YCBCR_ENC_DEFAULT`,
/// `V4L2_MAP_QUANTIZATION_DEFAULT`), and what libyuv, with which Chromium and Firefox draw, takes for I420 and YUYV. The pictures
/// of a session come in the colours of its camera, standby frames in others; one stream has one kind.
struct CallPicture {
  static let color = ColorDescription(matrix: .bt601, range: .limited)

  private var recolored: Image?, converted: Image?

  /// A picture in `format` and ``color``; its memory is used again for the next one.
  mutating func callAsFunction(_ image: Image, as format: PixelFormat) -> Image {
    let isRight = format.isYUV ? image.color.matches(Self.color) : image.color.space.matches(Self.color.space)
    guard image.format != format || !isRight else { return image }
    guard image.format.isYUV && !image.color.matches(Self.color) && (image.format == .yuyv || format == .yuyv) else {
      return Self.convert(image, as: format, into: &converted)
    }
    // Both at once would take new memory each time.
    let planar = Self.convert(image, as: .i420, into: &recolored)
    return Self.convert(planar, as: format, into: &converted)
  }

  private static func convert(_ image: Image, as format: PixelFormat, into place: inout Image?) -> Image {
    var result = place.take() ?? Image(format, width: image.width, height: image.height, color: color)
    if result.format != format || result.width != image.width || result.height != image.height {
      result = Image(format, width: image.width, height: image.height, color: color)
    }
    // Where nothing could be converted, the last picture left its own colours there.
    result.color = color
    image.convert(into: &result)
    place = result
    return result
  }
}
