import BackdropImaging
import Libc

/// The state of the kernel module v4l2loopback on this computer.
package struct LoopbackStatus: Sendable {
  /// One of its devices.
  package struct Device: Sendable {
    /// As `/dev/video10`.
    package var path: String
    /// The name that programs show.
    package var card: String
    /// Whether it shows itself only as a camera, which Chromium requires.
    package var isExclusive: Bool
  }

  /// Whether it is loaded.
  package var isLoaded: Bool
  /// Whether it can be loaded.
  package var isInstalled: Bool
  /// For example `0.12.7`; `nil` if it does not state it.
  package var version: String?
  /// The devices that this account can access.
  package var devices: [Device] = []

  /// Looks for it.
  package init() {
    let folder = "/sys/module/v4l2loopback"
    isLoaded = access(folder, F_OK) == 0
    version = Self.text(folder + "/version").map { $0.split { $0.isWhitespace }.joined(separator: " ") }
    isInstalled = isLoaded
    var kernel = utsname()
    if !isLoaded, uname(&kernel) == 0 {
      let release = withUnsafeBytes(of: kernel.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      isInstalled = Self.text("/lib/modules/\(release)/modules.dep")?.contains("/v4l2loopback.ko") ?? false
    }
    guard isLoaded else { return }
    for path in V4L2Cameras.paths("/dev") {
      do throws(BackdropError) {
        let abilities = try V4L2Abilities(V4L2Device.open(path), path: path)
        guard abilities.isLoopback else { continue }
        devices.append(
          Device(path: path, card: abilities.card, isExclusive: !(abilities.captures && abilities.shows)))
      } catch {
        // Inaccessible ones are reported with the cameras.
        continue
      }
    }
  }

  /// The text in a file; `nil` if it is empty or unreadable.
  private static func text(_ path: String) -> String? {
    do throws(BackdropError) { return String(decoding: try InputFile.read(path), as: UTF8.self) } catch { return nil }
  }
}
