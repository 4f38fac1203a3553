import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A video file that another process reads and decodes: see ``DecoderIsolation``. That process has access to no other file. It also returns
/// packets of sound and subtitles.
package final class IsolatedVideo: VideoFrames {
  package let path: String
  package let keepsDynamicRange: Bool
  package let part: Range<Double>
  package let input: InputContext
  private let decoder: any IsolatedDecoder
  private let heading: VideoHeading
  private var state: VideoState
  private weak var sink: (any PacketSink)?
  /// Streams that the other process converts, and the owner of their descriptions.
  private var converted: [Int: UnsafeMutablePointer<AVStream>] = [:]
  private let descriptions: InputContext
  private let packet: PacketBuffer

  /// Reads the file that `decoder` has opened.
  ///
  /// - Throws: `badData` for a heading that makes no sense.
  init(_ opening: VideoOpening, _ heading: VideoHeading, in decoder: any IsolatedDecoder) throws(BackdropError) {
    (path, keepsDynamicRange, part) = (opening.path, opening.keepsDynamicRange, opening.part)
    (self.decoder, self.heading, state) = (decoder, heading, heading.state)
    (input, packet) = (try heading.description.context(), try PacketBuffer())
    descriptions = try InputContext.empty()
  }

  package var width: Int { heading.width }
  package var height: Int { heading.height }
  package var orientation: Orientation { heading.orientation }
  package var properties: SourceProperties { state.properties }
  package var color: ColorDescription { heading.color }
  package var frameRate: Rational? { heading.frameRate }
  package var timeBase: Rational { heading.timeBase }
  package var frameCountEstimate: Int? { heading.frameCountEstimate }
  package var dynamicRange: String? { heading.dynamicRange }
  package var lostFrameCount: Int { state.lostFrameCount }
  package var complaints: [String] { state.complaints }
  package var containerName: String { heading.description.containerName }
  package var videoIndex: Int { heading.description.videoIndex }
  package var isIsolated: Bool { true }

  package var damagedPacketCount: Int { state.damagedPacketCount }

  package func next() throws(BackdropError) -> VideoFrame? { try perform(.next).frame }

  package func rewind() throws(BackdropError) { _ = try perform(.rewind) }

  package func frame(at seconds: Double) throws(BackdropError) -> VideoFrame? { try perform(.search(seconds)).frame }

  package func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> { converted[index] ?? input.stream(index) }

  package func convert(_ index: Int, to target: StreamTarget) throws(BackdropError) {
    guard let description = try perform(.convert(index, target)).description else { throw WireReader.damaged.at(path) }
    converted[index] = try description.add(to: descriptions)
  }

  package func attach(_ sink: any PacketSink) throws(BackdropError) {
    _ = try perform(.attach(sink.sources.sorted()))
    self.sink = sink
  }

  package func finishStreams() throws(BackdropError) { _ = try perform(.finish) }

  private func perform(_ step: FrameReading.Step) throws(BackdropError) -> FrameAnswer {
    let answer = try FrameReading(step, width: width, height: height).answer(of: decoder, for: path)
    state = answer.state
    for packet in answer.packets { try pass(packet) }
    return answer
  }

  private func pass(_ packet: StreamPacket) throws(BackdropError) {
    guard let sink, sink.sources.contains(packet.stream), packet.stream != videoIndex else {
      throw WireReader.damaged.at(path)
    }
    defer { av_packet_unref(self.packet.pointer) }
    try packet.fill(self.packet.pointer)
    try sink.accept(self.packet.pointer)
  }
}
