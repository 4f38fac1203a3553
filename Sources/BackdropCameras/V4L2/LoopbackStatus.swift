import BackdropImaging
import Libc

/// How the kernel's module v4l2loopback does on this computer.
package struct LoopbackStatus: Sendable {
  /// One of its devices.
  package struct Device: Sendable {
    /// As `/dev/video10`.
    package var path: String
    /// What programs show.
    package var card: String
    /// Whether it shows itself as a camera only, as Chromium needs it.
    package var isExclusive: Bool
  }

  /// Whether it is in the kernel.
  package var isLoaded: Bool
  /// Whether it could be loaded.
  package var isInstalled: Bool
  /// For example `0.12.7`; `nil` where it does not say.
  package var version: String?
  /// Those that this account may look at.
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
        // What may not be looked at is told of with the cameras.
        continue
      }
    }
  }

  /// What a file says; `nil` if that is nothing, or if it cannot be read.
  private static func text(_ path: String) -> String? {
    do throws(BackdropError) { return String(decoding: try InputFile.read(path), as: UTF8.self) } catch { return nil }
  }
}
