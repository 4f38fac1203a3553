import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Decodes a video stream whose pieces are complete pictures, each on arrival.
final class StreamDecoder {
  private let decoder: CodecContext
  private let packet: PacketBuffer
  private let frame: FrameBuffer
  private let converter = FrameConverter()

  private init(_ decoder: CodecContext, _ packet: PacketBuffer, _ frame: FrameBuffer) {
    self.decoder = decoder
    self.packet = packet
    self.frame = frame
  }

  /// - Throws: `unsupported` if the installed FFmpeg libraries have no decoder for it.
  static func h264(limits: ImageLimits = .standard) throws(BackdropError) -> StreamDecoder {
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_H264) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg cannot decode H.264 video", hint: "choose another mode of the camera")
    }
    let decoder = try CodecContext(codec)
    decoder.pointer.pointee.max_pixels = Int64(limits.pixels)
    try start(decoder, codec)
    return StreamDecoder(decoder, try PacketBuffer(), try FrameBuffer())
  }

  /// A decoder for a stream of a network camera.
  static func of(
    _ stream: UnsafeMutablePointer<AVStream>, limits: ImageLimits, path: String
  ) throws(BackdropError) -> StreamDecoder {
    guard let parameters = stream.pointee.codecpar, let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw BackdropError(.unsupported, "the installed FFmpeg cannot decode this camera's video", path: path)
    }
    let decoder = try CodecContext(codec)
    guard avcodec_parameters_to_context(decoder.pointer, parameters) >= 0 else {
      throw BackdropError(.badData, "the stream's header is damaged", path: path)
    }
    decoder.pointer.pointee.pkt_timebase = stream.pointee.time_base
    decoder.pointer.pointee.max_pixels = Int64(limits.pixels)
    try start(decoder, codec)
    return StreamDecoder(decoder, try PacketBuffer(), try FrameBuffer())
  }

  private static func start(_ decoder: CodecContext, _ codec: UnsafePointer<AVCodec>) throws(BackdropError) {
    // Decoding several pictures in parallel would delay the stream by that number; decoding slices of one picture does
    // not.
    decoder.pointer.pointee.thread_count = 2
    decoder.pointer.pointee.thread_type = FF_THREAD_SLICE
    decoder.pointer.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    decoder.decodesForImages()
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(avcodec_open2(decoder.pointer, codec, nil)) }
    guard !code.isFailure else { throw code.error("start the video decoder", messages: messages, path: "the camera") }
  }

  /// Decodes a piece of the stream; `nil` if it does not complete a picture.
  ///
  /// - Throws: `badData` for an undecodable piece.
  func decode(_ bytes: UnsafeRawBufferPointer, pool: ImagePool?) throws(BackdropError) -> Image? {
    guard bytes.count < 1 << 28, av_new_packet(packet.pointer, Int32(bytes.count)) == 0, let base = bytes.baseAddress
    else { throw BackdropError(.badData, "the camera sent an empty picture") }
    defer { av_packet_unref(packet.pointer) }
    packet.pointer.pointee.data.update(from: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    return try decode(packet.pointer, pool: pool)
  }

  /// Decodes a demuxer's packet; `nil` if it does not complete a picture.
  func decode(_ packet: UnsafeMutablePointer<AVPacket>, pool: ImagePool?) throws(BackdropError) -> Image? {
    try decoder.checkScans(packet)
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(avcodec_send_packet(decoder.pointer, packet)) }
    guard !code.isFailure else {
      throw BackdropError(.badData, "the camera sent a damaged picture (\(messages.first ?? code.text))")
    }
    var newest: Image?
    while true {
      let code = FFmpegCode(avcodec_receive_frame(decoder.pointer, frame.pointer))
      if code == .again || code == .endOfFile { return newest }
      guard !code.isFailure else { throw BackdropError(.badData, "the camera sent a damaged picture (\(code.text))") }
      defer { av_frame_unref(frame.pointer) }
      // A damaged picture has grey or old parts.
      if frame.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointer.pointee.decode_error_flags != 0 {
        continue
      }
      newest = try image(pool)
    }
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
      format: .i420,
      width: width, height: height, color: color, pool: pool)
  }
}
