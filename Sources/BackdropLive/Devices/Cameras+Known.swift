import Backdrop

extension Cameras {
  /// All cameras that can be listed: those of ``/BackdropCameras/Cameras/list()``, OpenNI2 cameras if that is installed, iPhones and iPads,
  /// RealSense cameras, and the simulated one.
  package static func known() -> [CameraDescription] {
    list() + openNI() + withOwnProtocol() + [
      CameraDescription(address: "sim:", name: "simulated camera with depth", interface: "simulated")
    ]
  }

  /// iPhones and iPads, and RealSense cameras. Only opening a phone shows whether its app streams.
  ///
  /// Programs that list cameras repeatedly use this list, because OpenNI2 crashes if it lists its cameras several times.
  package static func withOwnProtocol() -> [CameraDescription] {
    connected(IPhones.list(), phoneInterface) + connected(RealSenses.list(), realSenseInterface)
  }

  private static func connected(_ cameras: [ConnectedCamera], _ interface: String) -> [CameraDescription] {
    cameras.map {
      CameraDescription(
        address: $0.address, name: $0.name, interface: interface, fault: $0.fault?.message, hint: $0.fault?.hint)
    }
  }

  static let phoneInterface = "Record3D"
  static let realSenseInterface = "RealSense"

  private static func openNI() -> [CameraDescription] {
    // The library is optional: without it there are no such cameras.
    ((try? OpenNILibrary.shared())?.devices ?? []).map {
      CameraDescription(address: OpenNISource.prefix + $0.address, name: $0.name, interface: "OpenNI2")
    }
  }
}
