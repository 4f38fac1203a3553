import BackdropImaging
import CFFmpeg
import Libc
import Synchronization

/// Memory shared by decoders and images, without a copy in between: the planes of a frame are in one block, with rows 64-byte aligned.
///
/// A block returns to the pool when neither the decoder nor an image holds it, on any thread.
package final class FrameMemory: Sendable {
  private struct Pool: @unchecked Sendable {
    // libavutil counts its users atomically; the lock protects the choice of the current pool.
    var pointer: OpaquePointer?
    var byteCount = 0
  }

  private let pool = Mutex(Pool())

  deinit { pool.withLock { av_buffer_pool_uninit(&$0.pointer) } }

  /// Makes an unopened decoder put its frames here. It must not outlive this object.
  package func use(in context: UnsafeMutablePointer<AVCodecContext>) {
    bd_use_frame_memory(context, Unmanaged.passUnretained(self).toOpaque()) { context, frame, flags in
      // Called with both, for the context passed to `use`, or a thread's copy of it.
      let (context, frame) = (context!, frame!)
      let memory = Unmanaged<FrameMemory>.fromOpaque(context.pointee.opaque).takeUnretainedValue()
      return memory.provide(frame, context) ?? avcodec_default_get_buffer2(context, frame, flags)
    }
  }

  /// Gives the frame its planes and returns libavcodec's code; `nil` if it uses other memory.
  private func provide(
    _ frame: UnsafeMutablePointer<AVFrame>, _ context: UnsafeMutablePointer<AVCodecContext>
  ) -> Int32? {
    let format = AVPixelFormat(frame.pointee.format)
    guard context.pointee.codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0, let (count, divisor) = Self.chroma(format)
    else { return nil }
    var (width, height) = (frame.pointee.width, frame.pointee.height)
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(AV_NUM_DATA_POINTERS)) {
      avcodec_align_dimensions2(context, &width, &height, $0.baseAddress)
    }
    // Some decoders assume that chroma rows have this length or half of it.
    let stride = (Int(width) + 127) / 128 * 128 * (format == AV_PIX_FMT_GRAY16LE ? 2 : 1)
    let luma = stride * Int(height) + Self.gap
    let chroma = stride / divisor * ((Int(height) + 1) / 2) + Self.gap
    guard let buffer = buffer(byteCount: luma + count * chroma + PixelStorage.slack) else { return bd_averror(ENOMEM) }
    let base = buffer.pointee.data!
    frame.pointee.buf.0 = buffer
    (frame.pointee.data.0, frame.pointee.linesize.0) = (base, Int32(stride))
    if count > 0 { (frame.pointee.data.1, frame.pointee.linesize.1) = (base + luma, Int32(stride / divisor)) }
    if count > 1 { (frame.pointee.data.2, frame.pointee.linesize.2) = (base + luma + chroma, Int32(stride / divisor)) }
    bd_frame_has_few_planes(frame)
    return 0
  }

  /// Bytes after each plane: some decoders access a few beyond the last row.
  private static let gap = 128

  /// The number of a format's chroma planes, and the ratio of row lengths; `nil` for formats that images do not have.
  private static func chroma(_ format: AVPixelFormat) -> (count: Int, divisor: Int)? {
    switch format {
    case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: (2, 2)
    case AV_PIX_FMT_NV12: (1, 1)
    case AV_PIX_FMT_GRAY16LE: (0, 1)
    default: nil
    }
  }

  private func buffer(byteCount: Int) -> UnsafeMutablePointer<AVBufferRef>? {
    pool.withLock { pool in
      if pool.byteCount != byteCount {
        av_buffer_pool_uninit(&pool.pointer)
        pool.byteCount = byteCount
        pool.pointer = av_buffer_pool_init(byteCount) { count in
          var base: UnsafeMutableRawPointer?
          guard posix_memalign(&base, 64, count) == 0, let base else { return nil }
          // Parts that a damaged video leaves out must not show old contents.
          memset(base, 0, count)
          return av_buffer_create(base.assumingMemoryBound(to: UInt8.self), count, { free($1) }, nil, 0)
        }
      }
      return pool.pointer.flatMap { av_buffer_pool_get($0) }
    }
  }
}

/// A decoder's buffer, held while an image uses it.
private final class HeldBuffer: @unchecked Sendable {
  // No code writes to a shared buffer; libavutil counts references atomically.
  private let pointer: UnsafeMutablePointer<AVBufferRef>

  init?(_ buffer: UnsafeMutablePointer<AVBufferRef>) {
    guard let pointer = av_buffer_ref(buffer) else { return nil }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVBufferRef>? = pointer
    av_buffer_unref(&pointer)
  }
}

extension FrameBuffer {
  /// The decoded picture, whose samples must have the layout of `format`: in the decoder's own memory if its rows are aligned like an
  /// image's, otherwise a copy.
  package func image(
    _ format: PixelFormat, color: ColorDescription, orientation: Orientation = .up, pool: ImagePool?
  ) -> Image {
    let (width, height) = (Int(pointer.pointee.width), Int(pointer.pointee.height))
    if let (storage, layouts) = lent(format, width: width, height: height) {
      return Image(
        format, width: width, height: height, color: color, orientation: orientation, storage: storage,
        layouts: layouts)
    }
    let image = Image(format, width: width, height: height, color: color, orientation: orientation, pool: pool)
    PlanePointers(pointer).copy(to: image)
    return image
  }

  private func lent(
    _ format: PixelFormat, width: Int, height: Int
  ) -> (storage: PixelStorage, layouts: Image.PlaneLayouts)? {
    let planes = PlanePointers(pointer)
    guard let buffer = pointer.pointee.buf.0, pointer.pointee.buf.1 == nil, let first = planes.base[0] else {
      return nil
    }
    let base = UnsafeRawPointer(first)
    let layouts = Image.PlaneLayouts(format, width: width, height: height) { plane in
      (planes.base[plane].map { UnsafeRawPointer($0) - base } ?? -1, Int(planes.bytesPerRow[plane]))
    }
    guard let layouts, Int(bitPattern: base) % 64 == 0 else { return nil }
    // The kernels read whole vectors, so there must be space after the last row.
    let start = UnsafeRawPointer(buffer.pointee.data!)
    guard base >= start, base + layouts.end + PixelStorage.slack <= start + Int(buffer.pointee.size),
      let held = HeldBuffer(buffer)
    else { return nil }
    return (PixelStorage(lent: UnsafeMutableRawPointer(mutating: base), byteCount: layouts.end, by: held), layouts)
  }
}
