import BackdropImaging

/// The cameras of this computer and of its network.
public enum Cameras {
  /// Those that the system itself and PipeWire know; network cameras are known by their address alone.
  ///
  /// A camera that both know is there twice; loopbacks and other programs' virtual cameras come last of their kind.
  /// Nothing is switched on by it.
  public static func list() -> [CameraDescription] { V4L2Cameras.list() }

  /// Opens a camera in the mode nearest to a wish.
  ///
  /// - Parameters:
  ///   - address: `v4l2:/dev/video0`, or a device file alone.
  ///   - wish: what its pictures shall be like; the camera's own ``CameraDevice/mode`` may differ.
  /// - Throws: `wrongArgument` for an address of no known kind; `system` where the camera is not there, in use, or may not
  ///   be used; `unsupported` if it delivers nothing that is read here.
  public static func open(_ address: String, _ wish: CameraWish = CameraWish()) throws(BackdropError)
    -> any CameraDevice
  {
    if let path = path(address) { return try V4L2Camera.open(path, wish) }
    throw BackdropError(
      .wrongArgument, "there is no camera '\(address)'", hint: "list what is there: backdrop cameras")
  }

  /// Whether an address is one of those that ``open(_:_:)`` knows, whatever is there.
  public static func isAddress(_ text: String) -> Bool { path(text) != nil }

  private static func path(_ address: String) -> String? {
    if address.hasPrefix("v4l2:") { return String(address.dropFirst(5)) }
    return address.hasPrefix("/dev/") ? address : nil
  }
}
