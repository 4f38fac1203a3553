import BackdropDepth
import BackdropImaging

/// One sample that a camera delivered.
public struct LiveSample: Sendable {
  /// Its kind.
  public enum Content: Sendable {
    /// The time of the sample, in seconds of the monotonic clock.
    case picture(Image)
    /// Distances.
    case depth(DepthMap)
    /// Faces in the picture.
    case faces([Rect])
    /// All of one moment.
    case frame(Scene)
  }

  /// Its kind.
  public var content: Content
  /// When it was taken, in seconds of the monotonic clock.
  public var seconds: Double

  /// Makes a sample.
  public init(_ content: Content, seconds: Double) {
    self.content = content
    self.seconds = seconds
  }
}

/// An open camera or a stand-in for it: the source of frames for live sessions and ``Camera``. One thread uses it at a time. Releasing it
/// closes it.
public protocol LiveSource: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// The mode in words for people: `1280×720 yuyv, 30/s`.
  var modeText: String { get }
  /// Whether the source delivers distances.
  var hasDepth: Bool { get }
  /// Frames in a second.
  var rate: Double { get }

  /// Waits for the next sample.
  ///
  /// - Parameter seconds: the longest wait.
  /// - Returns: `nil` if no sample came in that time.
  /// - Throws: `system` when the camera is lost (the caller then opens it again), `badData` for an unreadable sample.
  func next(within seconds: Double) throws(BackdropError) -> LiveSample?
}
