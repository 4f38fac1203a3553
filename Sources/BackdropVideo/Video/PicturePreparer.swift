import BackdropFFmpeg
import BackdropImaging
import CFFmpeg
import Libc

/// Converts pictures to the layout for which an encoder was opened.
final class PicturePreparer {
  /// The input of the encoder.
  let target: SampleLayout
  /// The changes to the pictures.
  private(set) var notes: [String] = []
  private let kind: PixelFormat
  /// Whether the encoder needs samples that no ``PixelFormat`` has.
  private let isForeign: Bool
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
    // 4:2:0 chroma comes in pairs of lines, and H.264 and H.265 count their crop in pairs as well.
    let even = settings.codec == .h264 || settings.codec == .h265 || settings.isDeep
    width = even ? (settings.width + 1) & ~1 : settings.width
    height = even ? (settings.height + 1) & ~1 : settings.height
    if width != settings.width || height != settings.height {
      notes.append(
        "\(settings.codec.rawValue) video needs even sides, so Backdrop made \(settings.width)×\(settings.height) into "
          + "\(width)×\(height) by repeating the last line")
    }
    var color = settings.color
    let foreign: AVPixelFormat? =
      switch (settings.codec, settings.keepsAlpha) {
      case (.vp9, true): AV_PIX_FMT_YUVA420P
      case (.prores, true): AV_PIX_FMT_YUVA444P10LE
      case (.prores, false): AV_PIX_FMT_YUV422P10LE
      case (.h265, _) where settings.isDeep, (.av1, _) where settings.isDeep: AV_PIX_FMT_YUV420P10LE
      default: nil
      }
    // ProRes cannot mark full range.
    if settings.codec == .prores { color.range = .limited }
    // Videos cannot mark all colour spaces of pictures.
    if color.space.codePoints == nil { color.space = .sRGB }
    self.color = color
    isForeign = foreign != nil
    let format = kind == .bgra8 && !settings.keepsAlpha ? AV_PIX_FMT_BGR0 : kind.av
    target = SampleLayout(format: foreign ?? format, width: width, height: height, color: color)
  }

  func prepare(_ image: Image, into frame: FrameBuffer) throws(BackdropError) {
    guard isForeign else { return frame.wrap(try prepare(image), as: target) }
    try allocate(in: frame)
    let image = image.converted(to: color.space)
    try converter.convert(PlanePointers(image), SampleLayout(image), to: PlanePointers(frame.pointer), target)
    withExtendedLifetime(image) {}
  }

  /// Puts a picture of a high dynamic range into `frame`, in the encoder's form; its sides are even, or made even by repeating the last
  /// line.
  func prepare(_ deep: DeepFrame, into frame: FrameBuffer) throws(BackdropError) {
    try allocate(in: frame)
    let padded = deep.padded(width: width, height: height)
    try converter.convert(PlanePointers(padded), padded.layout, to: PlanePointers(frame.pointer), target)
    withExtendedLifetime(padded) {}
  }

  private func allocate(in frame: FrameBuffer) throws(BackdropError) {
    frame.describe(target)
    guard !FFmpegCode(av_frame_get_buffer(frame.pointer, 0)).isFailure else {
      throw BackdropError(.system, "there is not enough memory for a video frame")
    }
  }

  /// Returns `image` itself if it already fits.
  private func prepare(_ image: Image) throws(BackdropError) -> Image {
    let isData = kind == .gray8 || kind == .gray16
    let image = isData ? image : image.converted(to: color.space)
    let sameColor = !image.format.isYUV || image.color.isCodedLike(color)
    var result = image
    if image.format != kind || !sameColor {
      result = try converter.image(
        from: PlanePointers(image), SampleLayout(image), format: kind, width: image.width, height: image.height,
        color: color, pool: pool)
      withExtendedLifetime(image) {}
    }
    return result.width == width && result.height == height ? result : padded(result)
  }

  /// Repeats the last column and row of luma; chroma already has space for them.
  private func padded(_ image: Image) -> Image {
    var result = Image(kind, width: width, height: height, color: color, pool: pool)
    for plane in 0..<kind.planeCount {
      let (from, to) = (image.layout(plane), result.layout(plane))
      let (first, output) = (image.base(plane: plane), result.mutableBase(plane: plane))
      for y in 0..<to.rows {
        let source = first + min(y, from.rows - 1) * from.bytesPerRow
        let target = output + y * to.bytesPerRow
        memcpy(target, source, from.rowBytes)
        if to.rowBytes > from.rowBytes {
          memset(target + from.rowBytes, Int32(source[from.rowBytes - 1]), to.rowBytes - from.rowBytes)
        }
      }
    }
    withExtendedLifetime(image) {}
    return result
  }
}
