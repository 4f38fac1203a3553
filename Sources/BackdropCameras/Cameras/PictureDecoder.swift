import BackdropImaging

/// Decodes the data that a camera sends in one of its modes.
final class PictureDecoder {
  private enum Way {
    case copy(RawLayout)
    case jpegs(MotionJPEG)
    case stream(StreamDecoder)
  }

  private let way: Way
  private let width: Int, height: Int
  private let color: ColorDescription
  private let pool = ImagePool()

  /// - Parameters:
  ///   - bytesPerRow: the row stride of raw pictures' first plane; `nil` for the default.
  ///   - color: the colours of raw samples.
  init(
    _ encoding: CameraMode.Encoding, width: Int, height: Int, bytesPerRow: Int?, color: ColorDescription
  ) throws(BackdropError) {
    try ImageLimits.standard.check(width: width, height: height)
    (self.width, self.height, self.color) = (width, height, color)
    switch encoding {
    case .mjpeg: way = .jpegs(try MotionJPEG())
    case .h264: way = .stream(try StreamDecoder.h264())
    default:
      guard let format = encoding.pixelFormat,
        let layout = RawLayout(format, width: width, height: height, stride: bytesPerRow)
      else {
        throw BackdropError(
          .badData, "the camera sends rows of \(bytesPerRow ?? 0) bytes for \(width)×\(height) \(encoding.rawValue)")
      }
      way = .copy(layout)
    }
  }

  /// Decodes a picture; `nil` if the bytes do not complete one.
  func decode(_ bytes: UnsafeRawBufferPointer) throws(BackdropError) -> Image? {
    switch way {
    case .copy(let layout): return try layout.image(bytes, color: color, pool: pool)
    case .jpegs(let decoder): return try decoder.decode(bytes, size: (width, height), pool: pool)
    case .stream(let decoder):
      guard let image = try decoder.decode(bytes, pool: pool) else { return nil }
      guard image.width == width && image.height == height else {
        throw BackdropError(
          .badData, "the camera sent a picture of \(image.width)×\(image.height) instead of \(width)×\(height)")
      }
      return image
    }
  }
}

extension CameraMode.Encoding {
  /// The format of the samples; `nil` for encoded pictures.
  var pixelFormat: PixelFormat? {
    switch self {
    case .i420: .i420
    case .nv12: .nv12
    case .yuyv: .yuyv
    case .bgra: .bgra8
    case .rgba: .rgba8
    case .rgb: .rgb8
    case .depth16: .gray16
    case .mjpeg, .h264: nil
    }
  }
}
