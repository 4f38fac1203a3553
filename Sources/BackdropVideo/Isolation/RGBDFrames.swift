import BackdropImaging

/// A source of the frames of a recording in a video file: a reader in this process, or another process.
package protocol RGBDFrames: AnyObject {
  var path: String { get }
  /// Size of the colour pictures as stored.
  var width: Int { get }
  var height: Int { get }
  var depthWidth: Int { get }
  var depthHeight: Int { get }
  /// The average number of colour frames a second; `nil` if the file does not state it.
  var frameRate: Rational? { get }
  /// The number of frames that the file announces.
  var frameCountEstimate: Int? { get }
  /// The attached JSON text.
  var description: [UInt8]? { get }
  /// The requested attached file.
  var attachment: [UInt8]? { get }
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
  private let decoder: any IsolatedDecoder
  private let heading: RecordingHeading
  private let limits: ImageLimits

  /// Reads the file that `decoder` has opened.
  init(_ opening: RecordingOpening, _ heading: RecordingHeading, in decoder: any IsolatedDecoder) {
    (path, limits) = (opening.path, opening.limits)
    (self.decoder, self.heading) = (decoder, heading)
  }

  package var width: Int { heading.sizes.width }
  package var height: Int { heading.sizes.height }
  package var depthWidth: Int { heading.sizes.depthWidth }
  package var depthHeight: Int { heading.sizes.depthHeight }
  package var frameRate: Rational? { heading.frameRate }
  package var frameCountEstimate: Int? { heading.frameCountEstimate }
  package var description: [UInt8]? { heading.description }
  package var attachment: [UInt8]? { heading.attachment }

  package func next() throws(BackdropError) -> RGBDVideoReader.Pair? {
    let answer = try RecordingReading(heading.sizes, limits: limits).answer(of: decoder, for: path)
    for fault in answer.skipped { skipped.append(fault) }
    endedEarly = answer.endedEarly
    return answer.pair
  }
}
