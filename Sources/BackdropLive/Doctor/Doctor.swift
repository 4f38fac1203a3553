import BackdropCameras
import BackdropImaging
import BackdropRecordings
import BackdropVideo

/// Checks whether this computer has what a live session needs, and explains how to get missing parts.
package enum Doctor {
  /// Runs all checks in the order of a picture's path: camera, matte, speed, output.
  ///
  /// It changes nothing and switches on no camera. It takes a few seconds, mostly to measure the speed.
  ///
  /// - Parameter report: receives each finding immediately.
  package static func examine(report: (Finding) -> Void = { _ in }) -> [Finding] {
    var findings: [Finding] = []
    func add(_ found: [Finding]) {
      for finding in found {
        findings.append(finding)
        report(finding)
      }
    }
    let known = Cameras.known()
    add([cameras(known)] + depthCameras(known))
    add([processor()])
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
    let real = known.filter { $0.interface != "simulated" }
    let usable = real.filter { $0.fault == nil }
    let names = usable.map { "\($0.name) (\($0.address))" + ($0.holder.map { ", in use by \($0)" } ?? "") }
    if let first = real.first, usable.isEmpty {
      return Finding(
        "camera", "camera", .bad, "\(first.name): \(first.fault ?? "Backdrop cannot use it")",
        hint: first.hint ?? .seeCameras, isEssential: true)
    }
    guard !usable.isEmpty else {
      return Finding(
        "camera", "camera", .bad, "no camera is connected",
        hint: .startSimulation, isEssential: true)
    }
    if usable.allSatisfy({ $0.holder != nil }) {
      return Finding(
        "camera", "camera", .advice, names.joined(separator: "; "), hint: "close the program that uses it",
        isEssential: true)
    }
    guard usable.contains(where: { $0.interface != Cameras.phoneInterface }) else {
      return Finding(
        "camera", "camera", .advice, names.joined(separator: "; "),
        hint: IPhones.startStream, isEssential: true)
    }
    return Finding("camera", "camera", .good, names.joined(separator: "; "), isEssential: true)
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
    let ways = [pipeWire, loopback].filter { $0.state == .good }.map(\.title)
    guard ways.isEmpty else {
      return Finding(
        "output", "way to call programs", .good, "by \(ways.joined(separator: " and by "))", isEssential: true)
    }
    // Other programs can use a device that Chromium does not list.
    guard loopback.state != .advice || !hasDevice else {
      return Finding(
        "output", "way to call programs", .advice, "by \(loopback.title), but only some programs see it",
        hint: loopback.hint, isEssential: true)
    }
    return Finding(
      "output", "way to call programs", .bad, "neither \(pipeWire.title) nor \(loopback.title) is ready",
      hint: Hint([pipeWire.hint, loopback.hint].compactMap { $0?.text }.joined(separator: "; or ")),
      isEssential: true)
  }

  static func encoders() -> Finding {
    let all = VideoSettings.Codec.allCases
    let missing = all.filter { !$0.isAvailable }.map(\.rawValue)
    let there = all.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")
    guard !missing.isEmpty else { return Finding("encoders", "encoders for recording", .good, there) }
    return Finding(
      "encoders", "encoders for recording", .advice,
      "not available: \(missing.joined(separator: ", "))" + (there.isEmpty ? "" : "; available: \(there)"),
      hint: "install FFmpeg's libraries with all encoders: sudo apt install libavcodec-extra")
  }
}
