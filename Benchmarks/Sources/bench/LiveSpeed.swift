import ArgumentParser
import Backdrop
import BackdropCameras
import BackdropDepth
import BackdropImaging
import BackdropLive
import BackdropMatting
import BackdropModels
import BackdropSimulation
import Foundation

/// Measures the processor time of a live session for some seconds. Its frames are in memory and arrive at their normal rate, like those of
/// a camera without cost. Also prints the time that the networks alone need for a matte of the same frames.
enum LiveSpeed {
  /// - Parameters:
  ///   - clip: a video or `sim:…`.
  ///   - mattes: the source of the mattes.
  ///   - changesLight: whether exposure and a key light are on; the difference from a run without them is their cost.
  static func run(
    clip: String, mattes: MatteChoice, quality: PersonMatteMaker.Quality, size: Size, rate: Double,
    mattesPerSecond: Double?, changesLight: Bool, seconds: Double, json: Bool
  ) throws {
    let frames = try frames(of: clip, size)
    var settings = LiveSettings()
    settings.analysis.mattes = mattes
    settings.analysis.quality = quality
    settings.analysis.person.mattesPerSecond = mattesPerSecond
    settings.request = CameraRequest(width: size.width, height: size.height, rate: rate)
    settings.alwaysOn = true
    if changesLight { (settings.drawing.light.exposure, settings.drawing.light.keyLight) = (1, 1) }
    let inputs = LiveInputs { _, _ throws(BackdropError) in PreparedSource(frames, rate: rate) }
    let session = try LiveSession(settings, inputs: inputs)
    let output = NullOutput()
    session.add(output)
    try session.start()
    defer { session.stop() }
    // Time for loading the networks and measuring the noise.
    Thread.sleep(forTimeInterval: 4)
    let before = (processorSeconds, ContinuousClock.now)
    Thread.sleep(forTimeInterval: seconds)
    let passed = (ContinuousClock.now - before.1) / .seconds(1)
    let share = 100 * (processorSeconds - before.0) / passed
    let status = session.status
    guard status.showing == .scene else {
      throw ValidationError("the standby frame is shown: \(status.reason ?? "")")
    }
    let alone = quality == .live && mattes != .depth ? try networkAlone(frames) : nil
    var numbers: [(String, Double)] = [
      ("cpu_percent", share), ("frames_out", status.framesOut), ("mattes", status.mattes),
      ("latency50_ms", status.latency50), ("latency95_ms", status.latency95), ("dropped", Double(status.dropped)),
      ("load_step", Double(status.loadStep)),
    ]
    if status.mattes > 0 { numbers.append(("ms_a_matte", 10 * share / status.mattes)) }
    if let alone {
      numbers += [("network_ms", alone), ("of_the_network", 10 * share / status.mattes / alone)]
    }
    let texts = numbers.map { ($0.0, String(format: "%.2f", $0.1)) }
    print(
      json
        ? "{\"workload\": \"live\", \"mattes\": \"\(mattes.rawValue)\", \"size\": \"\(size)\", \"rate\": \(rate), "
          + texts.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
        : "live \(mattes.rawValue) \(size) \(rate)/s: "
          + texts.map { "\($0.0) \($0.1)" }.joined(separator: "  "))
  }

  /// The milliseconds of processor time that the networks need for a matte, including networks that run only occasionally.
  private static func networkAlone(_ frames: [Scene]) throws -> Double {
    let descriptions = ["selfie-landscape", "selfie-general"].compactMap(NetworkDescription.named)
    let networks = try ModelCache().networks(descriptions, classes: nil, threads: 1).map { TimedNetwork($0) }
    let maker = try PersonMatteMaker(networks, workers: WorkerPool(threads: 1))
    var matte = Matte(constant: 0, width: 1, height: 1)
    // Warm up without measuring.
    for frame in frames.prefix(30) { try maker.update(&matte, from: frame.image, at: frame.time) }
    for network in networks { network.seconds = 0 }
    var mattes = 0
    for frame in frames {
      let runs = maker.runCount
      try maker.update(&matte, from: frame.image, at: frame.time)
      mattes += min(1, maker.runCount - runs)
    }
    return 1000 * networks.map(\.seconds).reduce(0, +) / Double(max(1, mattes))
  }

  private static func frames(of clip: String, _ size: Size) throws -> [Scene] {
    let name = SimulatedCamera.isAddress(clip) ? clip + "?size=\(size)&seconds=3" : clip
    var input = try SceneInput.open(name)
    guard (input.width, input.height) == (size.width, size.height) else {
      throw ValidationError("\(clip) is \(input.width)x\(input.height), not \(size)")
    }
    var frames: [Scene] = []
    while frames.count < 90, var frame = try input.next() {
      frame.image = frame.image.converted(to: .i420, color: .video)
      frames.append(frame)
    }
    // Forwards and backwards, to avoid jumps in the loop.
    return frames + frames.dropFirst().dropLast().reversed()
  }

  fileprivate static var processorSeconds: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }
  /// The clock of a session's samples.
  fileprivate static var now: Double { seconds(CLOCK_MONOTONIC) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// A network that measures the time of its runs.
private final class TimedNetwork: PersonSegmenting {
  private let network: PersonNetwork
  /// Processor time, if nothing else runs in this program.
  var seconds = 0.0

  init(_ network: PersonNetwork) { self.network = network }

  var small: Image { network.small }
  var isAveraged: Bool { network.isAveraged }
  var hasMemory: Bool { network.hasMemory }
  func reset() { network.reset() }
  func load(_ image: Image, frame: IntegerRect?) throws(BackdropError) { try network.load(image, frame: frame) }
  func run(into matte: inout Matte) throws(BackdropError) {
    let before = LiveSpeed.processorSeconds
    try network.run(into: &matte)
    seconds += LiveSpeed.processorSeconds - before
  }
}

/// Frames at their normal rate.
private final class PreparedSource: LiveSource {
  let name = "prepared frames"
  let modeText = ""
  let hasDepth: Bool
  let rate: Double
  private let frames: [Scene]
  private let start = LiveSpeed.now
  private var count = 0

  init(_ frames: [Scene], rate: Double) {
    self.frames = frames
    self.rate = rate
    hasDepth = frames[0].depth != nil
  }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    let due = start + Double(count) / rate
    let wait = due - LiveSpeed.now
    guard wait <= seconds else {
      Thread.sleep(forTimeInterval: seconds)
      return nil
    }
    if wait > 0 { Thread.sleep(forTimeInterval: wait) }
    var frame = frames[count % frames.count]
    frame.time = due
    count += 1
    return LiveSample(.frame(frame), seconds: LiveSpeed.now)
  }
}
