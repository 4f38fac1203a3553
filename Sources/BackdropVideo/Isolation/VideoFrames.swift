import BackdropFFmpeg
import BackdropImaging

/// A source of the frames of a video file, and of its other streams: a reader in this process, or another process.
package protocol VideoFrames: StreamSource {
  /// Size of the frames, not turned, with square pixels.
  var width: Int { get }
  var height: Int { get }
  var orientation: Orientation { get }
  var color: ColorDescription { get }
  /// The average number of frames a second; `nil` if the file does not state it.
  var frameRate: Rational? { get }
  /// The length of a tick in seconds.
  var timeBase: Rational { get }
  var frameCountEstimate: Int? { get }
  /// The curve of the stored samples if they are of high dynamic range, `PQ` or `HLG`.
  var dynamicRange: String? { get }
  /// Whether frames of a high dynamic range also have their original samples.
  var keepsDynamicRange: Bool { get }
  var lostFrameCount: Int { get }
  /// The errors in the file, one sentence each; complete after the last frame.
  var complaints: [String] { get }

  /// The next frame, `nil` after the last.
  func next() throws(BackdropError) -> VideoFrame?
  func rewind() throws(BackdropError)
  /// The frame visible at a time; `nil` if the file cannot be searched.
  func frame(at seconds: Double) throws(BackdropError) -> VideoFrame?
}

extension VideoReader: VideoFrames {
  /// Opens a file, in another process if decoding is isolated.
  package static func frames(
    path: String, limits: ImageLimits, threads: Int, keepsDynamicRange: Bool = false,
    part: Range<Double> = 0..<Double.infinity
  ) throws(BackdropError) -> any VideoFrames {
    try VideoOpening(path: path, limits: limits, threads: threads, keepsDynamicRange: keepsDynamicRange, part: part)
      .source()
  }
}
