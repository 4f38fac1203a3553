import BackdropImaging

package enum RealSenses {
  /// Lists all of them. If librealsense2 is missing but the kernel sees a camera, the list has one entry with that
  /// fault.
  package static func list() -> [ConnectedCamera] {
    do throws(BackdropError) {
      return try RealSenseLibrary.shared().devices.map {
        ConnectedCamera(address: RealSenseAddress.prefix + $0.serial, name: $0.name)
      }
    } catch {
      guard isPluggedIn() else { return [] }
      return [ConnectedCamera(address: RealSenseAddress.prefix, name: "RealSense", fault: error)]
    }
  }

  /// Whether the kernel sees a depth camera of the series D400, L500 or SR300.
  static func isPluggedIn(_ folder: String = USBDevices.folder) -> Bool {
    USBDevices.contain(vendor: 0x8086, in: folder) { products.contains($0) }
  }

  /// Their product numbers, from librealsense's d400-private.h, l500-private.h and ivcam-private.h.
  private static let products: Set = [
    0x0AD1, 0x0AD2, 0x0AD3, 0x0AD4, 0x0AD5, 0x0AD6, 0x0AF6, 0x0AFE, 0x0AFF, 0x0B00, 0x0B01, 0x0B03, 0x0B07, 0x0B0C,
    0x0B3A, 0x0B49, 0x0B4B, 0x0B4D, 0x0B52, 0x0B5B, 0x0B5C, 0xABCD, 0x0B0D, 0x0B3D, 0x0B64, 0x0B68, 0x0AA5, 0x0B48,
  ]
}
