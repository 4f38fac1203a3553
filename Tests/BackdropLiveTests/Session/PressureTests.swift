import BackdropLive
import Foundation
import TestSupport
import Testing

@Suite struct PressureTests {
  /// Frames of 30 a second under a load, from a time on.
  private func run(_ pressure: inout Pressure, load: Double, from start: Double, seconds: Double) -> Double {
    let count = Int(seconds * 30)
    for index in 0..<count { _ = pressure.update(load: load, now: start + Double(index) / 30) }
    return start + Double(count) / 30
  }

  @Test func goesDownStepByStepUnderLoad() {
    var pressure = Pressure()
    var now = 0.0
    var seen: [Pressure.Step] = [pressure.step]
    for index in 0..<600 {
      now = Double(index) / 30
      if pressure.update(load: 1.5, now: now) { seen.append(pressure.step) }
    }
    #expect(seen == Pressure.Step.allCases)
    #expect(Pressure.Step.allCases.compactMap(\.rate) == [24, 20, 15])
  }

  @Test func aShortRushChangesNothing() {
    var pressure = Pressure()
    var now = 0.0
    for _ in 0..<20 {
      now = run(&pressure, load: 2, from: now, seconds: 0.9)
      now = run(&pressure, load: 0.6, from: now, seconds: 0.2)
    }
    #expect(pressure.step == .none)
  }

  @Test func comesBackSlowly() {
    var pressure = Pressure()
    var now = run(&pressure, load: 1.5, from: 0, seconds: 1.2)
    #expect(pressure.step == .halfMattes)
    now = run(&pressure, load: 0.3, from: now, seconds: 4.5)
    #expect(pressure.step == .halfMattes)
    now = run(&pressure, load: 0.3, from: now, seconds: 1)
    #expect(pressure.step == .none)
  }

  /// Load that fits with a step and does not without it: the times between tries grow, so that it does not swing for ever.
  @Test func hysteresisGrows() {
    var pressure = Pressure()
    var ups: [Double] = []
    for index in 0..<30 * 300 {
      let now = Double(index) / 30
      let before = pressure.step
      let load = pressure.step == .none ? 1.2 : 0.4
      if pressure.update(load: load, now: now), pressure.step < before { ups.append(now) }
    }
    let gaps = zip(ups.dropFirst(), ups).map { $0 - $1 }
    #expect(gaps.count >= 2)
    #expect(zip(gaps.dropFirst(), gaps).allSatisfy { $0 >= $1 - 0.1 })
    #expect((gaps.last ?? 0) > 2 * (gaps.first ?? 0))
  }

  @Test func theMachinesFloorHolds() {
    var pressure = Pressure()
    let changed = pressure.update(load: 0.1, floor: .rate20, now: 0)
    #expect(changed)
    #expect(pressure.step == .rate20)
    for index in 0..<900 { _ = pressure.update(load: 0.1, floor: .rate20, now: Double(index) / 30) }
    #expect(pressure.step == .rate20)
    for index in 900..<3600 { _ = pressure.update(load: 0.1, now: Double(index) / 30) }
    #expect(pressure.step == .none)
  }

  @Test func readsPowerAndHeat() throws {
    let folder = TemporaryFolder()
    func write(_ name: String, _ text: String) throws {
      let path = folder.path + "/" + name
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try (text + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }
    #expect(MachineState(root: folder.path) == MachineState())
    try write("power_supply/AC/type", "Mains")
    try write("power_supply/AC/online", "0")
    try write("power_supply/BAT0/type", "Battery")
    try write("power_supply/BAT0/status", "Discharging")
    #expect(MachineState(root: folder.path).isOnBattery)
    #expect(MachineState(root: folder.path).floor == .halfMattes)
    try write("power_supply/AC/online", "1")
    #expect(!MachineState(root: folder.path).isOnBattery)
    try write("thermal/thermal_zone0/temp", "94000")
    try write("thermal/thermal_zone0/trip_point_0_type", "passive")
    try write("thermal/thermal_zone0/trip_point_0_temp", "100000")
    #expect(!MachineState(root: folder.path).isHot)
    try write("thermal/thermal_zone0/temp", "96000")
    #expect(MachineState(root: folder.path).isHot)
    #expect(MachineState(root: folder.path).floor == .rate20)
  }
}
