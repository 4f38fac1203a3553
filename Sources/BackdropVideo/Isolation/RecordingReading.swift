import BackdropFFmpeg
import BackdropImaging

/// Opens a recording with depth in a process that has received its descriptor; the answer is `nil` for a video without
/// depth.
package struct RecordingOpening {
  package var path: String
  package var limits: ImageLimits
  var tolerance = 0.0
  var threads: Int
  /// The name of an attached file to return, too.
  var attachment: String?
  package var byteCount = 0
}

extension RecordingOpening: SourceOpening {
  package static let name = "recording"
  package static let library = DecoderLibrary.ffmpeg

  package init(from wire: inout WireReader) throws(BackdropError) {
    (path, limits, tolerance, threads, attachment, byteCount) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
  }

  package func write(to wire: inout WireWriter) { wire.write(path, limits, tolerance, threads, attachment, byteCount) }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> RecordingHeading? {
    guard let file else { throw WireReader.damaged }
    let input = try InputContext.open(path, opened: (file.descriptor, byteCount), limits: limits).context
    guard let reader = try RGBDVideoReader(input, self) else { return nil }
    file.reader = reader
    return reader.heading
  }

  package func opened() throws(BackdropError) -> (any RGBDFrames)? {
    try RGBDVideoReader(InputContext.open(path, limits: limits).context, self)
  }

  package func source(in decoder: any IsolatedDecoder, _ heading: RecordingHeading?) -> (any RGBDFrames)? {
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

package struct RecordingSizes: Sendable {
  /// Size of the colour pictures as stored; the true size may be smaller, see ``RGBDVideoWriter/Settings``.
  package let width: Int, height: Int
  package let depthWidth: Int, depthHeight: Int
}

extension RecordingSizes: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    (width, height, depthWidth, depthHeight) = try (wire.read(), wire.read(), wire.read(), wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(width, height, depthWidth, depthHeight) }
}

package struct RecordingHeading: Sendable {
  package let sizes: RecordingSizes
  /// The average number of colour frames a second; `nil` if the file does not state it.
  package let frameRate: Rational?
  /// The number of frames that the file announces.
  package let frameCountEstimate: Int?
  /// The attached JSON text; `nil` if there is none.
  package let description: [UInt8]?
  /// The requested attached file; `nil` if there is none.
  package let attachment: [UInt8]?
}

extension RecordingHeading: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    (sizes, frameRate, frameCountEstimate, description, attachment) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
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
    (sizes, limits) = try (wire.read(), wire.read())
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
      && (pair.depth.width, pair.depth.height) == (sizes.depthWidth, sizes.depthHeight) && abs(pair.seconds) < 1e9
  }
}

/// A frame, and the frames that were skipped before it.
package struct RecordingAnswer {
  var pair: RGBDVideoReader.Pair?
  var skipped: [FrameFault]
  var endedEarly: Bool
}

extension RecordingAnswer: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    (pair, skipped, endedEarly) = try (wire.read(), wire.read(), wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(pair, skipped, endedEarly) }
}

extension RGBDVideoReader.Pair: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    try self.init(number: wire.read(), image: wire.read(), depth: wire.read(), seconds: wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(number, image, depth, seconds) }
}

extension FrameFault: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(frame: try wire.read(), reason: try wire.read(String.self).oneLine)
  }

  package func write(to wire: inout WireWriter) { wire.write(frame, reason) }
}
