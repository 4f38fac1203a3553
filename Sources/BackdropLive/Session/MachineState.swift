import BackdropImaging

/// The computer's power and heat, from Linux's `/sys/class/power_supply` and `/sys/class/thermal`.
package struct MachineState: Sendable, Equatable {
  package var isOnBattery = false
  /// Whether a part of it is within 5 °C of the temperature at which it slows down.
  package var isHot = false

  package init() {}

  /// Reads the state from the kernel's files.
  package init(root: String = "/sys/class") {
    var mains: [Bool] = []
    var discharges = false
    for supply in Self.entries(root + "/power_supply") {
      switch InputFile.firstLine(supply + "/type") {
      case "Mains", "USB": mains.append(InputFile.firstLine(supply + "/online") == "1")
      case "Battery":
        // A mouse's battery does not matter for the machine.
        let isOwn = InputFile.firstLine(supply + "/scope") != "Device"
        discharges = discharges || isOwn && InputFile.firstLine(supply + "/status") == "Discharging"
      default: break
      }
    }
    isOnBattery = discharges && !mains.contains(true)
    for zone in Self.entries(root + "/thermal") where zone.contains("thermal_zone") {
      guard let heat = Self.number(zone + "/temp"), heat > 0 else { continue }
      for trip in 0..<12 {
        guard let kind = InputFile.firstLine(zone + "/trip_point_\(trip)_type") else { break }
        guard kind == "passive" || kind == "hot" || kind == "critical",
          let limit = Self.number(zone + "/trip_point_\(trip)_temp"), limit > 0
        else { continue }
        if heat >= limit - 5000 { isHot = true }
      }
    }
  }

  /// The minimum load step that this state requires.
  package var floor: LoadStep { isHot ? .rate20 : isOnBattery ? .halfMattes : .none }

  private static func entries(_ folder: String) -> [String] {
    // A machine without batteries or sensors has no such folder.
    (try? Folder.names(in: folder))?.sorted().map { folder + "/" + $0 } ?? []
  }

  private static func number(_ path: String) -> Double? { InputFile.firstLine(path).flatMap(Double.init) }
}
