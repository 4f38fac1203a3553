import BackdropDepth
import BackdropImaging
import BackdropMatting

/// What a live session shows at one moment.
public struct LivePicture: Sendable {
  /// What is shown, in I420.
  public var image: Image
  /// What the camera saw; `nil` under a still card. It shows the room: for the person at the machine alone, never for an
  /// output that others see.
  public var frame: Frame?
  /// The matte of ``frame``; there only for an output that wants it, and for a photo.
  public var matte: Matte?
  /// Whether it is the still card.
  public var isCard: Bool
  /// When the camera took it, in seconds of the monotonic clock.
  public var seconds: Double

  /// Makes a picture.
  public init(image: Image, frame: Frame? = nil, matte: Matte? = nil, isCard: Bool, seconds: Double) {
    self.image = image
    self.frame = frame
    self.matte = matte
    self.isCard = isCard
    self.seconds = seconds
  }
}

/// Where a live session's pictures go.
public protocol LiveOutput: AnyObject, Sendable {
  /// What to call it in messages.
  var name: String { get }
  /// Whether anybody looks; the camera runs only while somebody does.
  var isWatched: Bool { get }
  /// Whether it shows mattes; to keep one costs a copy of it each frame.
  var wantsMatte: Bool { get }
  /// Takes a picture; called on the session's thread, which it must not hold up.
  ///
  /// - Throws: when it cannot show pictures any more; it is then left out, with a message.
  func show(_ picture: LivePicture) throws(BackdropError)
  /// Ends it.
  func close()
}

extension LiveOutput {
  /// No.
  public var wantsMatte: Bool { false }
}
