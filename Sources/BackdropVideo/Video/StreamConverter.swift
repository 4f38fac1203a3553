import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Passes a file's packets of sound and subtitles to a sink. It first converts streams that the sink's file cannot hold.
final class StreamConverter {
  private enum Conversion {
    case sound(SoundTranscoder)
    case text(TextTranscoder)
  }

  private(set) weak var sink: (any PacketSink)?
  private var conversions: [Int: (conversion: Conversion, stream: UnsafeMutablePointer<AVStream>)] = [:]
  /// Owns the descriptions of converted streams.
  private var descriptions: InputContext?

  /// Streams of the source that the sink takes.
  var sources: Set<Int> { sink?.sources ?? [] }

  /// The number of damaged packets, which a decoder rejected.
  var damagedCount: Int {
    conversions.values.reduce(0) { count, next in
      switch next.conversion {
      case .sound(let transcoder): count + transcoder.damagedCount
      case .text(let transcoder): count + transcoder.damagedCount
      }
    }
  }

  /// Sends all later packets to `sink`.
  func attach(_ sink: any PacketSink) { self.sink = sink }

  /// The description of a converted stream; `nil` for one that passes unchanged.
  func description(of index: Int) -> UnsafeMutablePointer<AVStream>? { conversions[index]?.stream }

  /// Converts a stream from now on.
  ///
  /// - Parameters:
  ///   - index: of the stream in the source.
  ///   - stream: the same stream.
  ///   - path: the source's.
  /// - Throws: as ``SoundTranscoder`` and ``TextTranscoder``.
  func convert(
    _ index: Int, _ stream: UnsafeMutablePointer<AVStream>, to target: StreamTarget, path: String
  ) throws(BackdropError) {
    let made = try newStream()
    (made.pointee.time_base, made.pointee.disposition) = (stream.pointee.time_base, stream.pointee.disposition)
    av_dict_copy(&made.pointee.metadata, stream.pointee.metadata, 0)
    let conversion: Conversion
    switch target {
    case .sound(let codec):
      let transcoder = try SoundTranscoder(stream, to: codec, path: path)
      try transcoder.track.describe(made)
      conversion = .sound(transcoder)
    case .text(let codec):
      let transcoder = try TextTranscoder(stream, to: codec)
      try transcoder.describe(made)
      conversion = .text(transcoder)
    }
    if stream.pointee.start_time != bd_nopts() {
      made.pointee.start_time = av_rescale_q(
        stream.pointee.start_time, stream.pointee.time_base, made.pointee.time_base)
    }
    conversions[index] = (conversion, made)
  }

  private func newStream() throws(BackdropError) -> UnsafeMutablePointer<AVStream> {
    let context = if let descriptions { descriptions } else { try InputContext.empty() }
    descriptions = context
    guard let stream = avformat_new_stream(context.pointer, nil) else { throw InputContext.noMemory }
    return stream
  }

  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    guard let sink else { return }
    let index = packet.pointee.stream_index
    switch conversions[Int(index)]?.conversion {
    case nil: try sink.accept(packet)
    case .sound(let transcoder): try transcoder.accept(packet, Self.output(to: sink, index))
    case .text(let transcoder): if let text = transcoder.convert(packet) { try sink.accept(text) }
    }
  }

  /// Sends the rest of converted sound, after the last packet.
  func finish() throws(BackdropError) {
    guard let sink else { return }
    for index in conversions.keys.sorted() {
      guard case .sound(let transcoder) = conversions[index]?.conversion else { continue }
      try transcoder.finish(Self.output(to: sink, Int32(index)))
    }
  }

  private static func output(to sink: any PacketSink, _ index: Int32) -> PacketOutput {
    { (packet) throws(BackdropError) in
      packet.pointee.stream_index = index
      try sink.accept(packet)
    }
  }
}
