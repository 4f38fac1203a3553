import BackdropFFmpeg
import BackdropImaging
import CFFmpeg
import Synchronization

/// Passes a source's packets to an output file, with their times in the output's ticks.
final class StreamCopier: PacketSink {
  private let muxer: OutputContext
  private let path: String
  private let outputIndices: [Int32?]
  private let source: any StreamSource
  private let sourceBases: [Rational]
  private let isStrict: Bool
  private var audioClocks: [Int64]
  private var lastTimes: [Int64?]
  private let delays: [Int64]
  let sources: Set<Int>
  /// The number of damaged packets, which the output's container or a decoder rejected.
  var damagedCount: Int { source.damagedPacketCount + damaged.load(ordering: .relaxed) }
  // The reader's thread and the writer's thread count them.
  private let damaged = Atomic<Int>(0)

  init(muxer: OutputContext, layout: StreamLayout, source: any StreamSource, path: String) {
    (self.muxer, self.path) = (muxer, path)
    outputIndices = layout.outputIndices
    self.source = source
    sources = layout.sources
    sourceBases = layout.outputIndices.indices.map { Rational(source.stream($0).pointee.time_base) }
    isStrict = muxer.pointer.pointee.oformat.pointee.flags & AVFMT_TS_NONSTRICT == 0
    audioClocks = [Int64](repeating: bd_nopts(), count: layout.outputIndices.count)
    lastTimes = [Int64?](repeating: nil, count: layout.outputIndices.count)
    delays = layout.outputIndices.map { $0.map { muxer.unwrittenDelay(stream: Int($0)) } ?? 0 }
  }

  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    let index = Int(packet.pointee.stream_index)
    // Streams that appear after the header are not in the output.
    guard index < outputIndices.count, index != source.videoIndex, let output = outputIndices[index] else { return }
    // Every stream of the output existed before the header was written.
    let stream = muxer.pointer.pointee.streams[Int(output)]!
    rescale(packet, index, stream)
    if packet.pointee.pts != bd_nopts() { packet.pointee.pts &+= delays[index] }
    if packet.pointee.dts != bd_nopts() { packet.pointee.dts &+= delays[index] }
    keepOrder(packet, index)
    packet.pointee.stream_index = output
    packet.pointee.pos = -1
    let (code, messages) = muxer.write(packet)
    guard !code.isFailure || passesOver(code) else {
      var error = code.error("copy the sound or subtitles", messages: messages, path: path)
      error.hint = error.hint ?? .leaveDamagedSoundOut
      throw error
    }
  }

  /// Writes the rest of encoded sound after the last packet.
  func finish() throws(BackdropError) { try source.finishStreams() }

  /// Whether `code` means that a packet of sound or subtitles is damaged and the muxer dropped it; counts it.
  ///
  /// Muxers hold packets back, so it can come with any later packet, including pictures.
  func passesOver(_ code: FFmpegCode) -> Bool {
    // A damaged header can request a feature that no program supports.
    guard code == .invalidData || code == .notImplemented else { return false }
    damaged.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  private func rescale(_ packet: UnsafeMutablePointer<AVPacket>, _ index: Int, _ stream: UnsafeMutablePointer<AVStream>)
  {
    let (from, to) = (sourceBases[index].av, stream.pointee.time_base)
    let parameters = stream.pointee.codecpar
    let rate = parameters?.pointee.sample_rate ?? 0
    let dts = packet.pointee.dts
    guard parameters?.pointee.codec_type == AVMEDIA_TYPE_AUDIO, rate > 0, dts != bd_nopts() else {
      av_packet_rescale_ts(packet, from, to)
      return
    }
    // Coarse ticks (Matroska's milliseconds) are refined by the packets' own lengths, so that samples do not jitter.
    var length = av_get_audio_frame_duration2(parameters, packet.pointee.size)
    if length == 0 { length = parameters?.pointee.frame_size ?? 0 }
    let exact = av_rescale_delta(from, dts, AVRational(num: 1, den: rate), length, &audioClocks[index], to)
    av_packet_rescale_ts(packet, from, to)
    packet.pointee.dts = exact
    packet.pointee.pts = exact
    // mp4 hides a last packet without a duration; if none is known, it gets the previous one's.
    if packet.pointee.duration <= 0, let last = lastTimes[index] { packet.pointee.duration = max(0, exact &- last) }
  }

  /// Corrects times that go back, as in damaged files, because muxers reject them.
  private func keepOrder(_ packet: UnsafeMutablePointer<AVPacket>, _ index: Int) {
    if packet.pointee.dts == bd_nopts() {
      // Cut files contain packets without a time.
      let next = lastTimes[index].map { $0 &+ 1 } ?? 0
      packet.pointee.dts = packet.pointee.pts == bd_nopts() ? next : packet.pointee.pts
    }
    if packet.pointee.pts == bd_nopts() { packet.pointee.pts = packet.pointee.dts }
    if let earliest = lastTimes[index].map({ isStrict ? $0 &+ 1 : $0 }), packet.pointee.dts < earliest {
      packet.pointee.pts = max(packet.pointee.pts, earliest)
      packet.pointee.dts = earliest
    }
    lastTimes[index] = packet.pointee.dts
  }
}

extension OutputContext {
  /// Before FFmpeg 7 the Matroska muxer announces Opus' priming (CodecDelay), which readers subtract from the times, but does not add it to
  /// the written times. In ticks of the stream.
  func unwrittenDelay(stream index: Int) -> Int64 {
    let name = String(cString: pointer.pointee.oformat.pointee.name)
    // Every stream exists, and Matroska's ticks are milliseconds.
    guard name == "matroska" || name == "webm", avformat_version() >> 16 < 61,
      let stream = pointer.pointee.streams[index], let parameters = stream.pointee.codecpar,
      parameters.pointee.codec_id == AV_CODEC_ID_OPUS
    else { return 0 }
    return av_rescale_q(
      Int64(parameters.pointee.initial_padding), AVRational(num: 1, den: 48000), AVRational(num: 1, den: 1000))
  }
}
