import BackdropImaging

package enum IPhones {
  /// Lists all of them, without switching anything on and without checking that the app streams.
  package static func list(at usbmuxd: UsbmuxAddress? = nil) -> [ConnectedCamera] {
    do throws(BackdropError) {
      let devices = try Usbmux(usbmuxd).devices()
      if let devices, !devices.isEmpty {
        return devices.map { ConnectedCamera(address: "iphone:" + $0.udid, name: $0.kind) }
      }
      guard isPluggedIn() else { return [] }
      return [ConnectedCamera(address: "iphone:", name: "iPhone or iPad", fault: absence(isServed: devices != nil))]
    } catch {
      return [ConnectedCamera(address: "iphone:", name: "iPhone or iPad", fault: error)]
    }
  }

  /// The error that explains why usbmuxd lists no phone.
  ///
  /// - Parameters:
  ///   - isServed: whether usbmuxd is running. It starts with the first phone, and lists only phones that trust the computer.
  ///   - folder: the kernel's folder of USB devices.
  static func absence(isServed: Bool, folder: String = USBDevices.folder) -> BackdropError {
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

  package static let startStream: Hint =
    "open Record3D there, switch on USB streaming in its settings, and press its red button"

  static let untrusted = BackdropError(
    .system, "the iPhone or iPad does not trust this computer",
    hint: "unlock it, reconnect the cable, and tap Trust on its screen")

  /// Whether the kernel sees an iPhone or iPad, trusted or not. Apple's product numbers 0x1290 to 0x12AF cover the models of
  /// both.
  static func isPluggedIn(_ folder: String = USBDevices.folder) -> Bool {
    USBDevices.contain(vendor: 0x05AC, in: folder) { (0x1290...0x12AF).contains($0) }
  }
}
