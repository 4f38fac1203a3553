import BackdropCameras
import BackdropImaging
import BackdropRecordings

extension Cameras {
  /// All cameras that can be listed: those of ``/BackdropCameras/Cameras/list()``, those of OpenNI2 where that is installed, and
  /// the simulated one.
  public static func known() -> [CameraDescription] {
    list() + openNI() + [
      CameraDescription(address: "sim:", name: "simulated camera with depth", interface: "simulated")
    ]
  }

  private static func openNI() -> [CameraDescription] {
    let library: OpenNILibrary
    // Whoever has no such camera need not have the library.
    do throws(BackdropError) { library = try OpenNILibrary.shared() } catch { return [] }
    return library.devices.map {
      CameraDescription(address: OpenNISource.prefix + $0.address, name: $0.name, interface: "OpenNI2")
    }
  }
}
