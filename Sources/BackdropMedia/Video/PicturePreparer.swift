import BackdropImaging
import CFFmpeg

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Brings pictures into the one layout that an encoder was opened with.
final class PicturePreparer {
  /// What the encoder takes.
  let target: SampleLayout
  /// What became different on the way.
  private(set) var notes: [String] = []
  private let kind: PixelFormat
  private let color: ColorDescription
  private let width: Int
  private let height: Int
  private let pool = ImagePool(limit: 64)
  private let converter = FrameConverter()

  init(_ settings: VideoSettings) {
    let lossless = settings.codec == .ffv1
    switch settings.pixelFormat {
    case .gray8 where lossless: kind = .gray8
    case .gray16 where lossless: kind = .gray16
    case .bgra8 where lossless, .rgba8 where lossless, .rgb8 where lossless: kind = .bgra8
    case .nv12 where settings.codec == .h264: kind = .nv12
    default: kind = .i420
    }
    // Chroma of 4:2:0 comes in pairs of lines, and H.264 and H.265 count their crop in pairs as well.
    let even = settings.codec == .h264 || settings.codec == .h265
    width = even ? (settings.width + 1) & ~1 : settings.width
    height = even ? (settings.height + 1) & ~1 : settings.height
    if width != settings.width || height != settings.height {
      notes.append(
        "\(settings.codec.rawValue) video has even sides: \(settings.width)×\(settings.height) was made "
          + "\(width)×\(height) by repeating the last line")
    }
    color = settings.color
    let format = kind == .bgra8 && !settings.keepsAlpha ? AV_PIX_FMT_BGR0 : kind.av
    target = SampleLayout(format: format, width: width, height: height, color: color)
  }

  /// `image` itself if it fits already.
  func prepare(_ image: Image) throws(BackdropError) -> Image {
    let sameColor = !image.format.isYUV || image.color == color
    var result = image
    if image.format != kind || !sameColor {
      result = try converter.image(
        from: PlanePointers(image), SampleLayout(image), format: kind, width: image.width, height: image.height,
        color: color, pool: pool)
      withExtendedLifetime(image) {}
    }
    return result.width == width && result.height == height ? result : padded(result)
  }

  /// Repeats the last column and row of luma; chroma has room for them already.
  private func padded(_ image: Image) -> Image {
    let result = Image(kind, width: width, height: height, color: color, pool: pool)
    for plane in 0..<kind.planeCount {
      let (from, to) = (image.layout(plane), result.layout(plane))
      for y in 0..<to.rows {
        let source = image.storage.base + from.offset + min(y, from.rows - 1) * from.bytesPerRow
        let target = result.storage.base + to.offset + y * to.bytesPerRow
        memcpy(target, source, from.rowBytes)
        if to.rowBytes > from.rowBytes {
          let last = source.load(fromByteOffset: from.rowBytes - 1, as: UInt8.self)
          memset(target + from.rowBytes, Int32(last), to.rowBytes - from.rowBytes)
        }
      }
    }
    withExtendedLifetime(image) {}
    return result
  }
}
