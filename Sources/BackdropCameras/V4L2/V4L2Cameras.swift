import BackdropImaging
import CV4L2
import Libc

/// The cameras known to the system itself.
enum V4L2Cameras {
  /// All nodes that deliver pictures, in the order of their numbers, and separately loopbacks, which other programs fill; those filled by
  /// this program are left out.
  ///
  /// A camera that this account may not use is listed with the reason.
  static func list(_ folder: String = "/dev") -> (cameras: [CameraDescription], loopbacks: [CameraDescription]) {
    var cameras: [CameraDescription] = []
    var loopbacks: [CameraDescription] = []
    for path in paths(folder) {
      let device: V4L2Device
      do throws(BackdropError) {
        device = try V4L2Device(path)
        let abilities = try V4L2Abilities(device, path: path)
        guard abilities.captures || abilities.capturesInPlanes else { continue }
        // Besides this function's own descriptor.
        if abilities.isLoopback && DeviceHolders.openingsOfThisProgram(path) > 1 { continue }
        var camera = CameraDescription(address: "v4l2:\(path)", name: abilities.card, interface: "V4L2")
        if abilities.captures && abilities.streams {
          camera.modes = V4L2Modes.list(device, takesGreyAsDepth: callsItselfDepth(abilities))
          if camera.modes.isEmpty { camera.fault = "Backdrop reads none of its formats" }
        } else {
          camera.fault = "it keeps each plane in its own buffer, which Backdrop does not read"
        }
        camera.holder = DeviceHolders.listed(path)
        if abilities.isLoopback { loopbacks.append(camera) } else { cameras.append(camera) }
      } catch {
        // A node that has disappeared or is not a device is not a camera.
        guard error.kind == .system, access(path, F_OK) == 0 else { continue }
        cameras.append(
          CameraDescription(
            address: "v4l2:\(path)", name: sysfsName(path) ?? path, interface: "V4L2",
            holder: DeviceHolders.listed(path), fault: error.message, hint: error.hint))
      }
    }
    return (cameras, loopbacks)
  }

  /// The device files, by number.
  static func paths(_ folder: String) -> [String] {
    let names = (try? Folder.names(in: folder)) ?? []
    let numbers = names.filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst(5)) }.filter { $0 >= 0 }
    return numbers.sorted().map { "\(folder)/video\($0)" }
  }

  /// The other node of a depth camera: that of its colours, or of its distances.
  static func sibling(
    of path: String, _ abilities: V4L2Abilities, _ request: CameraRequest, forColors: Bool
  ) -> (device: V4L2Device, choice: CameraMode.Choice)? {
    guard !abilities.bus.isEmpty else { return nil }
    func part(_ other: String) -> (device: V4L2Device, choice: CameraMode.Choice)? {
      do throws(BackdropError) {
        let device = try V4L2Device(other)
        let found = try V4L2Abilities(device, path: other)
        guard found.bus == abilities.bus, found.driver == abilities.driver, found.captures, found.streams else {
          return nil
        }
        let modes = V4L2Modes.list(device, request: request, takesGreyAsDepth: callsItselfDepth(found))
        let choice =
          forColors ? CameraMode.nearest(to: request, among: modes) : CameraMode.deepest(for: request, among: modes)
        return choice.map { (device, $0) }
      } catch {
        // A node that cannot be opened is not part of this camera.
        return nil
      }
    }
    let parts = paths(FileName(path).folder).filter { $0 != path }.compactMap(part)
    return parts.max { $0.choice.mode.pixelCount < $1.choice.mode.pixelCount }
  }

  /// Whether a node's 16-bit grey means distances.
  static func callsItselfDepth(_ abilities: V4L2Abilities) -> Bool { abilities.card.lowercased().contains("depth") }

  private static func sysfsName(_ path: String) -> String? {
    let node = path.split(separator: "/").last ?? ""
    return InputFile.firstLine("/sys/class/video4linux/\(node)/name")
  }
}
