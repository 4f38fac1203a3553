import BackdropImaging

/// STUB until the devices arrive.
public enum Cameras {
  public static func list() -> [CameraDescription] { [] }
  public static func isAddress(_ text: String) -> Bool { false }
  public static func open(_ address: String, wish: CameraWish) throws(BackdropError) -> any CameraDevice {
    throw BackdropError(.unsupported, "no devices yet")
  }
}
public final class DeviceWatch {
  public init() {}
  public func hasChanged() -> Bool { false }
}
public enum V4L2Output {
  public static func open(_ path: String, width: Int, height: Int, rate: Double) throws(BackdropError)
    -> any VirtualCamera
  {
    throw BackdropError(.unsupported, "no devices yet")
  }
}
