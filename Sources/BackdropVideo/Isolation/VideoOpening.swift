import BackdropFFmpeg
import BackdropImaging

/// Opens a video file in a process that has received its descriptor, and that reads no other file.
package struct VideoOpening {
  package var path: String
  package var limits: ImageLimits
  var threads: Int
  var keepsDynamicRange: Bool
  var part: Range<Double>
  package var byteCount = 0
}

extension VideoOpening: SourceOpening {
  package static let name = "video"
  package static let library = DecoderLibrary.ffmpeg

  package init(from wire: inout WireReader) throws(BackdropError) {
    (path, limits, threads, keepsDynamicRange, byteCount) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
    let (from, to): (Double, Double) = try (wire.read(), wire.read())
    guard from <= to else { throw WireReader.damaged }
    part = from..<to
  }

  package func write(to wire: inout WireWriter) {
    wire.write(path, limits, threads, keepsDynamicRange, byteCount, part.lowerBound, part.upperBound)
  }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> VideoHeading {
    guard let file else { throw WireReader.damaged }
    let reader = try VideoReader(InputContext.open(path, opened: (file.descriptor, byteCount), limits: limits), self)
    file.reader = OpenVideo(reader)
    return VideoHeading(reader)
  }

  package func opened() throws(BackdropError) -> any VideoFrames {
    try VideoReader(InputContext.open(path, limits: limits), self)
  }

  package func source(
    in decoder: any IsolatedDecoder, _ heading: VideoHeading
  ) throws(BackdropError) -> any VideoFrames {
    try IsolatedVideo(self, heading, in: decoder)
  }

  package func accepts(_ answer: VideoHeading, byteCount: Int) -> Bool {
    do throws(BackdropError) { try limits.check(width: answer.width, height: answer.height) } catch { return false }
    return answer.timeBase.isPositive && answer.frameRate?.isPositive ?? true && answer.frameCountEstimate ?? 0 >= 0
  }
}

extension SourceOpening {
  package func check() throws(BackdropError) { try InputContext.check(path) }
}

/// The video that a decoder process reads.
final class OpenVideo {
  let reader: VideoReader
  /// Keeps the packets of other streams that the parent asked for.
  private var collector: PacketCollector?

  init(_ reader: VideoReader) { self.reader = reader }

  /// Keeps the packets of streams from now on.
  func collect(_ streams: Set<Int>) throws(BackdropError) {
    let made = PacketCollector(streams)
    try reader.attach(made)
    collector = made
  }

  func packets() -> [StreamPacket] { collector?.drain() ?? [] }
}

package struct VideoHeading: WireValue, Sendable {
  var width: Int, height: Int
  var orientation: Orientation
  var color: ColorDescription
  var frameRate: Rational?
  var timeBase: Rational
  var frameCountEstimate: Int?
  var dynamicRange: String?
  var description: FileDescription
  var state: VideoState

  init(_ reader: VideoReader) {
    (width, height, orientation, color) = (reader.width, reader.height, reader.orientation, reader.color)
    (frameRate, timeBase, frameCountEstimate) = (reader.frameRate, reader.timeBase, reader.frameCountEstimate)
    dynamicRange = reader.dynamicRange
    description = FileDescription(reader)
    state = VideoState(reader)
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (width, height, orientation, color, frameRate, timeBase, frameCountEstimate) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
    (dynamicRange, description, state) = (try wire.read(String?.self)?.oneLine, try wire.read(), try wire.read())
  }

  package func write(to wire: inout WireWriter) {
    wire.write(width, height, orientation, color, frameRate, timeBase, frameCountEstimate, dynamicRange, description)
    wire.write(state)
  }
}

package struct VideoState: WireValue, Sendable {
  var properties: SourceProperties
  var lostFrameCount: Int
  var complaints: [String]
  var damagedPacketCount: Int

  init(_ reader: VideoReader) {
    (properties, lostFrameCount, complaints) = (reader.properties, reader.lostFrameCount, reader.complaints)
    damagedPacketCount = reader.damagedPacketCount
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (properties, lostFrameCount) = try (wire.read(), wire.read())
    complaints = try wire.read([String].self).map(\.oneLine)
    damagedPacketCount = try wire.read()
  }

  package func write(to wire: inout WireWriter) {
    wire.write(properties, lostFrameCount, complaints, damagedPacketCount)
  }
}
