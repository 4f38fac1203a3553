import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Codes a source's sound anew for a file that cannot hold it as it is.
///
/// The source's times decide where a sample is. As long as they agree with the samples that were counted, within
/// ``tolerance``, these follow one another; a gap is filled with silence, and what overlaps is left out.
final class SoundTranscoder {
  /// Seconds by which times may be off: those of some containers are rounded to whole frames of the codec.
  private static let tolerance = 0.01
  /// Seconds of a gap that are filled with silence; a longer one is left open.
  private static let longestSilence = 60
  /// Samples of one packet at most, and samples in a second that are resampled.
  private static let mostSamples: Int64 = 1 << 24, rates: ClosedRange<Int32> = 1000...768_000
  /// Samples that are converted at once.
  private static let portion = 8192

  /// The track that it becomes.
  let track: SoundTrack
  /// Packets that could not be decoded.
  private(set) var damagedCount = 0

  private let decoder: CodecContext
  private let frame: FrameBuffer
  private let base: AVRational
  private var resampler: OpaquePointer?
  /// The input of the resampler.
  private var kind: (format: Int32, rate: Int32, channels: Int32) = (-1, 0, 0)
  /// Where samples that follow one another begin on the track, and how many of the source's these are so far.
  private var run: (start: Int64, taken: Int64)?
  /// Samples that are left out, since others are in their place already.
  private var toDrop: Int64 = 0
  private var samples: [Float]

  /// Opens the decoder of a stream, and the encoder.
  ///
  /// - Parameters:
  ///   - stream: of the source.
  ///   - codec: what it becomes.
  ///   - path: of the output.
  /// - Throws: `unsupported` where one of them is missing, `badData` where the stream does not say what it is, `system`.
  init(_ stream: UnsafeMutablePointer<AVStream>, to codec: SoundCodec, path: String) throws(BackdropError) {
    // Every opened stream has parameters.
    let parameters = stream.pointee.codecpar!
    let rate = parameters.pointee.sample_rate
    let channels = bd_parameters_channels(parameters)
    guard Self.rates.contains(rate), channels > 0 else {
      throw BackdropError(.badData, "the sound gives no number of channels or samples")
    }
    guard let found = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw BackdropError(.unsupported, "the installed FFmpeg cannot decode it")
    }
    decoder = try CodecContext(found)
    frame = try FrameBuffer()
    let base = stream.pointee.time_base
    self.base = base
    let context = decoder.pointer
    context.pointee.max_samples = Self.mostSamples
    context.pointee.thread_count = 1
    let (code, messages) = FFmpegLog.capturing { () -> FFmpegCode in
      let copied = avcodec_parameters_to_context(context, parameters)
      context.pointee.pkt_timebase = base
      return FFmpegCode(copied < 0 ? copied : avcodec_open2(context, found, nil))
    }
    guard !code.isFailure else { throw code.error("start the sound decoder", messages: messages, path: nil) }
    // More than eight are mixed to two.
    track = try SoundTrack(
      codec, channels: channels <= 8 ? Int(channels) : 2, rate: codec.rate(for: Int(rate)), path: path)
    samples = [Float](repeating: 0, count: Self.portion * track.channels)
  }

  deinit { swr_free(&resampler) }

  /// Takes a packet of the source, its times counted from the output's time 0. What is damaged is passed over.
  func accept(_ packet: UnsafeMutablePointer<AVPacket>, _ muxer: OutputContext) throws(BackdropError) {
    if avcodec_send_packet(decoder.pointer, packet) < 0 { damagedCount += 1 }
    try receive(muxer)
  }

  /// Writes all that is left.
  func finish(_ muxer: OutputContext) throws(BackdropError) {
    avcodec_send_packet(decoder.pointer, nil)
    try receive(muxer)
    try drainResampler(muxer)
    try track.finish(muxer)
  }

  private func receive(_ muxer: OutputContext) throws(BackdropError) {
    while true {
      let code = FFmpegCode(avcodec_receive_frame(decoder.pointer, frame.pointer))
      if code == .again || code == .endOfFile { return }
      guard !code.isFailure else {
        damagedCount += 1
        return
      }
      defer { av_frame_unref(frame.pointer) }
      try take(muxer)
    }
  }

  private func take(_ muxer: OutputContext) throws(BackdropError) {
    let decoded = frame.pointer.pointee
    let channels = bd_frame_channels(frame.pointer)
    guard decoded.nb_samples > 0, Self.rates.contains(decoded.sample_rate), channels > 0 else { return }
    let isOther = kind != (decoded.format, decoded.sample_rate, channels)
    let rate = Int64(track.rate)
    let expected = run.map { $0.start + $0.taken * rate / Int64(max(1, kind.rate)) }
    let time = decoded.best_effort_timestamp
    var place = time == bd_nopts() ? nil : av_rescale_q(time, base, AVRational(num: 1, den: Int32(rate)))
    // What cannot be told in samples is no time, nor is one that lies far back.
    if let found = place, abs(found / rate) > 100_000_000 || expected.map({ found < $0 - rate }) == true { place = nil }
    let ticks = 2 * Rational(base).value * Double(rate)
    let allowed = max(ticks, Self.tolerance * Double(rate))
    let isElsewhere = expected.map { expected in place.map { abs(Double($0 - expected)) > allowed } ?? false } ?? true
    if isOther || isElsewhere {
      try drainResampler(muxer)
      guard prepare(decoded, channels) else {
        damagedCount += 1
        run = nil
        return
      }
      try begin(at: isElsewhere ? place ?? expected ?? 0 : expected ?? 0, muxer)
    }
    run?.taken += Int64(decoded.nb_samples)
    try convert(frame.pointer, muxer)
  }

  /// Makes a resampler for frames like this one.
  private func prepare(_ decoded: AVFrame, _ channels: Int32) -> Bool {
    swr_free(&resampler)
    resampler =
      FFmpegLog.capturing {
        bd_resampler(frame.pointer, Int32(track.channels), Int32(track.rate))
      }.result
    kind = resampler == nil ? (-1, 0, 0) : (decoded.format, decoded.sample_rate, channels)
    return resampler != nil
  }

  /// Lets what comes next be at a place of the track.
  private func begin(at place: Int64, _ muxer: OutputContext) throws(BackdropError) {
    let isFirst = run == nil && track.end == 0
    run = (place, 0)
    let gap = max(0, place) - track.end
    if isFirst || gap > Int64(Self.longestSilence * track.rate) {
      try track.skip(to: max(0, place), muxer)
    } else if gap > 0 {
      try track.write(repeatElement(0, count: Int(gap) * track.channels), to: muxer)
    }
    toDrop = track.end - place
  }

  private func drainResampler(_ muxer: OutputContext) throws(BackdropError) {
    guard resampler != nil, run != nil else { return }
    try convert(nil, ends: true, muxer)
  }

  /// Converts a frame, or what is left before another begins.
  private func convert(
    _ source: UnsafeMutablePointer<AVFrame>?, ends: Bool = false, _ muxer: OutputContext
  ) throws(BackdropError) {
    var next = source
    while true {
      let count = Int(bd_resample(resampler, &samples, Int32(Self.portion), next, ends ? 1 : 0))
      next = nil
      guard count > 0 else { return }
      let dropped = min(Int(max(0, toDrop)), count)
      toDrop -= Int64(dropped)
      try track.write(samples[dropped * track.channels..<count * track.channels], to: muxer)
      if count < Self.portion && !ends { return }
    }
  }
}
