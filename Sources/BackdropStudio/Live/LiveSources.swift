import Backdrop
import BackdropLive

/// Lists the cameras that a page can choose, and finds the device for a virtual camera.
enum LiveSources {
  struct Source: Encodable, Sendable {
    var address: String, name: String
    /// `simulated`, `browser` or `machine`.
    var kind: String
    /// The reason why it is unusable.
    var fault: String?
  }

  /// The simulated scenes, the browser's webcam and the cameras of this machine.
  static func list() -> [Source] {
    let simulated = Scenario.allCases.map { scene in
      Source(address: "sim:\(scene.rawValue)", name: scene.summary, kind: "simulated")
    }
    let browser = Source(address: BrowserCamera.address, name: "This browser's webcam", kind: "browser")
    let machine = (Cameras.list() + Cameras.withOwnProtocol()).filter { $0.interface != "simulated" }.map { camera in
      Source(
        address: camera.address, name: camera.name, kind: "machine",
        fault: camera.fault.map { $0 + (camera.hint.map { " (\($0))" } ?? "") }
          ?? camera.holder.map { "used by \($0)" })
    }
    return simulated + [browser] + machine
  }

  /// The first v4l2loopback device, which the kernel lists among those without hardware.
  static var loopback: String? {
    // The folder exists only with such a device.
    let names = (try? Folder.names(in: "/sys/devices/virtual/video4linux")) ?? []
    return names.sorted().first { $0.hasPrefix("video") }.map { "/dev/" + $0 }
  }
}
