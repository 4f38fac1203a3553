import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Converts the packets of one stream.
protocol Transcoder: AnyObject {
  var damagedCount: Int { get }

  /// Describes the converted stream.
  func describe(_ stream: UnsafeMutablePointer<AVStream>) throws(BackdropError)
  /// Takes a packet of the source, with times from the output's time 0. Damaged packets are skipped.
  func accept(_ packet: UnsafeMutablePointer<AVPacket>, _ output: PacketOutput) throws(BackdropError)
  /// Passes on the rest, after the last packet.
  func finish(_ output: PacketOutput) throws(BackdropError)
}

extension Transcoder {
  func finish(_ output: PacketOutput) {}
}

/// Passes a file's packets of sound and subtitles to a sink. It first converts streams that the sink's file cannot hold.
final class StreamConverter {
  private(set) weak var sink: (any PacketSink)?
  private var conversions: [Int: (transcoder: any Transcoder, stream: UnsafeMutablePointer<AVStream>)] = [:]
  /// Owns the descriptions of converted streams.
  private var descriptions: InputContext?

  /// Streams of the source that the sink takes.
  var sources: Set<Int> { sink?.sources ?? [] }

  /// The number of damaged packets, which a decoder rejected.
  var damagedCount: Int { conversions.values.reduce(0) { $0 + $1.transcoder.damagedCount } }

  /// Sends all later packets to `sink`.
  func attach(_ sink: any PacketSink) { self.sink = sink }

  /// The description of a converted stream; `nil` for one that passes unchanged.
  func description(of index: Int) -> UnsafeMutablePointer<AVStream>? { conversions[index]?.stream }

  /// Converts a stream of the source, of this index, from now on; the path is the source's.
  func convert(
    _ index: Int, _ stream: UnsafeMutablePointer<AVStream>, to target: StreamTarget, path: String
  ) throws(BackdropError) {
    let context = if let descriptions { descriptions } else { try InputContext.empty() }
    descriptions = context
    let made = try context.pointer.addStream()
    (made.pointee.time_base, made.pointee.disposition) = (stream.pointee.time_base, stream.pointee.disposition)
    av_dict_copy(&made.pointee.metadata, stream.pointee.metadata, 0)
    let transcoder: any Transcoder =
      switch target {
      case .sound(let codec): try SoundTranscoder(stream, to: codec, path: path)
      case .text(let codec): try TextTranscoder(stream, to: codec)
      }
    try transcoder.describe(made)
    if stream.pointee.start_time != bd_nopts() {
      made.pointee.start_time = av_rescale_q(
        stream.pointee.start_time, stream.pointee.time_base, made.pointee.time_base)
    }
    conversions[index] = (transcoder, made)
  }

  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    guard let sink else { return }
    let index = packet.pointee.stream_index
    guard let transcoder = conversions[Int(index)]?.transcoder else { return try sink.accept(packet) }
    try transcoder.accept(packet, Self.output(to: sink, index))
  }

  /// Sends the rest of converted sound, after the last packet.
  func finish() throws(BackdropError) {
    guard let sink else { return }
    for (index, conversion) in conversions.sorted(by: { $0.key < $1.key }) {
      try conversion.transcoder.finish(Self.output(to: sink, Int32(index)))
    }
  }

  private static func output(to sink: any PacketSink, _ index: Int32) -> PacketOutput {
    { (packet) throws(BackdropError) in
      packet.pointee.stream_index = index
      try sink.accept(packet)
    }
  }
}
