import BackdropImaging

/// One picture of a camera, of colours or of distances.
public struct CapturedPicture: Sendable {
  /// The picture in its own format; ``/BackdropImaging/PixelFormat/gray16`` for distances, 0 where there is none.
  public var image: Image
  /// Whether it holds distances.
  public var isDepth: Bool
  /// When it was taken, in seconds of the monotonic clock.
  public var seconds: Double
  /// The camera's own frame number, which also counts frames that were never read; `nil` if it has none.
  public var sequence: Int?

  /// Makes a picture.
  public init(image: Image, isDepth: Bool = false, seconds: Double, sequence: Int? = nil) {
    self.image = image
    self.isDepth = isDepth
    self.seconds = seconds
    self.sequence = sequence
  }
}

/// A camera that is open.
///
/// One thread uses it at a time. It is closed when it goes out of use.
public protocol CameraDevice: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// How it delivers colours.
  var mode: CameraMode { get }
  /// How it delivers distances; `nil` where it has none.
  var depthMode: CameraMode? { get }
  /// Units of its distances in a metre.
  var depthUnitsPerMetre: Double { get }

  /// Waits for the next picture.
  ///
  /// - Parameter seconds: how long at most.
  /// - Returns: `nil` where none came in that time.
  /// - Throws: `system` when the camera is lost, `badData` for a picture that cannot be read (the next may be good).
  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture?
}

extension CameraDevice {
  /// None.
  public var depthMode: CameraMode? { nil }
  /// Millimetres.
  public var depthUnitsPerMetre: Double { 1000 }
}

/// A virtual camera: other programs see it, and this one supplies its pictures.
public protocol VirtualCamera: AnyObject, Sendable {
  /// Its name in messages.
  var name: String { get }
  /// How many programs look at it now.
  var watchers: Int { get }

  /// Shows a picture until the next; it is copied, and nobody is waited for.
  ///
  /// - Parameters:
  ///   - image: of the size that the camera was made with.
  ///   - seconds: when it was taken, in seconds of the monotonic clock.
  /// - Throws: when the service or the device is gone.
  func show(_ image: Image, at seconds: Double) throws(BackdropError)

  /// Ends it; programs that look lose it.
  func close()
}
