import BackdropCameras
import BackdropDepth
import BackdropImaging
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Backdrop

/// Cameras and videos as sequences of scenes: waiting and skipped scenes, and the cleanup at the end of a loop.
@Suite struct SceneStreamTests {
  /// Counts the calls to a simulated camera.
  private final class Log: Sendable {
    let opened = Atomic(0), closed = Atomic(0), given = Atomic(0), taken = Atomic(0)
    var isOpen: Bool { opened.load(ordering: .acquiring) != closed.load(ordering: .acquiring) }
    /// Waits until everything opened is closed.
    func closes() async throws { try await waiting(for: "the camera is closed") { !isOpen } }
  }

  /// A camera that returns pictures with their number as pixels, and an error instead of one of them.
  private final class MadeCamera: LiveSource {
    let name = "made", modeText = "1×1", hasDepth = false, rate = 1000.0
    private let log: Log
    private let count: Int
    private let faults: [Int: BackdropError]
    private var number = 0

    init(_ log: Log, count: Int, faults: [Int: BackdropError]) {
      (self.log, self.count, self.faults) = (log, count, faults)
      log.opened.add(1, ordering: .acquiringAndReleasing)
    }

    deinit { log.closed.add(1, ordering: .acquiringAndReleasing) }

    func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
      usleep(1000)
      number += 1
      if let fault = faults[number] { throw fault }
      guard number <= count else {
        usleep(UInt32(seconds * 1e6))
        return nil
      }
      var plane = Plane<UInt8>(repeating: 0, width: 4, height: 1)
      for digit in 0..<4 { plane[digit, 0] = UInt8(number >> (8 * digit) & 255) }
      log.given.add(1, ordering: .acquiringAndReleasing)
      return LiveSample(.picture(Image(gray: plane)), seconds: 10 + Double(number) / 100)
    }
  }

  private func camera(
    _ log: Log, delivery: SceneStream.Delivery = .newest, count: Int = .max, faults: [Int: BackdropError] = [:]
  ) throws -> Camera {
    try Camera(
      "made:camera", delivery: delivery,
      inputs: LiveInputs { address, _ throws(BackdropError) in
        guard address == "made:camera" else { return nil }
        return MadeCamera(log, count: count, faults: faults)
      })
  }

  private func number(_ scene: Scene) -> Int {
    let plane = scene.image.plane(0, as: UInt8.self)
    return (0..<4).reduce(0) { $0 + Int(plane[$1, 0]) << (8 * $1) }
  }

  @Test func nothingIsOpenedBeforeTheFirstScene() async throws {
    let log = Log()
    let scenes = try camera(log).scenes
    var iterator = scenes.makeAsyncIterator()
    #expect(log.opened.load(ordering: .acquiring) == 0)
    let first = try #require(try await iterator.next())
    #expect(log.opened.load(ordering: .acquiring) == 1 && first.time == 0)
  }

  @Test func everySceneComesInOrderToASlowReader() async throws {
    let log = Log()
    var seen: [Int] = []
    for try await scene in try camera(log, delivery: .every).scenes.prefix(12) {
      seen.append(number(scene))
      try await Task.sleep(for: .milliseconds(5))
      // The taken scenes, one that waits, and one inside the source.
      #expect(log.given.load(ordering: .acquiring) <= seen.count + 2)
    }
    #expect(seen == Array(1...12))
    try await log.closes()
  }

  @Test func aSlowReaderGetsTheNewest() async throws {
    let log = Log()
    var seen: [Int] = []
    for try await scene in try camera(log).scenes.prefix(5) {
      seen.append(number(scene))
      let given = log.given.load(ordering: .acquiring)
      // The camera gives ten more scenes meanwhile, of which one may already wait.
      try await waiting(for: "the camera goes on") { log.given.load(ordering: .acquiring) >= given + 10 }
    }
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $1 >= $0 + 8 }, "scenes were kept that nobody took: \(seen)")
    try await log.closes()
  }

  @Test func leavingTheLoopClosesTheCamera() async throws {
    let log = Log()
    for try await _ in try camera(log, count: 3).scenes { break }
    try await log.closes()
  }

  /// When a cancelled loop returns, the camera is closed, whether the loop waited for a scene or had not begun.
  @Test(arguments: [0, 3, .max]) func cancellationClosesTheCameraFirst(count: Int) async throws {
    let log = Log()
    let camera = try camera(log, count: count)
    let task = Task {
      var seen = 0
      for try await _ in camera.scenes {
        seen += 1
        log.taken.store(seen, ordering: .releasing)
      }
      return (seen, log.isOpen)
    }
    // Other tests may occupy the pool.
    try await waiting(for: "the loop waits for a scene") {
      log.opened.load(ordering: .acquiring) == 1 && (count == 0 || log.taken.load(ordering: .acquiring) > 0)
    }
    task.cancel()
    let (seen, isOpen) = try await task.value
    #expect(!isOpen, "the loop returned before the camera was closed")
    #expect(count == 0 ? seen == 0 : seen > 0)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in camera.scenes { Issue.record("a scene for a cancelled task") }
    }
    try await early.value
    #expect(log.opened.load(ordering: .acquiring) == 1, "a cancelled loop opened the camera")
  }

  @Test func oneBadPictureIsPassedOverAndALostCameraEndsTheStream() async throws {
    let log = Log()
    let bad = BackdropError(.badData, "half a picture")
    let lost = BackdropError(.system, "the camera was disconnected")
    var iterator = try camera(log, delivery: .every, faults: [2: bad, 5: lost]).scenes.makeAsyncIterator()
    var seen: [Int] = []
    do {
      while let scene = try await iterator.next() { seen.append(number(scene)) }
      Issue.record("the stream did not throw")
    } catch {
      #expect(error == lost)
    }
    #expect(seen == [1, 3, 4])
    #expect(try await iterator.next() == nil)
    #expect(!log.isOpen)
  }

  @Test func timesCountFromTheFirstScene() async throws {
    let log = Log()
    var times: [Double] = []
    for try await scene in try camera(log, delivery: .every).scenes.prefix(3) { times.append(scene.time) }
    #expect(zip(times, [0, 0.01, 0.02]).allSatisfy { abs($0 - $1) < 1e-9 }, "\(times)")
  }

  @Test func aVideoHasAllItsScenesTwice() async throws {
    let video = try Video("sim:talking?size=64x48&fps=10&seconds=1")
    #expect(video.width == 64 && video.height == 48 && video.framesPerSecond == 10 && video.hasDepth)
    for _ in 0..<2 {
      var times: [Double] = []
      for try await scene in video.scenes {
        times.append(scene.time)
        #expect(scene.depth != nil)
      }
      #expect(times.count == 10 && times == times.sorted())
    }
  }

  /// After playing a file as a camera or video, no descriptor remains open.
  @Test func noDescriptorIsLeft() async throws {
    let folder = TemporaryFolder()
    try FacadeTests.film(folder.file("talk.mkv"))
    func open() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)) == folder.file("talk.mkv")
      }
    }
    let video = try Video(folder.file("talk.mkv"))
    #expect(try open() == 0)
    var most = 0
    for try await _ in video.scenes { most = max(most, try open()) }
    #expect(most == 1)
    #expect(try open() == 0)
    let camera = try Camera(folder.file("talk.mkv"))
    let task = Task { () throws in
      for try await _ in camera.scenes { try Task.checkCancellation() }
      return try open()
    }
    try await waiting(for: "the file is open") { try open() == 1 }
    task.cancel()
    _ = await task.result
    try await waiting(for: "the file is closed") { try open() == 0 }
  }

  @Test(arguments: ["sim:nowhere", "/nowhere/camera.mp4", "", "-"]) func whatIsNoCameraIsRefused(address: String) {
    let error = refusal { try Camera(address) }
    #expect(error?.kind == .wrongArgument && error?.hint != nil)
  }

  @Test func whatIsNoVideoIsRefused() throws {
    let folder = TemporaryFolder()
    try Picture(Image(.rgb8, width: 8, height: 8)).write(to: folder.file("a.png"))
    for path in ["-", folder.file("a.png"), folder.file("none.mp4"), "sim:nowhere"] {
      let error = refusal { try Video(path) }
      #expect(error?.kind == .wrongArgument, "\(path): \(String(describing: error))")
    }
  }
}
