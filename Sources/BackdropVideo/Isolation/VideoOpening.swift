import BackdropFFmpeg
import BackdropImaging
import Synchronization

/// Opens a video file in a process that has received its descriptor, and that reads no other file.
package struct VideoOpening: IsolatedFunction {
  package static let name = "video"
  package static let library = DecoderLibrary.ffmpeg

  /// An open file.
  package struct File: Sendable {
    package var descriptor: Int32
    package var byteCount: Int

    package init(descriptor: Int32, byteCount: Int) { (self.descriptor, self.byteCount) = (descriptor, byteCount) }
  }

  /// Its name in messages.
  var path: String
  package var limits: ImageLimits
  var threads: Int
  var keepsDynamicRange: Bool
  var part: Range<Double>
  /// Its length in bytes.
  var byteCount = 0

  init(path: String, limits: ImageLimits, threads: Int, keepsDynamicRange: Bool, part: Range<Double>) {
    (self.path, self.limits, self.threads) = (path, limits, threads)
    (self.keepsDynamicRange, self.part) = (keepsDynamicRange, part)
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (path, limits, threads) = (try wire.read(), try wire.read(), try wire.read())
    (keepsDynamicRange, byteCount) = (try wire.read(), try wire.read())
    let (from, to) = (try wire.read(Double.self), try wire.read(Double.self))
    guard from <= to else { throw WireReader.damaged }
    part = from..<to
  }

  package func write(to wire: inout WireWriter) {
    wire.write(path, limits, threads, keepsDynamicRange, byteCount, part.lowerBound, part.upperBound)
  }

  /// In the decoding process: the received descriptor, and the reader and the packet collector that use it.
  private static let file = Mutex<Int32>(-1)
  private static let reader = Mutex<UncheckedTransfer<VideoReader>?>(nil)
  private static let collector = Mutex<UncheckedTransfer<PacketCollector>?>(nil)

  /// Stores the descriptor that ``run(_:)`` reads.
  package static func take(_ descriptor: Int32) { file.withLock { $0 = descriptor } }

  /// The reader of the open file.
  ///
  /// - Throws: `wrongArgument` before the file was opened.
  static func current() throws(BackdropError) -> VideoReader {
    guard let reader = reader.withLock({ $0 }) else {
      throw BackdropError(.wrongArgument, "no video is open")
    }
    return reader.value
  }

  /// Keeps the packets of streams from now on.
  ///
  /// - Throws: as ``VideoReader/attach(_:)``.
  static func collect(_ streams: Set<Int>) throws(BackdropError) {
    let made = UncheckedTransfer(PacketCollector(streams))
    try current().attach(made.value)
    collector.withLock { $0 = made }
  }

  /// The packets since the last call.
  static func packets() -> [StreamPacket] { collector.withLock { $0 }?.value.take() ?? [] }

  /// The file of the stored descriptor.
  static func file(byteCount: Int) -> File { File(descriptor: file.withLock { $0 }, byteCount: byteCount) }

  package func run(_ bytes: Span<UInt8>) throws(BackdropError) -> VideoHeading {
    let opened = try InputContext.open(path, opened: Self.file(byteCount: byteCount), limits: limits)
    let reader = try VideoReader(opened, self)
    let kept = UncheckedTransfer(reader)
    Self.reader.withLock { $0 = kept }
    return VideoHeading(reader)
  }

  package func accepts(_ answer: VideoHeading, byteCount: Int) -> Bool {
    do throws(BackdropError) { try limits.check(width: answer.width, height: answer.height) } catch { return false }
    return answer.timeBase.isPositive && answer.frameRate?.isPositive ?? true && answer.frameCountEstimate ?? 0 >= 0
  }
}

/// The properties of a video file.
package struct VideoHeading: WireValue, Sendable {
  var width: Int, height: Int
  var orientation: Orientation
  var color: ColorDescription
  var frameRate: Rational?
  var timeBase: Rational
  var frameCountEstimate: Int?
  var dynamicRange: String?
  /// Sound, subtitles, chapters and metadata.
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
    (width, height, orientation, color) = (try wire.read(), try wire.read(), try wire.read(), try wire.read())
    (frameRate, timeBase, frameCountEstimate) = (try wire.read(), try wire.read(), try wire.read())
    (dynamicRange, description, state) = (try wire.read(String?.self)?.oneLine, try wire.read(), try wire.read())
  }

  package func write(to wire: inout WireWriter) {
    wire.write(width, height, orientation, color, frameRate, timeBase, frameCountEstimate, dynamicRange, description)
    wire.write(state)
  }
}

/// The state of reading a video.
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
    (properties, lostFrameCount) = (try wire.read(), try wire.read())
    complaints = try wire.read([String].self).map(\.oneLine)
    damagedPacketCount = try wire.read()
  }

  package func write(to wire: inout WireWriter) {
    wire.write(properties, lostFrameCount, complaints, damagedPacketCount)
  }
}
