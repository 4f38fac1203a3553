import BackdropImaging

/// A picture from a camera, with colours or distances.
package struct CapturedPicture: Sendable {
  /// The picture in its own format; ``/BackdropImaging/PixelFormat/gray16`` for distances, with 0 for missing ones.
  package var image: Image
  package var isDepth: Bool
  /// The time of the picture, in seconds of the monotonic clock.
  package var seconds: Double
  /// The camera's own frame number, which also counts unread frames; `nil` if it has none.
  package var sequence: Int?

  package init(image: Image, isDepth: Bool = false, seconds: Double, sequence: Int? = nil) {
    (self.image, self.isDepth, self.seconds, self.sequence) = (image, isDepth, seconds, sequence)
  }
}

/// An open camera.
///
/// One thread uses it at a time. Releasing it closes it.
package protocol CameraDevice: AnyObject {
  var name: String { get }
  /// The mode of its colour pictures.
  var mode: CameraMode { get }
  var depthMode: CameraMode? { get }
  var depthUnitsPerMetre: Double { get }
  /// What a user does when it sends nothing.
  var silenceHint: String { get }

  /// Waits for the next picture.
  ///
  /// - Parameter seconds: the longest wait, in seconds.
  /// - Returns: `nil` if none came in that time.
  /// - Throws: `system` when the camera is lost, `badData` for an unreadable picture (the next may be good).
  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture?
}

extension CameraDevice {
  package var depthMode: CameraMode? { nil }
  package var depthUnitsPerMetre: Double { 1000 }
  /// For a camera with a plug.
  package var silenceHint: String { "unplug it and plug it in again" }
}

/// A virtual camera: this program supplies its pictures, and other programs see them.
package protocol VirtualCamera: AnyObject, Sendable {
  /// Its name in messages.
  var name: String { get }
  /// The number of programs that are watching.
  var watchers: Int { get }

  /// Shows a picture until the next one; it copies the picture and does not wait for watching programs.
  ///
  /// - Parameters:
  ///   - image: a picture of the camera's size.
  ///   - seconds: its time, in seconds of the monotonic clock.
  /// - Throws: `system` if the service or the device is gone.
  func show(_ image: Image, at seconds: Double) throws(BackdropError)

  /// Ends the camera; watching programs lose it.
  func close()
}
