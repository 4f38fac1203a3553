import BackdropFFmpeg
import BackdropImaging

/// Opens a recording with depth in a process that has received its descriptor; the answer is `nil` for a video without
/// depth.
package struct RecordingOpening: SourceOpening {
  package static let name = "recording"
  package static let library = DecoderLibrary.ffmpeg

  package var path: String
  package var limits: ImageLimits
  var tolerance: Double
  var threads: Int
  /// The name of an attached file to return, too.
  var attachment: String?
  package var byteCount = 0

  init(
    path: String, limits: ImageLimits, tolerance: Double = 0, threads: Int, attachment: String? = nil
  ) {
    (self.path, self.limits, self.tolerance, self.threads) = (path, limits, tolerance, threads)
    self.attachment = attachment
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (path, limits, tolerance, threads) = (try wire.read(), try wire.read(), try wire.read(), try wire.read())
    (attachment, byteCount) = (try wire.read(), try wire.read())
  }

  package func write(to wire: inout WireWriter) {
    wire.write(path, limits, tolerance, threads, attachment, byteCount)
  }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> RecordingHeading? {
    guard let file else { throw WireReader.damaged }
    let input = try InputContext.open(path, opened: (file.descriptor, byteCount), limits: limits).context
    guard let reader = try RGBDVideoReader(input, self) else { return nil }
    file.reader = reader
    return RecordingHeading(reader)
  }

  package func opened() throws(BackdropError) -> (any RGBDFrames)? {
    try RGBDVideoReader(InputContext.open(path, limits: limits).context, self)
  }

  package func source(
    in decoder: any IsolatedDecoder, _ heading: RecordingHeading?
  ) -> (any RGBDFrames)? {
    heading.map { IsolatedRecording(self, $0, in: decoder) }
  }

  package func accepts(_ answer: RecordingHeading?, byteCount: Int) -> Bool {
    guard let answer else { return true }
    do throws(BackdropError) {
      try limits.check(width: answer.sizes.width, height: answer.sizes.height)
      try limits.check(width: answer.sizes.depthWidth, height: answer.sizes.depthHeight)
    } catch { return false }
    return answer.frameRate?.isPositive ?? true && answer.frameCountEstimate ?? 0 >= 0
  }
}

struct RecordingSizes: WireValue, Sendable {
  let width: Int, height: Int, depthWidth: Int, depthHeight: Int

  init(_ reader: RGBDVideoReader) {
    (width, height) = (reader.width, reader.height)
    (depthWidth, depthHeight) = (reader.depthWidth, reader.depthHeight)
  }

  init(from wire: inout WireReader) throws(BackdropError) {
    (width, height, depthWidth, depthHeight) = (try wire.read(), try wire.read(), try wire.read(), try wire.read())
  }

  func write(to wire: inout WireWriter) {
    for size in [width, height, depthWidth, depthHeight] { wire.write(size) }
  }
}

package struct RecordingHeading: WireValue, Sendable {
  var sizes: RecordingSizes
  var frameRate: Rational?
  var frameCountEstimate: Int?
  var description: [UInt8]?
  var attachment: [UInt8]?

  init(_ reader: RGBDVideoReader) {
    sizes = RecordingSizes(reader)
    (frameRate, frameCountEstimate) = (reader.frameRate, reader.frameCountEstimate)
    (description, attachment) = (reader.description, reader.attachment)
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (sizes, frameRate, frameCountEstimate) = (try wire.read(), try wire.read(), try wire.read())
    (description, attachment) = (try wire.read(), try wire.read())
  }

  package func write(to wire: inout WireWriter) {
    wire.write(sizes, frameRate, frameCountEstimate, description, attachment)
  }
}

/// Reads the next frame of the recording that ``RecordingOpening`` opened.
package struct RecordingReading: IsolatedFunction {
  package static let name = "recording-frame"
  package static let library = DecoderLibrary.ffmpeg

  private let sizes: RecordingSizes
  package let limits: ImageLimits

  init(_ sizes: RecordingSizes, limits: ImageLimits) { (self.sizes, self.limits) = (sizes, limits) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (sizes, limits) = (try wire.read(), try wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(sizes, limits) }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> RecordingAnswer {
    guard let reader = file?.reader as? RGBDVideoReader else { throw WireReader.damaged }
    var skipped: [FrameFault] = []
    reader.onSkip = { skipped.append($0) }
    defer { reader.onSkip = nil }
    let pair = try reader.next()
    return RecordingAnswer(pair: pair, skipped: skipped, endedEarly: reader.endedEarly)
  }

  package func accepts(_ answer: RecordingAnswer, byteCount: Int) -> Bool {
    guard let pair = answer.pair else { return true }
    return pair.image.format.isYUV && pair.depth.format == .gray16
      && (pair.image.width, pair.image.height) == (sizes.width, sizes.height)
      && (pair.depth.width, pair.depth.height) == (sizes.depthWidth, sizes.depthHeight)
      && abs(pair.seconds) < 1e9
  }
}

/// A frame, and the frames that were skipped before it.
package struct RecordingAnswer: WireValue {
  var pair: RGBDVideoReader.Pair?
  var skipped: [FrameFault]
  var endedEarly: Bool

  init(pair: RGBDVideoReader.Pair?, skipped: [FrameFault], endedEarly: Bool) {
    (self.pair, self.skipped, self.endedEarly) = (pair, skipped, endedEarly)
  }

  package init(from wire: inout WireReader) throws(BackdropError) {
    (pair, skipped, endedEarly) = (try wire.read(), try wire.read(), try wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(pair, skipped, endedEarly) }
}

extension RGBDVideoReader.Pair: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(number: try wire.read(), image: try wire.read(), depth: try wire.read(), seconds: try wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(number, image, depth, seconds) }
}

extension FrameFault: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(frame: try wire.read(), reason: try wire.read(String.self).oneLine)
  }

  package func write(to wire: inout WireWriter) { wire.write(frame, reason) }
}
