import BackdropLive
import Foundation
import TestSupport
import Testing

@Suite struct LoadControllerTests {
  /// Processes frames at 30 a second under a load, from a given time on.
  private func run(_ controller: inout LoadController, load: Double, from start: Double, seconds: Double) -> Double {
    let count = Int(seconds * 30)
    for index in 0..<count { _ = controller.update(load: load, now: start + Double(index) / 30) }
    return start + Double(count) / 30
  }

  @Test func goesDownStepByStepUnderLoad() {
    var controller = LoadController()
    var now = 0.0
    var seen: [LoadStep] = [controller.step]
    for index in 0..<600 {
      now = Double(index) / 30
      if controller.update(load: 1.5, now: now) { seen.append(controller.step) }
    }
    #expect(seen == LoadStep.allCases)
    #expect(LoadStep.allCases.compactMap(\.rate) == [24, 20, 15])
    // The unit of the rates beside it.
    #expect(LoadStep.rate15.summary == "at most 15 fps")
  }

  @Test func aShortRushChangesNothing() {
    var controller = LoadController()
    var now = 0.0
    for _ in 0..<20 {
      now = run(&controller, load: 2, from: now, seconds: 0.9)
      now = run(&controller, load: 0.6, from: now, seconds: 0.2)
    }
    #expect(controller.step == .none)
  }

  @Test func comesBackSlowly() {
    var controller = LoadController()
    var now = run(&controller, load: 1.5, from: 0, seconds: 1.2)
    #expect(controller.step == .halfMattes)
    now = run(&controller, load: 0.3, from: now, seconds: 4.5)
    #expect(controller.step == .halfMattes)
    now = run(&controller, load: 0.3, from: now, seconds: 1)
    #expect(controller.step == .none)
  }

  /// If a load fits at one step but not at the next better one, the intervals between attempts grow, which stops the oscillation.
  @Test func hysteresisGrows() {
    var controller = LoadController()
    var ups: [Double] = []
    for index in 0..<30 * 300 {
      let now = Double(index) / 30
      let before = controller.step
      let load = controller.step == .none ? 1.2 : 0.4
      if controller.update(load: load, now: now), controller.step < before { ups.append(now) }
    }
    let gaps = zip(ups.dropFirst(), ups).map { $0 - $1 }
    #expect(gaps.count >= 2)
    #expect(zip(gaps.dropFirst(), gaps).allSatisfy { $0 >= $1 - 0.1 })
    #expect((gaps.last ?? 0) > 2 * (gaps.first ?? 0))
  }

  /// However many steps undo a recovery, it doubles the wait once; a recovery that lasted halves it.
  @Test func aRecoveryCountsOnce() {
    var controller = LoadController()
    var now = run(&controller, load: 1.5, from: 0, seconds: 3.2)
    #expect(controller.step == .rate24)
    now = run(&controller, load: 0.3, from: now, seconds: 5.1)
    #expect(controller.step == .coarseEdges)
    now = run(&controller, load: 1.5, from: now, seconds: 3.2)
    #expect(controller.step == .rate15)
    now = run(&controller, load: 0.3, from: now, seconds: 9.8)
    #expect(controller.step == .rate15)
    now = run(&controller, load: 0.3, from: now, seconds: 0.5)
    #expect(controller.step == .rate20)
    now = run(&controller, load: 0.6, from: now, seconds: 10)
    now = run(&controller, load: 1.5, from: now, seconds: 1.2)
    #expect(controller.step == .rate15)
    _ = run(&controller, load: 0.3, from: now, seconds: 5.1)
    #expect(controller.step == .rate20)
  }

  @Test func theMachinesFloorHolds() {
    var controller = LoadController()
    let changed = controller.update(load: 0.1, floor: .rate20, now: 0)
    #expect(changed)
    #expect(controller.step == .rate20)
    for index in 0..<900 { _ = controller.update(load: 0.1, floor: .rate20, now: Double(index) / 30) }
    #expect(controller.step == .rate20)
    for index in 900..<3600 { _ = controller.update(load: 0.1, now: Double(index) / 30) }
    #expect(controller.step == .none)
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
