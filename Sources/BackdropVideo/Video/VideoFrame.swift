import BackdropFFmpeg
import BackdropImaging

/// One picture of a video and when it is shown.
public struct VideoFrame: Sendable {
  /// The picture as it is stored: not turned, whatever ``VideoReader/orientation`` says.
  public var image: Image
  /// How much of each pixel is to be seen, 0…255, where not all is: the file's alpha. Colours are not multiplied by it.
  public var alpha: Plane<UInt8>?
  /// The picture in its own dynamic range, with chroma of half width and height, where ``VideoReader/keepsDynamicRange``.
  public var deep: DeepFrame?
  /// When it is shown, in ticks of ``timeBase``.
  public var time: Int64
  /// How long it is shown, in ticks of ``timeBase``; 0 where the file does not say and nothing can be inferred.
  public var duration: Int64
  /// The length of a tick in seconds.
  public var timeBase: Rational

  /// Makes a frame.
  public init(image: Image, time: Int64, duration: Int64, timeBase: Rational) {
    self.image = image
    self.time = time
    self.duration = duration
    self.timeBase = timeBase
  }

  /// When it is shown, in seconds.
  public var seconds: Double { Double(time) * timeBase.value }
}
