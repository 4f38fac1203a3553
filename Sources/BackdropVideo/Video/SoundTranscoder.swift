import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Encodes a source's sound for a file that cannot hold it directly.
///
/// The source's times set the position of samples. While they agree with the sample count, within ``tolerance``, samples follow each other;
/// silence fills a gap, and overlapping samples are left out.
final class SoundTranscoder: Transcoder {
  /// Tolerated time errors in seconds: some containers round times to whole frames of the codec.
  private static let tolerance = 0.01
  /// The longest gap in seconds that silence fills; a longer one stays open.
  private static let longestSilence = 60
  /// The maximum number of samples in a packet, and the sample rates that can be resampled.
  private static let maximumSamples: Int64 = 1 << 24, rates: ClosedRange<Int32> = 1000...768_000
  /// Samples converted at once.
  private static let portion = 8192

  let track: SoundTrack
  private(set) var damagedCount = 0

  private let decoder: CodecContext
  private let frame: FrameBuffer
  private let base: AVRational
  private var resampler: OpaquePointer?
  /// The input of the resampler.
  private var kind: (format: Int32, rate: Int32, channels: Int32) = (-1, 0, 0)
  /// The start of consecutive samples on the track, and the number of the source's samples so far.
  private var run: (start: Int64, taken: Int64)?
  /// Samples to drop, because others are already there.
  private var toDrop: Int64 = 0
  private var samples: [Float]

  /// Opens the decoder of a source's stream, and the encoder; the path is the output's.
  ///
  /// - Throws: `unsupported` if one of them is missing, `badData` if the stream's kind is unknown, `system`.
  init(_ stream: UnsafeMutablePointer<AVStream>, to codec: SoundCodec, path: String) throws(BackdropError) {
    // Every opened stream has parameters.
    let parameters = stream.pointee.codecpar!
    let rate = parameters.pointee.sample_rate
    let channels = parameters.pointee.ch_layout.nb_channels
    guard Self.rates.contains(rate), channels > 0 else {
      throw BackdropError(.badData, "the sound gives no number of channels or samples")
    }
    guard let found = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw BackdropError(.unsupported, "the installed FFmpeg cannot decode it")
    }
    (decoder, frame) = (try CodecContext(found), try FrameBuffer())
    let base = stream.pointee.time_base
    self.base = base
    let context = decoder.pointer
    context.pointee.max_samples = Self.maximumSamples
    context.pointee.thread_count = 1
    try FFmpegLog.checking("start the sound decoder") {
      let copied = avcodec_parameters_to_context(context, parameters)
      context.pointee.pkt_timebase = base
      return copied < 0 ? copied : avcodec_open2(context, found, nil)
    }
    // More than eight channels are mixed to two.
    track = try SoundTrack(
      codec, channels: channels <= 8 ? Int(channels) : 2, rate: codec.rate(for: Int(rate)), path: path)
    samples = [Float](repeating: 0, count: Self.portion * track.channels)
  }

  deinit { swr_free(&resampler) }

  func describe(_ stream: UnsafeMutablePointer<AVStream>) throws(BackdropError) { try track.describe(stream) }

  func accept(_ packet: UnsafeMutablePointer<AVPacket>, _ output: PacketOutput) throws(BackdropError) {
    if avcodec_send_packet(decoder.pointer, packet) < 0 { damagedCount += 1 }
    try receive(output)
  }

  func finish(_ output: PacketOutput) throws(BackdropError) {
    avcodec_send_packet(decoder.pointer, nil)
    try receive(output)
    try drainResampler(output)
    try track.finish(output)
  }

  private func receive(_ output: PacketOutput) throws(BackdropError) {
    while true {
      let code = FFmpegCode(avcodec_receive_frame(decoder.pointer, frame.pointer))
      if code == .again || code == .endOfFile { return }
      guard !code.isFailure else {
        damagedCount += 1
        return
      }
      defer { av_frame_unref(frame.pointer) }
      try writePackets(output)
    }
  }

  private func writePackets(_ output: PacketOutput) throws(BackdropError) {
    let decoded = frame.pointer.pointee
    let channels = decoded.ch_layout.nb_channels
    guard decoded.nb_samples > 0, Self.rates.contains(decoded.sample_rate), channels > 0 else { return }
    let isOther = kind != (decoded.format, decoded.sample_rate, channels)
    let rate = Int64(track.rate)
    let expected = run.map { $0.start + $0.taken * rate / Int64(max(1, kind.rate)) }
    let time = decoded.best_effort_timestamp
    var position = time == bd_nopts() ? nil : av_rescale_q(time, base, AVRational(num: 1, den: Int32(rate)))
    // A time that cannot be expressed in samples is invalid, and so is one far back.
    if let found = position, abs(found / rate) > 100_000_000 || expected.map({ found < $0 - rate }) == true {
      position = nil
    }
    let ticks = 2 * Rational(base).value * Double(rate)
    let allowed = max(ticks, Self.tolerance * Double(rate))
    let isElsewhere =
      expected.map { expected in position.map { abs(Double($0 - expected)) > allowed } ?? false } ?? true
    if isOther || isElsewhere {
      try drainResampler(output)
      guard prepare(decoded, channels) else {
        damagedCount += 1
        run = nil
        return
      }
      try begin(at: isElsewhere ? position ?? expected ?? 0 : expected ?? 0, output)
    }
    run?.taken += Int64(decoded.nb_samples)
    try convert(frame.pointer, output)
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

  /// Sets the position of the next samples on the track.
  private func begin(at position: Int64, _ output: PacketOutput) throws(BackdropError) {
    let isFirst = run == nil && track.end == 0
    run = (position, 0)
    let gap = max(0, position) - track.end
    if isFirst || gap > Int64(Self.longestSilence * track.rate) {
      try track.skip(to: max(0, position), output)
    } else if gap > 0 {
      try track.write(repeatElement(0, count: Int(gap) * track.channels), to: output)
    }
    toDrop = track.end - position
  }

  private func drainResampler(_ output: PacketOutput) throws(BackdropError) {
    guard resampler != nil, run != nil else { return }
    try convert(nil, ends: true, output)
  }

  /// Converts a frame; without one, the rest of the samples in the resampler.
  private func convert(
    _ source: UnsafeMutablePointer<AVFrame>?, ends: Bool = false, _ output: PacketOutput
  ) throws(BackdropError) {
    var next = source
    while true {
      let count = Int(bd_resample(resampler, &samples, Int32(Self.portion), next, ends ? 1 : 0))
      next = nil
      guard count > 0 else { return }
      let dropped = min(Int(max(0, toDrop)), count)
      toDrop -= Int64(dropped)
      try track.write(samples[dropped * track.channels..<count * track.channels], to: output)
      if count < Self.portion && !ends { return }
    }
  }
}
