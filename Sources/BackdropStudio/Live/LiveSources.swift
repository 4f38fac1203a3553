import BackdropCameras
import BackdropImaging
import BackdropLive
import BackdropSimulation

/// Where pictures can come from, and which virtual cameras can be made.
enum LiveSources {
  struct Source: Encodable, Sendable {
    var address: String, name: String
    /// `simulated`, `browser` or `machine`.
    var kind: String
    /// Why it cannot be used.
    var fault: String?
  }

  /// The simulated scenes, the browser's webcam and the cameras of this machine.
  static func list() -> [Source] {
    let simulated = SimulatedScene.Name.allCases.map { name in
      Source(address: simulatedAddress(name), name: SimulatedScene(name).summary, kind: "simulated")
    }
    let browser = Source(address: BrowserCamera.address, name: "This browser's webcam", kind: "browser")
    let machine = (Cameras.list() + Cameras.phones()).filter { $0.interface != "simulated" }.map { camera in
      Source(
        address: camera.address, name: camera.name, kind: "machine",
        fault: camera.fault.map { $0 + (camera.remedy.map { " (\($0))" } ?? "") }
          ?? camera.holder.map { "used by \($0)" })
    }
    return simulated + [browser] + machine
  }

  /// The first device of v4l2loopback, which the kernel lists among those without hardware.
  static var loopback: String? {
    let folder = "/sys/devices/virtual/video4linux"
    do throws(BackdropError) {
      let names = try Folder.names(in: folder)
      return names.sorted().first { $0.hasPrefix("video") }.map { "/dev/" + $0 }
    } catch {
      // There is no such folder where there is no such device.
      return nil
    }
  }

  /// A scene as a camera, which goes round for ever.
  static func simulatedAddress(_ name: SimulatedScene.Name) -> String { "sim:\(name.rawValue)" }
}
