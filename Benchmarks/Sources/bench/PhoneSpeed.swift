import ArgumentParser
import Backdrop
import BackdropLive
import BackdropSimulation
import Foundation
import TestSupport

/// Measures a live session of the command with an iPhone's frames: 1280×720 JPEG and 640×480 depth from a simulated usbmuxd and Record3D.
///
/// Reads the session's status every second, and its processor time and memory from the system. A matte from the phone's depth runs no
/// network, so all time except the matte's is the session's.
enum PhoneSpeed {
  /// - Parameters:
  ///   - rate: frames a second.
  ///   - seconds: the time to measure, after four seconds.
  ///   - unplugs: the number of disconnections of half a second, after that time.
  static func run(rate: Double, seconds: Double, unplugs: Int, json: Bool) throws {
    let phone = StandInPhone()
    let camera = try SimulatedCamera(address: "sim:talking?size=1280x720&depth=640x480&seconds=2")
    let messages = try (0..<30).map { StandInPhone.message(try StandInPhone.body(of: camera.frame($0).frame)) }
    phone.state.withLock {
      // Forwards and backwards, to avoid jumps in the loop.
      $0.messages = messages + messages.dropFirst().dropLast().reversed()
      $0.sending = .rate(rate)
    }
    let folder = NSTemporaryDirectory() + "bench-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let socket = folder + "/s"
    let command = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/backdrop"
    let session = try Program(
      command,
      [
        "live", "iphone:", "--no-config", "--matte", "depth", "-o", "null", "--always-on", "--size", "1280x720",
        "--fps",
        String(rate), "--socket", socket, "-q",
      ],
      errors: STDERR_FILENO, environment: ["USBMUXD_SOCKET_ADDRESS": phone.address])
    defer { session.send(SIGINT) }
    try wait("the first picture") { (try? status(socket))?.showing == .scene }
    Thread.sleep(forTimeInterval: 4)

    let (first, start) = (try status(socket), ContinuousClock.now)
    let (processor, sent) = (try processorSeconds(of: session), phone.state.withLock { $0.sent })
    var (memory, latency50, latency95, steps): ([Double], [Double], [Double], Set<Int>) = ([], [], [], [])
    while ContinuousClock.now < start + .seconds(seconds) {
      Thread.sleep(forTimeInterval: 1)
      let now = try status(socket)
      guard now.showing == .scene else {
        throw ValidationError("the standby frame is shown: \(now.reason ?? "")")
      }
      memory.append(try residentMegabytes(of: session))
      latency50.append(now.latency50)
      latency95.append(now.latency95)
      steps.insert(now.loadStep)
    }
    let last = try status(socket)
    let passed = (ContinuousClock.now - start) / .seconds(1)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(session.identifier)/fd").count
    let cores = (try processorSeconds(of: session) - processor) / passed
    let sentNow = phone.state.withLock { $0.sent }
    var numbers: [(String, Double)] = [
      ("rate", rate), ("seconds", passed),
      ("sent", Double(sentNow - sent)), ("dropped", Double(last.dropped - first.dropped)),
      ("cores", cores),
      ("latency50_ms", median(latency50)), ("latency95_ms", median(latency95)),
      ("latency95_max_ms", latency95.max() ?? 0),
      ("memory_first_mb", memory.prefix(5).max() ?? 0), ("memory_last_mb", memory.suffix(5).max() ?? 0),
      ("descriptors", Double(descriptors)), ("load_step_max", Double(steps.max() ?? 0)),
    ]

    var back: [Double] = []
    for _ in 0..<unplugs {
      phone.plug([])
      try wait("the standby frame") { try status(socket).showing == .standby }
      Thread.sleep(forTimeInterval: 0.5)
      phone.plug([StandInPhone.Phone()])
      let plugged = ContinuousClock.now
      try wait("the picture after the phone is back") { try status(socket).showing == .scene }
      back.append((ContinuousClock.now - plugged) / .seconds(1))
      Thread.sleep(forTimeInterval: 0.5)
    }
    if unplugs > 0 {
      numbers += [("unplugs", Double(unplugs)), ("back_s", median(back)), ("back_max_s", back.max() ?? 0)]
    }
    let texts = numbers.map { name, number in
      json ? "\"\(name)\": \(String(format: "%.2f", number))" : "\(name) \(String(format: "%.2f", number))"
    }
    print(
      json
        ? "{\"workload\": \"iphone\", \(texts.joined(separator: ", "))}"
        : "iphone: \(texts.joined(separator: "  "))")
  }

  private static func status(_ socket: String) throws -> LiveStatus { try ControlSocket.send(.status, to: socket) }

  private static func wait(_ name: String, until isSo: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !isSo() {
      guard ContinuousClock.now < end else { throw ValidationError("\(name) did not come within a minute") }
      usleep(5_000)
    }
  }

  private static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

  /// The time of all threads, in user and system mode (`proc(5)`: fields 14 and 15 of `stat`).
  private static func processorSeconds(of program: Program) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(program.identifier)/stat", encoding: .utf8)
    // The name in parentheses may contain spaces.
    let fields = text.drop { $0 != ")" }.split(separator: " ")
    let ticks = fields[12...13].compactMap { Double($0) }.reduce(0, +)
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func residentMegabytes(of program: Program) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(program.identifier)/statm", encoding: .utf8)
    return (Double(text.split(separator: " ")[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
  }
}
