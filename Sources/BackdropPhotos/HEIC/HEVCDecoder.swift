import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Decodes single HEVC pictures one after the other, all with the same configuration, with FFmpeg's libraries.
final class HEVCDecoder {
  private let codec: CodecContext
  private let packets: PacketBuffer
  private let frames: FrameBuffer
  private var context: UnsafeMutablePointer<AVCodecContext> { codec.pointer }
  private var packet: UnsafeMutablePointer<AVPacket> { packets.pointer }
  private var frame: UnsafeMutablePointer<AVFrame> { frames.pointer }
  let configuration: HEVCConfiguration

  /// - Parameter threads: the library's own threads; 1 if several decoders run in parallel.
  init(_ configuration: HEVCConfiguration, threads: Int) throws(BackdropError) {
    guard let decoder = avcodec_find_decoder(AV_CODEC_ID_HEVC) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg libraries cannot decode HEVC",
        hint: "install it: sudo apt install libavcodec59")
    }
    (codec, packets, frames) = (try CodecContext(decoder), try PacketBuffer(), try FrameBuffer())
    self.configuration = configuration
    let body = configuration.body
    guard let extra = av_mallocz(body.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))?.assumingMemoryBound(to: UInt8.self)
    else { throw BackdropError(.system, "there is not enough memory for a decoder") }
    body.withUnsafeBufferPointer { source in
      // A configuration has at least its version, so the array is not empty.
      extra.update(from: source.baseAddress!, count: body.count)
    }
    context.pointee.extradata = extra
    context.pointee.extradata_size = Int32(body.count)
    context.pointee.thread_count = Int32(clamping: threads)
    context.pointee.thread_type = FF_THREAD_SLICE
    // A second limit, in case a parameter set escapes the check. FFmpeg applies it to the aligned size.
    context.pointee.max_pixels = Int64(configuration.width + 128) * Int64(configuration.height + 128)
    // Suppress messages, because errors report failures. The offset raises every level above the printed ones, within
    // the eight bits that FFmpeg examines.
    context.pointee.log_level_offset = 128
    let code = avcodec_open2(context, decoder, nil)
    guard code >= 0 else { throw BackdropError(.badData, "the picture's HEVC parameters are damaged") }
  }

  /// Decodes one picture and passes the frame to `body`; the frame is invalid afterwards.
  func decode<Result>(
    _ data: [UInt8], _ body: (UnsafeMutablePointer<AVFrame>) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let units = try NALUnit.checked(data, lengthSize: configuration.lengthSize)
    guard !units.isEmpty else { throw BackdropError(.badData, "the coded picture is empty") }
    guard units.count < Int(Int32.max) / 2 else {
      throw BackdropError(.badData, "the coded picture has \(units.count) bytes, too many")
    }
    av_packet_unref(packet)
    guard units.withUnsafeBytes(packet.fill) else {
      throw BackdropError(.system, "there is not enough memory for a coded picture of \(units.count) bytes")
    }
    defer {
      av_frame_unref(frame)
      avcodec_flush_buffers(context)
    }
    let damaged = BackdropError(damaged: "the coded picture of \(units.count) bytes is damaged")
    guard avcodec_send_packet(context, packet) == 0, avcodec_send_packet(context, nil) == 0,
      avcodec_receive_frame(context, frame) == 0
    else { throw damaged }
    guard frame.pointee.decode_error_flags == 0, frame.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0 else {
      throw damaged
    }
    return try body(frame)
  }
}
