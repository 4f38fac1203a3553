import BackdropImaging

/// The kernel's list of USB devices.
enum USBDevices {
  static let folder = "/sys/bus/usb/devices"

  /// Whether a vendor's device with a matching product number is connected.
  static func contain(vendor: Int, in folder: String = folder, where isMeant: (Int) -> Bool) -> Bool {
    func number(_ path: String) -> Int? { InputFile.firstLine(path).flatMap { Int($0, radix: 16) } }
    let names: [String]
    // Without the folder there is no USB.
    do throws(BackdropError) { names = try Folder.names(in: folder) } catch { return false }
    return names.contains { name in
      let device = folder + "/" + name
      guard FileKind(device + "/idVendor") == .file, number(device + "/idVendor") == vendor else { return false }
      return isMeant(number(device + "/idProduct") ?? 0)
    }
  }
}
