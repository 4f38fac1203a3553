import BackdropCameras
import BackdropImaging
import BackdropRecordings

extension Cameras {
  /// All cameras that can be listed: those of ``/BackdropCameras/Cameras/list()``, those of OpenNI2 where that is installed,
  /// iPhones and iPads, and the simulated one.
  public static func known() -> [CameraDescription] {
    list() + openNI() + phones() + [
      CameraDescription(address: "sim:", name: "simulated camera with depth", interface: "simulated")
    ]
  }

  /// iPhones and iPads that are connected by USB; whether the app streams is known only once one is open.
  package static func phones() -> [CameraDescription] {
    IPhones.list().map {
      CameraDescription(
        address: $0.address, name: $0.name, interface: phoneInterface, fault: $0.fault?.message,
        remedy: $0.fault?.remedy)
    }
  }

  static let phoneInterface = "Record3D"

  private static func openNI() -> [CameraDescription] {
    let library: OpenNILibrary
    // Whoever has no such camera need not have the library.
    do throws(BackdropError) { library = try OpenNILibrary.shared() } catch { return [] }
    return library.devices.map {
      CameraDescription(address: OpenNISource.prefix + $0.address, name: $0.name, interface: "OpenNI2")
    }
  }
}
