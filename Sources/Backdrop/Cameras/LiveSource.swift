import BackdropDepth
import BackdropImaging

/// One thing that a camera delivered.
public struct LiveSample: Sendable {
  /// Its kind.
  public enum Content: Sendable {
    /// A picture.
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

/// An open camera, or what stands for one: where the frames of live sessions and of ``Camera`` come from. One thread uses it at a
/// time; it is closed when it goes out of use.
public protocol LiveSource: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// How it delivers, for people: `1280×720 yuyv, 30/s`.
  var modeText: String { get }
  /// Whether distances come.
  var hasDepth: Bool { get }
  /// Frames in a second.
  var rate: Double { get }

  /// Waits for the next sample.
  ///
  /// - Parameter seconds: how long at most.
  /// - Returns: `nil` where none came in that time.
  /// - Throws: `system` when it is lost (it is then opened again), `badData` for a sample that cannot be read.
  func next(within seconds: Double) throws(BackdropError) -> LiveSample?
}
