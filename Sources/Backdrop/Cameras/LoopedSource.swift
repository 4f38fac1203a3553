import Libc

/// Plays a file or the simulated camera as a camera: it delivers frames at their own times, and starts again at the end.
final class LoopedSource: LiveSource {
  let name: String
  let modeText: String
  let hasDepth: Bool
  let rate: Double
  /// Whether the clock's milliseconds are drawn into the pictures, for `sim:…?timecode=1`.
  private let hasTimeCode: Bool
  private var input: SceneInput
  private var upcoming: (frame: Scene, due: Double)?
  /// The clock's time at the start of this round, and the end of the round on the input's own clock.
  private var start = MonotonicClock.seconds
  private var roundEnd = 0.0
  private var firstTime: Double?
  private var count = 0
  /// The longest delay, in seconds, that the source catches up with; after a longer one it moves its start time.
  private static let timeout = 0.5

  init(_ name: String, request: CameraRequest) throws(BackdropError) {
    self.name = name
    let (address, hasTimeCode) = Self.withoutTimeCode(name)
    self.hasTimeCode = hasTimeCode
    let input = try Self.open(address, request)
    self.input = input
    hasDepth = input.providesDepth
    rate = input.isStill ? request.rate : input.framesPerSecond
    modeText = "\(input.width)×\(input.height) \(input.format.rawValue), \(brief(rate))/s"
  }

  /// Refuses the address of an unknown simulated camera.
  static func check(simulation name: String) throws(BackdropError) {
    _ = try SimulatedCamera.Settings(withoutTimeCode(name).address)
  }

  private static func withoutTimeCode(_ name: String) -> (address: String, hasTimeCode: Bool) {
    let parts = name.split(separator: "?", maxSplits: 1)
    let query = parts.count == 2 ? parts[1].split(separator: "&") : []
    guard SimulatedCamera.isAddress(name), query.contains("timecode=1") else { return (name, false) }
    let plain = query.filter { $0 != "timecode=1" }.joined(separator: "&")
    return (parts[0] + (plain.isEmpty ? "" : "?" + plain), true)
  }

  /// Opens the input. A simulated camera takes the size and rate from the request where its address gives none.
  private static func open(_ name: String, _ request: CameraRequest) throws(BackdropError) -> SceneInput {
    guard SimulatedCamera.isAddress(name) else { return try SceneInput.open(name) }
    var address = name
    for (key, value) in [
      ("size", "\(request.width)x\(request.height)"), ("fps", brief(request.rate)), ("seconds", "3600"),
    ]
    where !name.contains("\(key)=") {
      address += (address.contains("?") ? "&" : "?") + "\(key)=\(value)"
    }
    return try SceneInput.open(address)
  }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    if upcoming == nil { upcoming = try read() }
    guard let (frame, due) = upcoming else { return nil }
    let now = MonotonicClock.seconds
    if due > now {
      usleep(UInt32(max(0, min(due - now, seconds)) * 1e6))
      guard MonotonicClock.seconds >= due - 0.0005 else { return nil }
    } else if now - due > Self.timeout {
      start += now - due
    }
    upcoming = nil
    var timed = frame
    timed.time = due
    let taken = max(due, now)
    if hasTimeCode { TimeCode.draw(UInt32(truncatingIfNeeded: Int(taken * 1000)), on: &timed.image) }
    return LiveSample(.frame(timed), seconds: taken)
  }

  private func read() throws(BackdropError) -> (Scene, Double) {
    if input.isStill, count > 0 { try rewind() }
    if let scene = try input.next() { return scheduled(scene) }
    guard count > 0 else { throw BackdropError.noFrame(in: name) }
    try rewind()
    guard let scene = try input.next() else {
      throw BackdropError(.system, "Backdrop cannot go back to the input's beginning", path: name)
    }
    return scheduled(scene)
  }

  /// The scene, and when it is due.
  private func scheduled(_ scene: Scene) -> (Scene, Double) {
    let first = firstTime ?? scene.time
    firstTime = first
    count += 1
    let length = scene.ticks.map { Double($0.duration) * input.timeBase.value } ?? 0
    roundEnd = input.isStill ? 1 / max(rate, 1) : scene.time - first + (length > 0 ? length : 1 / max(rate, 1))
    return (scene, start + scene.time - first)
  }

  private func rewind() throws(BackdropError) {
    start += roundEnd
    firstTime = nil
    count = 0
    input = try SceneInput.open(input.name)
  }
}
