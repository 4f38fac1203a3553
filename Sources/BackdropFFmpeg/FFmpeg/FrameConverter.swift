import BackdropImaging
import CFFmpeg

/// The layout and meaning of the samples on one side of a conversion.
package struct SampleLayout: Equatable {
  package var format: AVPixelFormat
  package var width: Int
  package var height: Int
  package var color: ColorDescription

  package init(format: AVPixelFormat, width: Int, height: Int, color: ColorDescription) {
    self.format = format.withoutRange
    self.width = width
    self.height = height
    self.color = color
  }

  package init(_ image: borrowing Image) {
    self.init(format: image.format.av, width: image.width, height: image.height, color: image.color)
  }
}

package struct PlanePointers {
  package var base:
    (
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?,
      UnsafeMutablePointer<UInt8>?
    )
  package var bytesPerRow: (Int32, Int32, Int32, Int32)

  package init() {
    base = (nil, nil, nil, nil)
    bytesPerRow = (0, 0, 0, 0)
  }

  package init(_ frame: UnsafeMutablePointer<AVFrame>) {
    let (data, lines) = (frame.pointee.data, frame.pointee.linesize)
    base = (data.0, data.1, data.2, data.3)
    bytesPerRow = (lines.0, lines.1, lines.2, lines.3)
  }

  /// The start and the row length of one of the first three planes.
  package subscript(plane: Int) -> (base: UnsafeMutablePointer<UInt8>?, bytesPerRow: Int) {
    switch plane {
    case 0: (base.0, Int(bytesPerRow.0))
    case 1: (base.1, Int(bytesPerRow.1))
    default: (base.2, Int(bytesPerRow.2))
    }
  }

  /// Copies the planes to an unshared image of this format and size.
  package func copy(to image: borrowing Image) {
    let target = PlanePointers(image)
    func plane(
      _ index: Int, _ to: UnsafeMutablePointer<UInt8>?, _ toStride: Int32, _ from: UnsafeMutablePointer<UInt8>?,
      _ fromStride: Int32
    ) {
      guard index < image.format.planeCount else { return }
      let layout = image.layout(index)
      av_image_copy_plane(to, toStride, from, fromStride, Int32(layout.rowBytes), Int32(layout.rows))
    }
    plane(0, target.base.0, target.bytesPerRow.0, base.0, bytesPerRow.0)
    plane(1, target.base.1, target.bytesPerRow.1, base.1, bytesPerRow.1)
    plane(2, target.base.2, target.bytesPerRow.2, base.2, bytesPerRow.2)
  }

  /// The planes of an image; valid during the life of its storage.
  package init(_ image: borrowing Image) {
    self.init()
    for plane in 0..<image.format.planeCount {
      let layout = image.layout(plane)
      let start = (image.storage.base + layout.offset).assumingMemoryBound(to: UInt8.self)
      switch plane {
      case 0: (base.0, bytesPerRow.0) = (start, Int32(layout.bytesPerRow))
      case 1: (base.1, bytesPerRow.1) = (start, Int32(layout.bytesPerRow))
      default: (base.2, bytesPerRow.2) = (start, Int32(layout.bytesPerRow))
      }
    }
  }
}

extension PlanePointers {
  /// The planes of a picture with up to 16 bits a sample; valid during the life of its storage.
  package init(_ frame: borrowing DeepFrame) {
    self.init()
    base = (frame.luma.bytes, frame.cb.bytes, frame.cr.bytes, nil)
    bytesPerRow = (Int32(2 * frame.luma.stride), Int32(2 * frame.cb.stride), Int32(2 * frame.cr.stride), 0)
  }
}

extension Plane<UInt16> {
  fileprivate var bytes: UnsafeMutablePointer<UInt8> {
    UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
  }
}

