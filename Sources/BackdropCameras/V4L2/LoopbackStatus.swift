import BackdropImaging
import Libc

/// The state of the kernel module v4l2loopback on this computer.
package struct LoopbackStatus: Sendable {
  package struct Device: Sendable {
    /// The path, such as `/dev/video10`.
    package var path: String
    /// The name that programs show.
    package var card: String
    /// Whether it presents itself only as a camera, which Chromium requires.
    package var isExclusive: Bool
  }

  package var isLoaded: Bool
  /// Whether the module can be loaded.
  package var isInstalled: Bool
  /// The version, such as `0.12.7`; `nil` if the module does not state it.
  package var version: String?
  /// The devices that this account can access.
  package var devices: [Device] = []

  /// Reads the state of the module.
  package init() {
    let folder = "/sys/module/v4l2loopback"
    isLoaded = access(folder, F_OK) == 0
    version = InputFile.firstLine(folder + "/version")
    isInstalled = isLoaded
    var kernel = utsname()
    if !isLoaded, uname(&kernel) == 0 {
      let release = withUnsafeBytes(of: kernel.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let modules = (try? InputFile.read("/lib/modules/\(release)/modules.dep")) ?? []
      isInstalled = String(decoding: modules, as: UTF8.self).contains("/v4l2loopback.ko")
    }
    guard isLoaded else { return }
    for path in V4L2Cameras.paths("/dev") {
      do throws(BackdropError) {
        let abilities = try V4L2Abilities(V4L2Device(path), path: path)
        guard abilities.isLoopback else { continue }
        devices.append(Device(path: path, card: abilities.card, isExclusive: !(abilities.captures && abilities.shows)))
      } catch {
        // Inaccessible ones are reported with the cameras.
        continue
      }
    }
  }
}
