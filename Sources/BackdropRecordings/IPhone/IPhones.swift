import BackdropImaging

/// The iPhones and iPads that are connected by USB.
package enum IPhones {
  /// One of them.
  package struct Description: Sendable, Equatable {
    /// What opens it: `iphone:UDID`.
    package var address: String
    /// What kind it is.
    package var name: String
    /// Why it cannot be used; `nil` where nothing is known against it.
    package var fault: BackdropError?
  }

  /// All of them; nothing is switched on, and none is asked whether the app streams.
  package static func list(at place: UsbmuxPlace? = nil) -> [Description] {
    do throws(BackdropError) {
      let devices = try Usbmux(place).devices()
      if let devices, !devices.isEmpty {
        return devices.map { Description(address: "iphone:" + $0.udid, name: $0.kind) }
      }
      guard isPluggedIn() else { return [] }
      return [Description(address: "iphone:", name: "iPhone or iPad", fault: absence(isServed: devices != nil))]
    } catch {
      return [Description(address: "iphone:", name: "iPhone or iPad", fault: error)]
    }
  }

  /// Why usbmuxd names no phone.
  ///
  /// - Parameters:
  ///   - isServed: whether usbmuxd runs. It starts with the first phone, and lists those alone that trust the computer.
  ///   - folder: where the kernel lists what is connected by USB.
  static func absence(isServed: Bool, folder: String = usbDevices) -> BackdropError {
    guard isPluggedIn(folder) else {
      return BackdropError(
        .system, "no iPhone or iPad is connected by USB",
        hint: "connect it, unlock it and tap Trust; this computer needs usbmuxd: sudo apt install usbmuxd")
    }
    return isServed
      ? untrusted
      : BackdropError(
        .system, "an iPhone or iPad is connected, but usbmuxd is not running",
        hint: "install it: sudo apt install usbmuxd; then reconnect the cable")
  }

  /// How the app begins to stream.
  package static let startStream: Remedy =
    "open Record3D there, switch on USB streaming in its settings, and press its red button"

  static let untrusted = BackdropError(
    .system, "the iPhone or iPad does not trust this computer",
    hint: "unlock it, reconnect the cable, and tap Trust on its screen")

  private static let usbDevices = "/sys/bus/usb/devices"

  /// Whether the kernel sees an iPhone or iPad, trusted or not.
  static func isPluggedIn(_ folder: String = usbDevices) -> Bool {
    func number(_ path: String) -> Int? {
      do throws(BackdropError) {
        return Int(String(decoding: try InputFile.head(path, count: 16), as: UTF8.self).trimmed, radix: 16)
      } catch { return nil }
    }
    let names: [String]
    // Without such a folder there is no USB.
    do throws(BackdropError) { names = try Folder.names(in: folder) } catch { return false }
    return names.contains { name in
      let device = folder + "/" + name
      // Apple's; 0x1290 to 0x12AF are all models of iPhone and iPad.
      guard FileKind(device + "/idVendor") == .file, number(device + "/idVendor") == 0x05AC else { return false }
      return (0x1290...0x12AF).contains(number(device + "/idProduct") ?? 0)
    }
  }
}
