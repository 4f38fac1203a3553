import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A sound track that is coded here, as AAC or Opus.
final class SoundTrack {
  /// Samples in a second of a recording.
  static let recordingRate = 48_000

  /// Samples in a second, and channels, one to eight.
  let rate: Int, channels: Int
  private let codec: SoundCodec
  private let encoder: CodecContext
  private let frame: FrameBuffer
  private let packet: PacketBuffer
  private let path: String
  private var index: Int32 = -1
  /// Samples that wait for a whole frame, channel by channel in turn, and where the first of them is on the track.
  private var waiting: [Float] = []
  private var position: Int64 = 0
  /// Samples of each channel that are left out.
  private var toSkip = 0

  /// Opens the encoder.
  ///
  /// - Throws: `unsupported` where FFmpeg was built without it, `system` where it does not start.
  init(_ codec: SoundCodec, channels: Int = 1, rate: Int = recordingRate, path: String) throws(BackdropError) {
    (self.codec, self.channels, self.rate, self.path) = (codec, channels, rate, path)
    guard let found = avcodec_find_encoder_by_name(codec.encoderName) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg libraries have no encoder \(codec.encoderName)", path: path,
        hint: "install an FFmpeg with \(codec.encoderName), or write the video without sound")
    }
    encoder = try CodecContext(found)
    (frame, packet) = (try FrameBuffer(), try PacketBuffer())
    let context = encoder.pointer
    context.pointee.sample_rate = Int32(rate)
    context.pointee.sample_fmt = codec.sampleFormat
    context.pointee.bit_rate = codec.bitRate(channels: channels, rate: rate)
    context.pointee.time_base = AVRational(num: 1, den: Int32(rate))
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    bd_context_set_channels(context, Int32(channels))
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(avcodec_open2(context, found, nil)) }
    guard !code.isFailure else { throw code.error("start the sound encoder", messages: messages, path: path) }
  }

  /// Where the next sample will be on the track, counted from time 0.
  var end: Int64 { position + Int64(waiting.count / channels) }

  /// Lets the track begin at 0 without what the encoder puts before its first sample: so much of the sound is left out. Files
  /// made of parts have no other way to say that it comes before the first picture.
  func leavePaddingOut() {
    position = Int64(encoder.pointer.pointee.initial_padding)
    toSkip = Int(position)
  }

  /// Adds the track to a file whose header is not written yet.
  ///
  /// - Returns: the stream.
  @discardableResult
  func add(to muxer: OutputContext) throws(BackdropError) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(muxer.pointer, nil) else {
      throw BackdropError(.system, "there is not enough memory for a stream")
    }
    let code = FFmpegCode(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer))
    guard !code.isFailure else { throw code.error("describe the sound", path: path) }
    stream.pointee.time_base = AVRational(num: 1, den: Int32(rate))
    index = stream.pointee.index
    return stream
  }

  /// Goes to a later place of the track; silence fills what is missing of the last frame.
  func skip(to place: Int64, _ muxer: OutputContext) throws(BackdropError) {
    if !waiting.isEmpty {
      waiting += [Float](repeating: 0, count: Int(encoder.pointer.pointee.frame_size) * channels - waiting.count)
      try encode(waiting[...], muxer)
      waiting = []
    }
    position = max(position, place)
  }

  /// Adds samples of −1…1, the channels in turn, which follow those before.
  func write(_ samples: some Collection<Float>, to muxer: OutputContext) throws(BackdropError) {
    let skipped = min(toSkip, samples.count / channels)
    toSkip -= skipped
    waiting += samples.dropFirst(skipped * channels)
    let size = Int(encoder.pointer.pointee.frame_size) * channels
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
    let count = samples.count / channels
    pointer.pointee.nb_samples = Int32(count)
    pointer.pointee.format = encoder.pointer.pointee.sample_fmt.rawValue
    pointer.pointee.sample_rate = Int32(rate)
    bd_frame_set_channels(pointer, Int32(channels))
    try check(av_frame_get_buffer(pointer, 0))
    let planes = codec.sampleFormat == AV_SAMPLE_FMT_FLTP ? channels : 1
    for plane in 0..<planes {
      // The library fills the list up to the count of channels.
      guard let to = pointer.pointee.extended_data[plane] else {
        throw BackdropError(.system, "there is not enough memory for sound")
      }
      to.withMemoryRebound(to: Float.self, capacity: samples.count / planes) { to in
        for place in 0..<samples.count / planes {
          to[place] = min(max(samples[samples.startIndex + place * planes + plane], -1), 1)
        }
      }
    }
    pointer.pointee.pts = position
    position += Int64(count)
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
