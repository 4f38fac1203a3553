import BackdropImaging

/// A source of the frames of a recording in a video file: a reader in this process, or another process.
package protocol RGBDFrames: AnyObject {
  var path: String { get }
  /// What the file states before its frames.
  var heading: RecordingHeading { get }
  var skipped: FaultTally<FrameFault> { get }
  var endedEarly: Bool { get }

  /// The next picture with depth, `nil` at the end.
  func next() throws(BackdropError) -> RGBDVideoReader.Pair?
}

extension RGBDVideoReader: RGBDFrames {}

/// A recording in a video file that another process decodes: see ``DecoderIsolation``.
package final class IsolatedRecording: RGBDFrames {
  package let path: String
  package private(set) var skipped = FaultTally<FrameFault>()
  package private(set) var endedEarly = false
  package let heading: RecordingHeading
  private let decoder: any IsolatedDecoder
  private let limits: ImageLimits

  /// Reads the file that `decoder` has opened.
  init(_ opening: RecordingOpening, _ heading: RecordingHeading, in decoder: any IsolatedDecoder) {
    (path, limits) = (opening.path, opening.limits)
    (self.decoder, self.heading) = (decoder, heading)
  }

  package func next() throws(BackdropError) -> RGBDVideoReader.Pair? {
    let answer = try RecordingReading(heading.sizes, limits: limits).answer(of: decoder, for: path)
    for fault in answer.skipped { skipped.append(fault) }
    endedEarly = answer.endedEarly
    return answer.pair
  }
}
