import BackdropFFmpeg
import BackdropImaging

/// What gives the frames of a video file, and its other streams: a reader of this process, or another process.
package protocol VideoFrames: StreamSource {
  /// Size of the frames, not turned, with square pixels.
  var width: Int { get }
  var height: Int { get }
  /// How a frame must be turned to be upright.
  var orientation: Orientation { get }
  /// How samples are to be read.
  var color: ColorDescription { get }
  /// Frames in a second on average; `nil` where the file does not say.
  var frameRate: Rational? { get }
  /// The length of a tick in seconds.
  var timeBase: Rational { get }
  /// How many frames there will be, as far as known.
  var frameCountEstimate: Int? { get }
  /// The curve of samples of a high dynamic range.
  var dynamicRange: String? { get }
  /// Whether frames come with those samples.
  var keepsDynamicRange: Bool { get }
  /// Frames that were lost so far.
  var lostFrameCount: Int { get }
  /// What was wrong, a sentence each; known at the end.
  var complaints: [String] { get }

  /// The next frame, `nil` after the last.
  func next() throws(BackdropError) -> VideoFrame?
  /// Goes back to the first.
  func rewind() throws(BackdropError)
  /// The frame that is shown at a time; `nil` where the file cannot be searched.
  func frame(at seconds: Double) throws(BackdropError) -> VideoFrame?
}

extension VideoReader: VideoFrames {
  /// Opens a file, in another process where videos are decoded there.
  ///
  /// - Throws: as ``init(path:limits:pool:threads:keepsDynamicRange:part:)``.
  package static func frames(
    path: String, limits: ImageLimits, threads: Int, keepsDynamicRange: Bool = false,
    part: Range<Double> = 0..<Double.infinity
  ) throws(BackdropError) -> any VideoFrames {
    let opening = VideoOpening(
      path: path, limits: limits, threads: threads, keepsDynamicRange: keepsDynamicRange, part: part)
    if let isolation = DecoderIsolation.current { return try IsolatedVideo(opening, in: isolation) }
    return try VideoReader(InputContext.open(path, limits: limits), opening)
  }
}
