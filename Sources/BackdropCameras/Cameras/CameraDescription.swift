import BackdropImaging

package struct CameraDescription: Sendable, Codable, Hashable {
  /// The address for opening it: `v4l2:/dev/video0`, `pipewire:NAME`, `openni:`, `iphone:UDID`, `realsense:SERIAL`,
  /// `sim:`.
  package var address: String
  package var name: String
  /// The interface that provides it: `V4L2`, `PipeWire`, `OpenNI2`, `Record3D`, `RealSense`, `simulated`.
  package var interface: String
  /// Its modes; empty if only opening reveals them.
  package var modes: [CameraMode]
  /// The program that is using it, such as `firefox (4711)`, or a note that some program is; `nil` if it is free.
  package var holder: String?
  package var fault: String?
  package var hint: Hint?

  package init(
    address: String, name: String, interface: String, modes: [CameraMode] = [], holder: String? = nil,
    fault: String? = nil, hint: Hint? = nil
  ) {
    (self.address, self.name, self.interface, self.modes) = (address, name, interface, modes)
    (self.holder, self.fault, self.hint) = (holder, fault, hint)
  }
}

/// The picture size, rate and depth requested from a camera.
public struct CameraRequest: Sendable, Codable, Equatable {
  /// Size of the pictures.
  public var width: Int, height: Int
  /// Frames per second.
  public var rate: Double
  /// Whether to deliver distances too, if the camera has them.
  public var depth: Bool

  /// Makes a request.
  public init(width: Int = 1280, height: Int = 720, rate: Double = 30, depth: Bool = true) {
    (self.width, self.height, self.rate, self.depth) = (width, height, rate, depth)
  }
}
