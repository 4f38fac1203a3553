import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Decodes a video stream whose pieces are complete pictures, each on arrival.
final class StreamDecoder {
  private let decoder: CodecContext
  private let packet: PacketBuffer
  private let frame: FrameBuffer
  private let converter = FrameConverter()
  /// Whether pictures are missing on which those until the next key frame depend: at the start, and after damage.
  private var lacksPictures = true
  /// Packets that may hold the rest of a damaged one.
  private var suspectCount = 0

  static func h264() throws(BackdropError) -> StreamDecoder {
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_H264) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg cannot decode H.264 video", hint: "choose another mode of the camera")
    }
    return try StreamDecoder(codec, limits: .standard)
  }

  /// A decoder for a stream of a network camera.
  static func of(
    _ stream: UnsafeMutablePointer<AVStream>, limits: ImageLimits, path: String
  ) throws(BackdropError) -> StreamDecoder {
    guard let parameters = stream.pointee.codecpar, let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw BackdropError(.unsupported, "the installed FFmpeg cannot decode this camera's video", path: path)
    }
    return try StreamDecoder(codec, limits: limits) { context throws(BackdropError) in
      guard avcodec_parameters_to_context(context, parameters) >= 0 else {
        throw BackdropError(.badData, "the stream's header is damaged", path: path)
      }
      context.pointee.pkt_timebase = stream.pointee.time_base
    }
  }

  private init(
    _ codec: UnsafePointer<AVCodec>, limits: ImageLimits,
    _ prepare: (UnsafeMutablePointer<AVCodecContext>) throws(BackdropError) -> Void = { _ in }
  ) throws(BackdropError) {
    (decoder, packet, frame) = (try CodecContext(codec), try PacketBuffer(), try FrameBuffer())
    let context = decoder.pointer
    try prepare(context)
    context.pointee.max_pixels = Int64(limits.pixels)
    // Decoding several pictures in parallel would delay the stream by that number; decoding slices of one picture does
    // not. With slices in parallel, the decoder of H.264 does not mark damaged pictures; the others tell of damage only
    // when it is to be an error.
    let isH264 = codec.pointee.id == AV_CODEC_ID_H264
    context.pointee.thread_count = isH264 ? 1 : 2
    context.pointee.thread_type = FF_THREAD_SLICE
    context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    if !isH264 { context.pointee.err_recognition |= AV_EF_EXPLODE }
    decoder.decodesForImages()
    try FFmpegLog.checking("start the video decoder", path: "the camera") { avcodec_open2(context, codec, nil) }
  }

  /// Decodes a piece of the stream; `nil` if it does not complete a picture.
  func decode(_ bytes: UnsafeRawBufferPointer, pool: ImagePool?) throws(BackdropError) -> Image? {
    guard bytes.count < 1 << 28, bytes.baseAddress != nil, packet.pointer.fill(bytes) else {
      throw BackdropError(.badData, "the camera sent an empty picture")
    }
    defer { av_packet_unref(packet.pointer) }
    return try decode(packet.pointer, pool: pool)
  }

  /// Decodes a demuxer's packet; `nil` if it does not complete a picture, or one that depends on a missing picture.
  ///
  /// - Throws: `badData` for a damaged packet or picture, which has grey, old or made up parts.
  func decode(_ packet: UnsafeMutablePointer<AVPacket>, pool: ImagePool?) throws(BackdropError) -> Image? {
    try decoder.checkScans(packet)
    if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 {
      // The demuxer marks the first piece only; a parser may cut the rest into two more.
      suspectCount = 2
      throw damage()
    }
    if suspectCount > 0 {
      suspectCount -= 1
      throw damage()
    }
    let code = FFmpegCode(avcodec_send_packet(decoder.pointer, packet))
    guard !code.isFailure else { throw damage(code) }
    var (newest, isDamaged): (Image?, Bool) = (nil, false)
    while true {
      let code = FFmpegCode(avcodec_receive_frame(decoder.pointer, frame.pointer))
      if code == .again || code == .endOfFile { break }
      guard !code.isFailure else { throw damage(code) }
      defer { av_frame_unref(frame.pointer) }
      if frame.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointer.pointee.decode_error_flags != 0 {
        isDamaged = true
        lacksPictures = true
      } else if bd_frame_is_key(frame.pointer) != 0 || !lacksPictures {
        lacksPictures = false
        newest = try image(pool)
      }
    }
    if newest == nil && isDamaged { throw damage() }
    return newest
  }

  /// The error for a damaged picture; those that depend on it are left out too.
  private func damage(_ code: FFmpegCode? = nil) -> BackdropError {
    lacksPictures = true
    return BackdropError(.badData, "the camera sent a damaged picture" + (code.map { " (\($0.text))" } ?? ""))
  }

  private func image(_ pool: ImagePool?) throws(BackdropError) -> Image {
    let decoded = frame.pointer.pointee
    let (width, height) = (Int(decoded.width), Int(decoded.height))
    try ImageLimits.standard.check(width: width, height: height)
    let format = AVPixelFormat(decoded.format)
    let color = ColorDescription(decoded, fallback: .assumed(width: width, height: height))
    if format.withoutRange == AV_PIX_FMT_YUV420P { return frame.image(.i420, color: color, pool: pool) }
    return try converter.image(
      from: PlanePointers(frame.pointer), SampleLayout(format: format, width: width, height: height, color: color),
      format: .i420, width: width, height: height, color: color, pool: pool)
  }
}
