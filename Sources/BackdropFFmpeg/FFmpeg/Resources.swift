import BackdropImaging
import CBackdropKernels
import CFFmpeg
import Synchronization

// Each kind of memory from FFmpeg's libraries has an owner, which frees it exactly once, even if an initialiser with several of them fails
// halfway.

/// A file being read.
package final class InputContext {
  package let pointer: UnsafeMutablePointer<AVFormatContext>

  package init(_ pointer: UnsafeMutablePointer<AVFormatContext>) { self.pointer = pointer }

  deinit {
    var pointer: UnsafeMutablePointer<AVFormatContext>? = pointer
    avformat_close_input(&pointer)
  }

  package func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> {
    // The library fills the list up to its count.
    pointer.pointee.streams[index]!
  }

  package var streamCount: Int { Int(pointer.pointee.nb_streams) }
}

/// A file being written; closed without a trailer unless ``close()`` was called.
package final class OutputContext {
  package let pointer: UnsafeMutablePointer<AVFormatContext>
  // Packets come from two threads: the encoder's, and the reader's that copies.
  private let lock = Mutex(())
  /// The file, if it grows, with the length of its header and of its playable part: up to the last complete part.
  private var growing: OutputFile?
  private var headerEnd: Int64 = 0, playableEnd: Int64 = 0
  private var hasFailed = false

  package init(_ pointer: UnsafeMutablePointer<AVFormatContext>) { self.pointer = pointer }

  deinit {
    _ = close()
    avformat_free_context(pointer)
  }

  /// Adds a packet to the open file, from any thread; it does nothing after closing. With `isNext` no packet of another track can come
  /// before it, so that it goes into the file at once.
  package func write(
    _ packet: UnsafeMutablePointer<AVPacket>, isNext: Bool = false
  ) -> (code: FFmpegCode, messages: [String]) {
    lock.withLock { _ in
      guard pointer.pointee.pb != nil else { return (FFmpegCode(0), []) }
      let (code, messages) = FFmpegLog.capturing {
        FFmpegCode(isNext ? av_write_frame(pointer, packet) : av_interleaved_write_frame(pointer, packet))
      }
      if code.isFailure { hasFailed = true } else { markPlayable() }
      return (code, messages)
    }
  }

  /// Directs all later output to a file, which the caller continues to own.
  package func use(_ output: OutputFile) throws(BackdropError) {
    let file = try output.begin()
    guard let context = bd_file_open(file.number),
      // A muxer that moves its index to the front reads the file by this name.
      let name = FilePath.withBytes("file:" + output.temporaryPath, { av_strdup($0) })
    else { throw outOfMemory }
    pointer.pointee.pb = context
    av_freep(&pointer.pointee.url)
    pointer.pointee.url = name
    pointer.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    guard output.isGrowing else { return }
    growing = output
    pointer.pointee.flush_packets = 1
    // The longest delay by a track without pictures, in microseconds.
    pointer.pointee.max_interleave_delta = 500_000
  }

  /// Notes the end of the header; call it after writing that.
  package func endHeader() {
    guard growing != nil else { return }
    avio_flush(pointer.pointee.pb)
    headerEnd = bd_tell(pointer.pointee.pb)
    playableEnd = headerEnd
  }

  private func markPlayable() {
    guard let growing else { return }
    playableEnd = bd_tell(pointer.pointee.pb)
    if playableEnd > headerEnd { growing.isWorthKeeping = true }
  }

  /// Writes buffered data and closes the file.
  package func close() -> FFmpegCode {
    lock.withLock { _ in
      guard pointer.pointee.pb != nil else { return FFmpegCode(0) }
      let code = FFmpegCode(bd_file_close(&pointer.pointee.pb))
      // Remove an incomplete part, about which players would complain.
      if hasFailed || code.isFailure, let growing { growing.cut(to: Int(playableEnd)) }
      return code
    }
  }
}

package final class CodecContext {
  package let pointer: UnsafeMutablePointer<AVCodecContext>
  private var frameMemory: FrameMemory?

  package init(_ codec: UnsafePointer<AVCodec>) throws(BackdropError) {
    guard let pointer = avcodec_alloc_context3(codec) else { throw outOfMemory }
    self.pointer = pointer
  }

  /// Makes an unopened decoder put its frames where images can use them without a copy.
  package func decodesForImages() {
    let memory = FrameMemory()
    memory.use(in: pointer)
    frameMemory = memory
  }

  /// Rejects a packet of Motion JPEG with too many scans (``JPEGScans``).
  ///
  /// - Throws: `overLimit`.
  package func checkScans(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    guard pointer.pointee.codec_id == AV_CODEC_ID_MJPEG, let data = packet.pointee.data else { return }
    _ = try JPEGScans(UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size)))
  }

  /// Throws `system` if the system cannot start libx265's threads, `threads` of them or 0 for one a processor: the library waits forever
  /// for a thread that does not start (3.5, `Encoder::create`).
  package static func checkThreadsOfX265(_ threads: Int) throws(BackdropError) {
    // It encodes up to six frames at once, each with a thread of its own.
    let count = min((threads == 0 ? WorkerPool.processorCount : threads) + 6, 64)
    guard bd_threads_possible(Int32(count)) < count else { return }
    throw BackdropError(
      .system, "the system can start no more threads, which the HEVC encoder needs",
      hint: "end other programs, or raise the limit: ulimit -u")
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
    avcodec_free_context(&pointer)
  }
}

/// A reusable packet.
package final class PacketBuffer {
  package let pointer: UnsafeMutablePointer<AVPacket>

  package init() throws(BackdropError) {
    guard let pointer = av_packet_alloc() else { throw outOfMemory }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&pointer)
  }
}

extension UnsafeMutablePointer<AVPacket> {
  /// Copies bytes, fewer than 2³¹, to an empty packet; returns whether there was memory for them.
  package func fill(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard av_new_packet(self, Int32(bytes.count)) == 0, let data = pointee.data else { return false }
    UnsafeMutableRawBufferPointer(start: data, count: bytes.count).copyMemory(from: bytes)
    return true
  }
}

/// A reusable frame.
package final class FrameBuffer {
  package let pointer: UnsafeMutablePointer<AVFrame>

  package init() throws(BackdropError) {
    guard let pointer = av_frame_alloc() else { throw outOfMemory }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&pointer)
  }
}

/// Options for a library call, which removes those that it knows.
package struct Options: ~Copyable {
  package var pointer: OpaquePointer?

  package init(_ pairs: KeyValuePairs<String, String>) {
    for (key, value) in pairs { av_dict_set(&pointer, key, value, 0) }
  }

  deinit {
    var pointer = pointer
    av_dict_free(&pointer)
  }
}

private var outOfMemory: BackdropError { BackdropError(.system, "there is not enough memory for video buffers") }
