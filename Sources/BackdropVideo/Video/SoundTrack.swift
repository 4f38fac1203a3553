import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A sound track that Backdrop encodes, as AAC or Opus.
final class SoundTrack {
  static let recordingRate = 48_000

  /// Samples per second, and channels, one to eight.
  let rate: Int, channels: Int
  private let codec: SoundCodec
  private let encoder: CodecContext
  private let frame: FrameBuffer
  private let packet: PacketBuffer
  private let path: String
  /// Samples that wait for a whole frame, interleaved, and the position of the first on the track.
  private var waiting: [Float] = []
  private var position: Int64 = 0
  /// Samples of each channel to leave out.
  private var toSkip = 0

  /// Opens the encoder.
  ///
  /// - Throws: `unsupported` if FFmpeg was built without it, `system` if it does not start.
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
    context.pointee.ch_layout = bd_channel_layout(Int32(channels))
    try FFmpegLog.checking("start the sound encoder", path: path) { avcodec_open2(context, found, nil) }
  }

  /// The position of the next sample on the track, from time 0.
  var end: Int64 { position + Int64(waiting.count / channels) }

  /// Starts the track at 0 without the encoder's padding before its first sample, by leaving out that much of the sound. A file in parts
  /// cannot state that the track begins before the first picture.
  func leavePaddingOut() {
    position = Int64(encoder.pointer.pointee.initial_padding)
    toSkip = Int(position)
  }

  /// Describes the track to a file; a tick is the time of a sample.
  func describe(_ stream: UnsafeMutablePointer<AVStream>) throws(BackdropError) {
    try FFmpegCode(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer))
      .check("describe the sound", path: path)
    stream.pointee.time_base = encoder.pointer.pointee.time_base
  }

  /// Moves to a later position of the track; silence fills the rest of the last frame.
  func skip(to start: Int64, _ output: PacketOutput) throws(BackdropError) {
    if !waiting.isEmpty {
      waiting += [Float](repeating: 0, count: Int(encoder.pointer.pointee.frame_size) * channels - waiting.count)
      try encode(waiting[...], output)
      waiting = []
    }
    position = max(position, start)
  }

  /// Appends samples of −1…1, interleaved.
  func write(_ samples: some Collection<Float>, to output: PacketOutput) throws(BackdropError) {
    let skipped = min(toSkip, samples.count / channels)
    toSkip -= skipped
    waiting += samples.dropFirst(skipped * channels)
    let size = Int(encoder.pointer.pointee.frame_size) * channels
    var start = 0
    while waiting.count - start >= size {
      try encode(waiting[start..<start + size], output)
      start += size
    }
    waiting.removeFirst(start)
  }

  func finish(_ output: PacketOutput) throws(BackdropError) {
    if !waiting.isEmpty { try encode(waiting[...], output) }
    waiting = []
    try check(avcodec_send_frame(encoder.pointer, nil))
    try drain(output)
  }

  private func encode(_ samples: ArraySlice<Float>, _ output: PacketOutput) throws(BackdropError) {
    let pointer = frame.pointer
    defer { av_frame_unref(pointer) }
    let count = samples.count / channels
    pointer.pointee.nb_samples = Int32(count)
    pointer.pointee.format = encoder.pointer.pointee.sample_fmt.rawValue
    pointer.pointee.sample_rate = Int32(rate)
    pointer.pointee.ch_layout = bd_channel_layout(Int32(channels))
    try check(av_frame_get_buffer(pointer, 0))
    let planes = codec.sampleFormat == AV_SAMPLE_FMT_FLTP ? channels : 1
    for plane in 0..<planes {
      // The library fills the list up to the number of channels.
      guard let to = pointer.pointee.extended_data[plane] else {
        throw BackdropError(.system, "there is not enough memory for sound")
      }
      to.withMemoryRebound(to: Float.self, capacity: samples.count / planes) { to in
        for index in 0..<samples.count / planes {
          to[index] = min(max(samples[samples.startIndex + index * planes + plane], -1), 1)
        }
      }
    }
    pointer.pointee.pts = position
    position += Int64(count)
    try check(avcodec_send_frame(encoder.pointer, pointer))
    try drain(output)
  }

  private func drain(_ output: PacketOutput) throws(BackdropError) {
    let pointer = packet.pointer
    while true {
      let code = FFmpegCode(avcodec_receive_packet(encoder.pointer, pointer))
      if code == .again || code == .endOfFile { return }
      try check(code.value)
      try output(pointer)
    }
  }

  private func check(_ value: Int32) throws(BackdropError) {
    try FFmpegCode(value).check("encode the sound", path: path)
  }
}
