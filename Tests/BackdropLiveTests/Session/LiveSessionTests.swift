import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropPhotos
import BackdropVideo
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropLive

/// The outputs must never get the real background, whatever happens; and the session must recover by itself.
@Suite(.serialized) struct LiveSessionTests {
  @Test func showsThePersonBeforeTheBackground() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 10 }
    let status = session.status
    #expect(status.showing == .scene && status.isCameraOn && status.hasDepth && status.watchers == 1)
    session.stop()
    #expect(judge.counts.exposed == 0)
    #expect(judge.counts.backwards == 0)
    // The session shows the standby frame before the first matte.
    #expect(judge.counts.standby >= 1)
  }

  /// Each step fails sometimes, and then always: outputs never show the real background, and occasional failures do not stop the session.
  @Test(arguments: LiveSession.Step.allCases) func faultsShowTheStandbyFrame(step: LiveSession.Step) throws {
    let (stage, judge) = (TestStage(), Judge())
    let calls = Mutex((count: 0, isBroken: false, isOn: true))
    let session = try stage.make { _ in
    } faults: { (passed) throws(BackdropError) in
      guard passed == step else { return }
      let fails = calls.withLock { calls in
        calls.count += 1
        return calls.isOn && (calls.isBroken || calls.count % 3 == 0)
      }
      if fails { throw BackdropError(.badData, "a fault for the test") }
    }
    session.add(judge)
    try session.start()
    // The session removes an output that throws, so the judge gets no more pictures.
    guard step != .show else {
      eventually("the output is taken out") { session.drainNotes().contains { $0.text.contains("judge ends") } }
      session.stop()
      #expect(judge.counts.exposed == 0)
      return
    }
    eventually("the person is seen now and then") { judge.counts.people > 3 }
    calls.withLock { $0.isBroken = true }
    if step == .draw {
      // The picture that was being drawn has gone out once two more standby frames came.
      let standby = judge.counts.standby
      eventually("the standby frame is shown") { judge.counts.standby > standby + 1 }
      #expect(session.status.reason == "a fault for the test")
      let people = judge.counts.people
      eventually("it goes on") { judge.counts.standby > standby + 20 }
      #expect(judge.counts.people == people)
    }
    calls.withLock { $0.isOn = false }
    let people = judge.counts.people
    eventually("it recovers") { judge.counts.people > people + 5 }
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func depthThatFailsShowsTheStandbyFrame() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    for (name, edit) in [
      ("no depth", { $0.hasDepth = $1 }), ("holes only", { $0.depthIsEmpty = !$1 }),
      ("everything near", { $0.everythingIsNear = !$1 }), ("no pictures", { $0.isStalled = !$1 }),
    ] as [(String, (inout TestStage.State, Bool) -> Void)] {
      stage.state.withLock { edit(&$0, false) }
      eventually(name) { session.status.showing == .standby && session.status.reason != nil }
      stage.state.withLock { edit(&$0, true) }
      eventually(name) { session.status.showing == .scene }
    }
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func aCameraThatGoesComesBack() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    stage.state.withLock { state in
      state.failures = [BackdropError(.system, "unplugged")]
      state.refusals = [BackdropError(.system, "no such camera", hint: "plug it in")]
    }
    eventually("the standby frame says why") { session.status.reason == "no such camera" }
    #expect(session.status.hint == "plug it in")
    eventually("it is back") { session.status.showing == .scene && stage.state.withLock { $0.opened } == 2 }
    let notes = session.drainNotes().map(\.text).joined(separator: "\n")
    #expect(
      notes.contains("Backdrop lost the camera: unplugged") && notes.contains("the camera is back: stage (128×96)"))
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func unpluggedTwoHundredTimes() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    for round in 1...200 {
      eventually("round \(round)") { stage.state.withLock { $0.opened } >= round && session.status.isCameraOn }
      stage.state.withLock { $0.failures = [BackdropError(.system, "unplugged")] }
      eventually("round \(round) ends") { stage.state.withLock { $0.failures.isEmpty } }
      // The next attempt comes a second later; selecting another camera does not wait.
      try session.perform(.camera("stage:\(round)"))
    }
    session.stop()
    #expect(stage.state.withLock { $0.opened == $0.closed })
    #expect(judge.counts.exposed == 0)
  }

  @Test func theCameraRunsOnlyWhileSomebodyLooks() throws {
    let (stage, judge) = (TestStage(), Judge())
    judge.count.withLock { $0.isWatched = false }
    let session = try stage.begin(judge)
    eventually("idle pictures come") { judge.counts.pictures > 3 }
    #expect(stage.state.withLock { $0.opened } == 0)
    judge.count.withLock { $0.isWatched = true }
    eventually("the person is seen") { judge.counts.people > 3 }
    judge.count.withLock { $0.isWatched = false }
    eventually("the camera is off") { stage.state.withLock { $0.closed } == 1 }
    #expect(!session.status.isCameraOn)
    // The next viewer must not see an old picture.
    let (people, pictures) = (judge.counts.people, judge.counts.pictures)
    eventually("idle pictures come again") { judge.counts.pictures > pictures + 10 }
    #expect(judge.counts.people == people)
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func standbyAndPauseShowTheStandbyFrameAtOnce() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    try session.perform(.standby(true))
    let (people, standby) = (judge.counts.people, judge.counts.standby)
    eventually("the standby frame") { session.status.showing == .standby && judge.counts.standby > standby + 2 }
    #expect(judge.counts.people == people)
    try session.perform(.standby(false))
    eventually("the person again") { judge.counts.people > people }
    try session.perform(.pause(nil))
    eventually("the camera is off") { stage.state.withLock { $0.closed } == 1 }
    #expect(session.status.showing == .standby && session.status.isPaused)
    try session.perform(.pause(nil))
    eventually("the camera is on") { stage.state.withLock { $0.opened } == 2 }
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func freezeHoldsThePicture() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    try session.perform(.freeze(true))
    eventually("it is held") { session.status.showing == .frozen }
    let (last, pictures) = (judge.counts.last, judge.counts.pictures)
    eventually("the held picture is repeated") { judge.counts.pictures > pictures + 10 }
    #expect(judge.counts.last == last)
    try session.perform(.freeze(nil))
    eventually("it goes on") { judge.counts.last > last }
    session.stop()
  }

  @Test func backgroundsChange() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    func corner() -> [UInt8]? {
      judge.counts.lastImage?.converted(to: .bgra8).row(2).withUnsafeBytes { Array($0[8..<11]) }
    }
    for _ in 0..<100 {
      try session.perform(.nextBackground)
      let isBlue = session.settings.background == "#0000C0"
      eventually("the corner is \(session.settings.background)") {
        corner().map { isBlue ? $0[0] > 150 && $0[1] < 40 : $0[1] > 150 && $0[0] < 40 } ?? false
      }
    }
    #expect(throws: BackdropError.self) { try session.perform(.background("/nowhere.png")) }
    #expect(throws: BackdropError.self) { try session.perform(.background("none")) }
    #expect(throws: BackdropError.self) { try session.perform(.look("nowhere")) }
    #expect(throws: BackdropError.self) { try session.perform(.set("radius", 1e9)) }
    #expect(throws: BackdropError.self) { try session.perform(.set("refine", 2)) }
    try session.perform(.set("radius", 3))
    try session.perform(.look("hologram"))
    #expect(session.settings.look == "hologram" && session.settings.values.isEmpty)
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func aPhotoHasDepthAndMatte() throws {
    let (stage, judge, folder) = (TestStage(), Judge(), TemporaryFolder())
    let session = try stage.make()
    session.add(judge)
    #expect(throws: BackdropError.self) { try session.perform(.snapshot(folder.path + "/early.jpg")) }
    try session.start()
    eventually("the person is seen") { judge.counts.people > 3 }
    for name in ["a.jpg", "a.heic"] {
      let path = folder.path + "/" + name
      try session.perform(.snapshot(path))
      let photo = try DepthPhoto.read(path)
      #expect(photo.width == TestStage.width && photo.height == TestStage.height)
      let depth = try #require(try photo.depth()).depth
      // One of 256 disparities between 1/3 and 1/0.7 per metre.
      #expect(abs((depth.depth(atX: 64, y: 48) ?? 0) - 0.7) < 0.01)
      #expect(abs((depth.depth(atX: 4, y: 4) ?? 0) - 3) < 0.05)
      let matte = try #require(try photo.matte(.portrait))
      #expect(matte[matte.width / 2, matte.height / 2] > 0.9)
      #expect(matte[1, 1] < 0.1)
      #expect(throws: BackdropError.self) { try session.perform(.snapshot(path)) }
    }
    #expect(throws: BackdropError.self) { try session.perform(.snapshot(folder.path + "/a.png")) }
    // No output needs mattes, so the session keeps none; the matte of a frozen picture is still available.
    eventually("mattes are not kept") { session.shown?.matte == nil }
    try session.perform(.freeze(true))
    eventually("it is frozen") { session.status.showing == .frozen }
    try session.perform(.snapshot(folder.path + "/frozen.jpg"))
    #expect(try DepthPhoto.read(folder.path + "/frozen.jpg").matte(.portrait) != nil)
    try session.perform(.standby(true))
    eventually("the standby frame is shown") { session.status.showing == .standby }
    #expect(throws: BackdropError.self) { try session.perform(.snapshot(folder.path + "/card.jpg")) }
    session.stop()
  }

  @Test func recordsWhatIsShown() throws {
    let (stage, judge, folder) = (TestStage(), Judge(), TemporaryFolder())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    let (path, raw) = (folder.path + "/talk.mp4", folder.path + "/talk.mkv")
    try session.perform(.record(path, raw: raw))
    #expect(throws: BackdropError.self) { try session.perform(.record(folder.path + "/b.mp4", raw: nil)) }
    let people = judge.counts.people
    eventually("some frames are shown") { judge.counts.people > people + 20 }
    try session.perform(.stopRecording)
    #expect(throws: BackdropError.self) { try session.perform(.stopRecording) }
    session.stop()
    let reader = try VideoReader(path: path)
    var frames = 0
    let colors = Judge()
    while let frame = try reader.next() {
      frames += 1
      colors.judge(frame.image, isStandby: false, time: Double(frames))
    }
    #expect(frames >= 15)
    #expect(colors.counts.exposed == 0)
    var recording = try RGBDInput.open(raw)
    let first = try #require(try recording.next())
    #expect(abs((first.depth?.depth(atX: 64, y: 48) ?? 0) - 0.7) < 0.001)
  }

  @Test func aThousandStarts() throws {
    func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    let stage = TestStage()
    var before = 0
    for round in 0..<1000 {
      let session = try stage.make()
      session.add(Judge())
      try session.start()
      if round % 50 == 0 { usleep(30_000) }
      session.stop()
      session.stop()
      if round == 20 { before = try descriptors() }
    }
    // Other tests run at the same time; one leak each time would add up to a thousand.
    #expect(try descriptors() < before + 100)
    #expect(stage.state.withLock { $0.opened == $0.closed })
  }
}