/// Converts pixel formats, sizes, matrices and ranges with libswscale, keeping the context while the layouts stay the same.
package final class FrameConverter {
  private var context: bd_scaler?
  private var layouts: (from: SampleLayout, to: SampleLayout)?
  private let sources = UnsafeMutablePointer<UnsafePointer<UInt8>?>.allocate(capacity: 4)
  private let targets = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>.allocate(capacity: 4)
  private let strides = UnsafeMutablePointer<Int32>.allocate(capacity: 8)

  package init() {}

  deinit {
    sws_freeContext(context)
    sources.deallocate()
    targets.deallocate()
    strides.deallocate()
  }

  package func convert(_ source: PlanePointers, _ from: SampleLayout, to target: PlanePointers, _ to: SampleLayout)
    throws(BackdropError)
  {
    if layouts?.from != from || layouts?.to != to { try prepare(from, to) }
    sources[0] = UnsafePointer(source.base.0)
    sources[1] = UnsafePointer(source.base.1)
    sources[2] = UnsafePointer(source.base.2)
    sources[3] = UnsafePointer(source.base.3)
    (targets[0], targets[1], targets[2], targets[3]) = target.base
    (strides[0], strides[1], strides[2], strides[3]) = source.bytesPerRow
    (strides[4], strides[5], strides[6], strides[7]) = target.bytesPerRow
    let rows = sws_scale(context, sources, strides, 0, Int32(from.height), targets, strides + 4)
    guard rows == to.height else {
      throw BackdropError(.system, "FFmpeg failed to convert pixels from \(from.format.name) to \(to.format.name)")
    }
  }

  package func image(
    from source: PlanePointers, _ layout: SampleLayout, format: PixelFormat, width: Int, height: Int,
    color: ColorDescription, pool: ImagePool?
  ) throws(BackdropError) -> Image {
    let image = Image(format, width: width, height: height, color: color, pool: pool)
    // The image is not shared yet, so it can be written.
    try convert(source, layout, to: PlanePointers(image), SampleLayout(image))
    return image
  }

  private func prepare(_ from: SampleLayout, _ to: SampleLayout) throws(BackdropError) {
    sws_freeContext(context)
    context = nil
    layouts = nil
    FFmpegLog.install()
    guard let fresh = sws_alloc_context() else {
      throw BackdropError(.system, "there is not enough memory to convert pixels")
    }
    context = fresh
    // The ranges must be set before the context chooses its loops: it would otherwise use a plain copy.
    let settings: KeyValuePairs<String, Int64> = [
      "srcw": Int64(from.width), "srch": Int64(from.height), "src_format": Int64(from.format.rawValue),
      "dstw": Int64(to.width), "dsth": Int64(to.height), "dst_format": Int64(to.format.rawValue),
      "src_range": from.color.range == .full ? 1 : 0, "dst_range": to.color.range == .full ? 1 : 0,
      "sws_flags": Int64(bd_sws_flags()),
    ]
    for (name, value) in settings { av_opt_set_int(UnsafeMutableRawPointer(fresh), name, value, 0) }
    let one: Int32 = 1 << 16
    sws_setColorspaceDetails(
      fresh, sws_getCoefficients(from.color.swsSpace), from.color.range == .full ? 1 : 0,
      sws_getCoefficients(to.color.swsSpace), to.color.range == .full ? 1 : 0, 0, one, one)
    let code = FFmpegCode(sws_init_context(fresh, nil, nil))
    guard !code.isFailure else {
      throw BackdropError(
        .unsupported, "FFmpeg cannot convert the pixel format \(from.format.name) to \(to.format.name)",
        hint: "convert the video first, for example with ffmpeg -pix_fmt yuv420p")
    }
    sws_setColorspaceDetails(
      fresh, sws_getCoefficients(from.color.swsSpace), from.color.range == .full ? 1 : 0,
      sws_getCoefficients(to.color.swsSpace), to.color.range == .full ? 1 : 0, 0, one, one)
    layouts = (from, to)
  }
}
