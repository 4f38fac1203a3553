import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A sound track of one's own beside the pictures: one channel, 48,000 samples a second, as AAC, or as Opus in WebM.
final class SoundTrack {
  /// Samples in a second.
  static let rate = 48_000

  private let encoder: CodecContext
  private let frame: FrameBuffer
  private let packet: PacketBuffer
  private let path: String
  private var index: Int32 = -1
  /// Samples that wait for a whole frame, and where the first of them is on the track.
  private var waiting: [Float] = []
  private var position: Int64 = 0
  /// Samples that are left out at the beginning.
  private var toSkip = 0

  /// Opens the encoder.
  ///
  /// - Throws: `unsupported` where FFmpeg was built without it.
  init(_ container: VideoContainer, path: String) throws(BackdropError) {
    self.path = path
    let name = container == .webm ? "libopus" : "aac"
    guard let codec = avcodec_find_encoder_by_name(name) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg libraries have no encoder \(name)", path: path,
        hint: "install an FFmpeg with \(name), or record without sound")
    }
    encoder = try CodecContext(codec)
    (frame, packet) = (try FrameBuffer(), try PacketBuffer())
    let context = encoder.pointer
    context.pointee.sample_rate = Int32(Self.rate)
    context.pointee.sample_fmt = container == .webm ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP
    context.pointee.bit_rate = 96_000
    context.pointee.time_base = AVRational(num: 1, den: Int32(Self.rate))
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    bd_context_is_mono(context)
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(avcodec_open2(context, codec, nil)) }
    guard !code.isFailure else { throw code.error("start the sound encoder", messages: messages, path: path) }
    // What the encoder puts before the first sample would be before the first picture: so much of the sound is left out.
    position = Int64(context.pointee.initial_padding)
    toSkip = Int(position)
  }

  /// Adds the track to a file whose header is not written yet.
  func add(to muxer: OutputContext) throws(BackdropError) {
    guard let stream = avformat_new_stream(muxer.pointer, nil) else {
      throw BackdropError(.system, "out of memory for a stream")
    }
    let code = FFmpegCode(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer))
    guard !code.isFailure else { throw code.error("describe the sound", path: path) }
    stream.pointee.time_base = AVRational(num: 1, den: Int32(Self.rate))
    index = stream.pointee.index
  }

  /// Adds samples of −1…1, which follow those before; the first is that of time 0.
  func write(_ samples: [Float], to muxer: OutputContext) throws(BackdropError) {
    let skipped = min(toSkip, samples.count)
    toSkip -= skipped
    waiting += samples.dropFirst(skipped)
    let size = Int(encoder.pointer.pointee.frame_size)
    var start = 0
    while waiting.count - start >= size {
      try encode(waiting[start..<start + size], muxer)
      start += size
    }
    waiting.removeFirst(start)
  }

  /// Writes what is left.
  func finish(_ muxer: OutputContext) throws(BackdropError) {
    if !waiting.isEmpty { try encode(waiting[...], muxer) }
    waiting = []
    try check(avcodec_send_frame(encoder.pointer, nil))
    try drain(muxer)
  }

  private func encode(_ samples: ArraySlice<Float>, _ muxer: OutputContext) throws(BackdropError) {
    let pointer = frame.pointer
    defer { av_frame_unref(pointer) }
    pointer.pointee.nb_samples = Int32(samples.count)
    pointer.pointee.format = encoder.pointer.pointee.sample_fmt.rawValue
    pointer.pointee.sample_rate = Int32(Self.rate)
    bd_frame_is_mono(pointer)
    try check(av_frame_get_buffer(pointer, 0))
    guard let to = pointer.pointee.data.0 else { throw BackdropError(.system, "out of memory for sound") }
    to.withMemoryRebound(to: Float.self, capacity: samples.count) { to in
      for (place, sample) in samples.enumerated() { to[place] = min(max(sample, -1), 1) }
    }
    pointer.pointee.pts = position
    position += Int64(samples.count)
    try check(avcodec_send_frame(encoder.pointer, pointer))
    try drain(muxer)
  }

  private func drain(_ muxer: OutputContext) throws(BackdropError) {
    let pointer = packet.pointer
    while true {
      let code = FFmpegCode(avcodec_receive_packet(encoder.pointer, pointer))
      if code == .again || code == .endOfFile { return }
      guard !code.isFailure else { throw code.error("encode the sound", path: path) }
      pointer.pointee.stream_index = index
      // The stream exists since the header was written.
      let stream = muxer.pointer.pointee.streams[Int(index)]!
      av_packet_rescale_ts(pointer, encoder.pointer.pointee.time_base, stream.pointee.time_base)
      let delay = muxer.unwrittenDelay(stream: Int(index))
      pointer.pointee.pts += delay
      pointer.pointee.dts += delay
      let (written, messages) = muxer.write(pointer)
      guard !written.isFailure else { throw written.error("write the sound", messages: messages, path: path) }
    }
  }

  private func check(_ value: Int32) throws(BackdropError) {
    let code = FFmpegCode(value)
    guard !code.isFailure else { throw code.error("encode the sound", path: path) }
  }
}
