import Backdrop
import BackdropCameras
import BackdropDepth
import BackdropImaging
import BackdropLive
import BackdropModels
import Foundation
import Synchronization
import Testing

/// A room with a person, each in one colour, and tools for checking a session's pictures of them. The real background is magenta, the
/// person grey, the new background green; nothing else is magenta.
final class TestStage: Sendable {
  static let width = 128, height = 96
  /// The person is this part of the picture, in both directions.
  private static let person = 0.3..<0.7

  struct State {
    var opened = 0, closed = 0
    /// Errors returned by opening, in order.
    var refusals: [BackdropError] = []
    /// Errors returned by the next reads.
    var failures: [BackdropError] = []
    var isStalled = false
    var hasDepth = true
    var depthIsEmpty = false
    var everythingIsNear = false
  }

  let state = Mutex(State())
  let inputs = Mutex<LiveInputs?>(nil)

  static func settings(camera: String) -> LiveSettings {
    var settings = LiveSettings()
    settings.camera = camera
    settings.request = CameraRequest(width: width, height: height, rate: 100)
    settings.background = "#00C000"
    settings.backgrounds = ["#00C000", "#0000C0"]
    settings.analysis.mattes = .depth
    settings.analysis.followsFace = false
    settings.values = ["radius": 0.6]
    return settings
  }

  func make(
    _ edit: (inout LiveSettings) -> Void = { _ in },
    faults: (@Sendable (LiveSession.Step) throws(BackdropError) -> Void)? = nil
  ) throws -> LiveSession {
    var settings = Self.settings(camera: "stage:")
    edit(&settings)
    let inputs = LiveInputs { [self] (address, _) throws(BackdropError) in
      guard address.hasPrefix("stage:") else { return nil }
      let refusal = state.withLock { state -> BackdropError? in
        guard state.refusals.isEmpty else { return state.refusals.removeFirst() }
        state.opened += 1
        return nil
      }
      if let refusal { throw refusal }
      return StageSource(self)
    }
    return try LiveSession(settings, inputs: inputs, networks: ModelCache(), faults: faults)
  }

  /// Starts a session whose pictures `judge` gets.
  func begin(_ judge: Judge, _ edit: (inout LiveSettings) -> Void = { _ in }) throws -> LiveSession {
    let session = try make(edit)
    session.add(judge)
    try session.start()
    return session
  }

  func frame(at seconds: Double) -> Scene {
    let (hasDepth, isEmpty, isNear) = state.withLock { ($0.hasDepth, $0.depthIsEmpty, $0.everythingIsNear) }
    var image = Image(.bgra8, width: Self.width, height: Self.height)
    var metres = Plane<Float>(repeating: .nan, width: Self.width, height: Self.height)
    for y in 0..<Self.height {
      var row = image.mutableRow(y)
      var distances = metres.mutableRow(y)
      for x in 0..<Self.width {
        let isPerson =
          Self.person.contains(Double(x) / Double(Self.width)) && Self.person.contains(Double(y) / Double(Self.height))
        let color: [UInt8] = isPerson ? [128, 128, 128, 255] : [255, 0, 255, 255]
        for channel in 0..<4 { row[4 * x + channel] = color[channel] }
        if !isEmpty { distances[x] = isPerson || isNear ? 0.7 : 3 }
      }
    }
    return Scene(image: image, depth: hasDepth ? DepthMap(metres: metres) : nil, faces: [], time: seconds)
  }
}

/// Frames of the stage, a hundred for each second.
private final class StageSource: LiveSource {
  let name = "stage"
  let modeText = "128×96"
  let hasDepth = true
  let rate = 100.0
  private let stage: TestStage

  init(_ stage: TestStage) { self.stage = stage }
  deinit { stage.state.withLock { $0.closed += 1 } }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    usleep(10_000)
    let (failure, isStalled) = stage.state.withLock { state in
      (state.failures.isEmpty ? nil : state.failures.removeFirst(), state.isStalled)
    }
    if let failure { throw failure }
    guard !isStalled else { return nil }
    let now = MonotonicClock.seconds
    return LiveSample(.frame(stage.frame(at: now)), seconds: now)
  }
}

/// An output that judges every picture it gets.
final class Judge: BroadcastSink {
  struct Count {
    var pictures = 0, standby = 0, people = 0, exposed = 0, backwards = 0
    var last = -Double.infinity
    var isWatched = true
    var lastImage: Image?
  }

  let name = "judge"
  let count = Mutex(Count())
  var isWatched: Bool { count.withLock { $0.isWatched } }
  let isPublic: Bool
  var counts: Count { count.withLock { $0 } }

  init(isPublic: Bool = true) { self.isPublic = isPublic }

  func show(_ rendering: Rendering) {
    judge(rendering.image, isStandby: rendering.isStandby, time: rendering.time)
  }

  func judge(_ image: Image, isStandby: Bool, time: Double) {
    let rgb = image.converted(to: .bgra8)
    var (magenta, grey) = (0, 0)
    for y in 0..<rgb.height {
      let row = rgb.row(y)
      for x in 0..<rgb.width {
        let (blue, green, red) = (Int(row[4 * x]), Int(row[4 * x + 1]), Int(row[4 * x + 2]))
        // At the person's soft edge a little of the real background may shine through; twelve pixels away it must not.
        let isFar = !(26...102).contains(x) || !(16...80).contains(y)
        if min(red, blue) - green > (isFar ? 24 : 160) { magenta += 1 }
        if max(abs(red - green), abs(blue - green)) < 12 && green > 60 { grey += 1 }
      }
    }
    count.withLock { count in
      count.pictures += 1
      if magenta > 0 { count.exposed += 1 }
      if grey > 500 { count.people += 1 }
      if isStandby { count.standby += 1 }
      if time < count.last { count.backwards += 1 }
      count.last = time
      count.lastImage = image
    }
  }

  func close() {}
}
