import BackdropImaging
import BackdropMedia

/// Finds the source of a live session for an address.
public struct LiveInputs: Sendable {
  /// Asked before any other, so that a program can have addresses of its own; `nil` is not its business.
  public var opener: (@Sendable (String, CameraWish) throws(BackdropError) -> (any LiveSource)?)?

  /// Cameras, files and `sim:`.
  public init(opener: (@Sendable (String, CameraWish) throws(BackdropError) -> (any LiveSource)?)? = nil) {
    self.opener = opener
  }

  /// Opens `auto` (the first camera that can be had), `v4l2:/dev/video0` or `/dev/video0`, `pipewire:NAME`, `rtsp://…`,
  /// `http://…`, `openni:[ADDRESS]`, `sim:…`, or a picture, video or recording, which plays in a loop.
  ///
  /// - Throws: what is wrong with it.
  public func open(_ address: String, wish: CameraWish) throws(BackdropError) -> any LiveSource {
    if let source = try opener?(address, wish) { return source }
    if address == "auto" {
      guard let camera = Cameras.list().first(where: { $0.fault == nil && $0.interface != "simulated" }) else {
        throw BackdropError(
          .system, "there is no camera", hint: "plug one in (backdrop cameras lists them), or try it with sim:")
      }
      return try open(camera.address, wish: wish)
    }
    if address.hasPrefix(OpenNISource.prefix) {
      return WholeFrameSource(try OpenNISource.open(address, options: RecordingOptions()))
    }
    if Cameras.isAddress(address) { return DeviceSource(try Cameras.open(address, wish), wish: wish) }
    guard address != "-" else {
      throw BackdropError(.wrongArgument, "a live camera cannot be a pipe", hint: "give a camera or a file")
    }
    return try LoopedSource(address, wish: wish)
  }
}
