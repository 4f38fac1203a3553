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
    (self.width, self.height, self.color) = (width, height, color)
  }

  package init(_ image: borrowing Image) {
    self.init(format: image.format.av, width: image.width, height: image.height, color: image.color)
  }
}

package struct PlanePointers {
  package var base = InlineArray<4, UnsafeMutablePointer<UInt8>?>(repeating: nil)
  package var bytesPerRow = InlineArray<4, Int32>(repeating: 0)

  package init() {}

  package init(_ frame: UnsafeMutablePointer<AVFrame>) {
    let (data, lines) = (frame.pointee.data, frame.pointee.linesize)
    base = [data.0, data.1, data.2, data.3]
    bytesPerRow = [lines.0, lines.1, lines.2, lines.3]
  }

  /// The planes of an image; valid during the life of its storage.
  package init(_ image: borrowing Image) {
    for plane in 0..<image.format.planeCount {
      base[plane] = UnsafeMutablePointer(mutating: image.base(plane: plane))
      bytesPerRow[plane] = Int32(image.layout(plane).bytesPerRow)
    }
  }

  /// The planes of a picture with up to 16 bits a sample; valid during the life of its storage.
  package init(_ frame: borrowing DeepFrame) {
    base = [frame.luma.bytes, frame.cb.bytes, frame.cr.bytes, nil]
    bytesPerRow = [Int32(2 * frame.luma.stride), Int32(2 * frame.cb.stride), Int32(2 * frame.cr.stride), 0]
  }

  /// Copies the planes to an unshared image of this format and size.
  package func copy(to image: borrowing Image) {
    let target = PlanePointers(image)
    for plane in 0..<image.format.planeCount {
      let layout = image.layout(plane)
      av_image_copy_plane(
        target.base[plane], target.bytesPerRow[plane], base[plane], bytesPerRow[plane], Int32(layout.rowBytes),
        Int32(layout.rows))
    }
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
    for plane in 0..<4 {
      (sources[plane], targets[plane]) = (UnsafePointer(source.base[plane]), target.base[plane])
      (strides[plane], strides[4 + plane]) = (source.bytesPerRow[plane], target.bytesPerRow[plane])
    }
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
    func setColors() {
      let one: Int32 = 1 << 16
      sws_setColorspaceDetails(
        fresh, sws_getCoefficients(from.color.swsSpace), from.color.range == .full ? 1 : 0,
        sws_getCoefficients(to.color.swsSpace), to.color.range == .full ? 1 : 0, 0, one, one)
    }
    setColors()
    guard sws_init_context(fresh, nil, nil) >= 0 else {
      throw BackdropError(
        .unsupported, "FFmpeg cannot convert the pixel format \(from.format.name) to \(to.format.name)",
        hint: "convert the video first, for example with ffmpeg -pix_fmt yuv420p")
    }
    setColors()
    layouts = (from, to)
  }
}
