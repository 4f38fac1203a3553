import Backdrop

/// Checks whether this computer has what a live session needs, and explains how to get missing parts.
package enum Doctor {
  /// Runs all checks in the order of a picture's path: camera, matte, speed, output; `report` receives each finding immediately.
  ///
  /// It changes nothing and switches on no camera. It takes a few seconds, mostly to measure the speed.
  package static func examine(report: (Finding) -> Void) -> [Finding] {
    var findings: [Finding] = []
    func add(_ found: [Finding]) {
      findings += found
      found.forEach(report)
    }
    let known = Cameras.known()
    add([cameras(known)] + depthCameras(known) + [processor()])
    add(networks())
    add([speed()])
    add(examineOutputs())
    add([encoders()])
    return findings
  }

  /// Checks the ways to send pictures to call programs: PipeWire, the desktop's portal, v4l2loopback, and whether one of
  /// them works.
  ///
  /// It changes nothing. It can take several seconds.
  package static func examineOutputs() -> [Finding] {
    let pipeWire = pipeWire()
    let status = LoopbackStatus()
    let loopback = loopback(status)
    return [pipeWire] + portal(hasLoopback: loopback.state == .good)
      + [loopback, waysOut(pipeWire, loopback, hasDevice: !status.devices.isEmpty)]
  }

  static func cameras(_ known: [CameraDescription]) -> Finding {
    func finding(_ state: Finding.State, _ text: String, hint: Hint? = nil) -> Finding {
      Finding("camera", "camera", state, text, hint: hint, isEssential: true)
    }
    let real = known.filter { $0.interface != "simulated" }
    let usable = real.filter { $0.fault == nil }
    guard !usable.isEmpty else {
      guard let first = real.first else { return finding(.bad, "no camera is connected", hint: .startSimulation) }
      return finding(.bad, "\(first.name): \(first.fault ?? "Backdrop cannot use it")", hint: first.hint ?? .seeCameras)
    }
    let names = usable.map { "\($0.name) (\($0.address))" + ($0.holder.map { ", in use by \($0)" } ?? "") }
      .joined(separator: "; ")
    if usable.allSatisfy({ $0.holder != nil }) {
      return finding(.advice, names, hint: "close the program that uses it")
    }
    if usable.allSatisfy({ $0.interface == Cameras.phoneInterface }) {
      return finding(.advice, names, hint: IPhones.startStream)
    }
    return finding(.good, names)
  }

  /// The faults of connected phones and RealSense cameras if another camera works.
  static func depthCameras(_ known: [CameraDescription]) -> [Finding] {
    guard known.contains(where: { $0.interface != "simulated" && $0.fault == nil }) else { return [] }
    return [
      ("iphone", "iPhone or iPad", Cameras.phoneInterface), ("realsense", "RealSense", Cameras.realSenseInterface),
    ]
    .compactMap { (code, title, interface) in
      known.first { $0.interface == interface && $0.fault != nil }.map {
        Finding(code, title, .advice, $0.fault ?? "Backdrop cannot use it", hint: $0.hint)
      }
    }
  }

  /// - Parameter hasDevice: whether this account may use a v4l2loopback device.
  static func waysOut(_ pipeWire: Finding, _ loopback: Finding, hasDevice: Bool) -> Finding {
    func finding(_ state: Finding.State, _ text: String, hint: Hint? = nil) -> Finding {
      Finding("output", "way to call programs", state, text, hint: hint, isEssential: true)
    }
    let ways = [pipeWire, loopback].filter { $0.state == .good }.map(\.title)
    guard ways.isEmpty else { return finding(.good, "by \(ways.joined(separator: " and by "))") }
    // Other programs can use a device that Chromium does not list.
    guard loopback.state != .advice || !hasDevice else {
      return finding(.advice, "by \(loopback.title), but only some programs see it", hint: loopback.hint)
    }
    return finding(
      .bad, "neither \(pipeWire.title) nor \(loopback.title) is ready",
      hint: Hint([pipeWire.hint, loopback.hint].compactMap { $0?.text }.joined(separator: "; or ")))
  }

  static func encoders() -> Finding {
    func names(_ isAvailable: Bool) -> String {
      VideoSettings.Codec.allCases.filter { $0.isAvailable == isAvailable }.map(\.rawValue).joined(separator: ", ")
    }
    let (there, missing) = (names(true), names(false))
    guard !missing.isEmpty else { return Finding("encoders", "encoders for recording", .good, there) }
    return Finding(
      "encoders", "encoders for recording", .advice,
      "not available: \(missing)" + (there.isEmpty ? "" : "; available: \(there)"),
      hint: "install FFmpeg's libraries with all encoders: sudo apt install libavcodec-extra")
  }
}
