import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropLive

/// What a command hides does not go out after the command has returned, wherever the picture in progress is at that moment.
@Suite(.serialized) struct HidingTests {
  /// Stops the drawing thread once, at a step.
  final class Gate: Sendable {
    private let isArmed = Mutex(false)
    private let reached = DispatchSemaphore(value: 0), go = DispatchSemaphore(value: 0)

    func pass() {
      let stops = isArmed.withLock { isArmed in
        defer { isArmed = false }
        return isArmed
      }
      guard stops else { return }
      reached.signal()
      go.wait()
    }

    /// Waits until the thread stands at the step.
    func close() {
      isArmed.withLock { $0 = true }
      reached.wait()
    }

    func open() { go.signal() }
  }

  private func session(
    _ stage: TestStage, _ gate: Gate, at step: LiveSession.Step, _ edit: (inout LiveSettings) -> Void = { _ in }
  ) throws -> LiveSession {
    try stage.make(edit) { passed in if passed == step { gate.pass() } }
  }

  /// The picture is on its way to the output: the command waits for it.
  @Test(arguments: [LiveCommand.standby(true), .standby(nil), .pause(true)]) func whileSending(command: LiveCommand)
    throws
  {
    let (stage, judge, gate) = (TestStage(), Judge(), Gate())
    let session = try session(stage, gate, at: .show)
    session.add(judge)
    try session.start()
    defer { session.stop() }
    for _ in 0..<10 {
      let before = judge.counts.people
      eventually("the person is seen") { judge.counts.people > before + 3 && session.status.showing == .scene }
      gate.close()
      let atReturn = Mutex<Int?>(nil)
      Thread.detachNewThread {
        do { try session.perform(command) } catch { Issue.record("\(error)") }
        atReturn.withLock { $0 = judge.counts.people }
      }
      eventually("the command is known") { session.status.isOnStandby || session.status.isPaused }
      gate.open()
      eventually("the command is done") { atReturn.withLock { $0 != nil } }
      let standby = judge.counts.standby
      eventually("the standby frame is shown") { judge.counts.standby > standby + 2 }
      #expect(judge.counts.people == atReturn.withLock { $0 })
      try session.perform(.standby(false))
      try session.perform(.pause(false))
    }
  }

  /// An output may give the command itself; the outputs after it do not get the picture.
  @Test func byAnOutput() throws {
    let (stage, first, second) = (TestStage(), Judge(), Judge())
    let wants = Mutex(false), session = Mutex<LiveSession?>(nil)
    let made = try stage.make { _ in
    } faults: { step in
      guard step == .show else { return }
      let isDue = wants.withLock { wants in
        defer { wants = false }
        return wants
      }
      guard isDue else { return }
      do { try session.withLock { $0 }?.perform(.standby(true)) } catch { Issue.record("\(error)") }
    }
    session.withLock { $0 = made }
    made.add(first)
    made.add(second)
    try made.start()
    defer {
      made.stop()
      session.withLock { $0 = nil }
    }
    eventually("the person is seen") { second.counts.people > 3 && made.status.showing == .scene }
    wants.withLock { $0 = true }
    eventually("standby") { made.status.isOnStandby && second.counts.standby > 2 }
    #expect(first.counts.people == second.counts.people + 1)
  }

  /// The picture is being drawn, with the real background in it, when that is forbidden.
  @Test func whileDrawing() throws {
    let (stage, judge, gate) = (TestStage(), Judge(), Gate())
    let session = try session(stage, gate, at: .draw) {
      ($0.showsRealBackground, $0.background) = (true, "blur:0.5")
    }
    session.add(judge)
    try session.start()
    defer { session.stop() }
    eventually("the room is seen") { judge.counts.exposed > 3 }
    gate.close()
    try session.perform(.showRealBackground(false))
    let exposed = judge.counts.exposed
    gate.open()
    eventually("it is hidden") { session.status.reason?.contains("readable") == true && judge.counts.standby > 3 }
    #expect(judge.counts.exposed == exposed)
  }

  /// A standby picture that cannot be read is refused, so that it does not keep the engine from the changes after it.
  @Test func aMissingStandbyPicture() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge) { ($0.showsRealBackground, $0.background) = (true, "blur:0.5") }
    defer { session.stop() }
    eventually("the room is seen") { judge.counts.exposed > 3 }
    #expect(throws: BackdropError.self) { try session.perform(.set("standby", .text("nowhere.png"))) }
    try session.perform(.showRealBackground(false))
    let exposed = judge.counts.exposed
    eventually("it is hidden") { session.status.reason?.contains("readable") == true && judge.counts.standby > 3 }
    #expect(judge.counts.exposed == exposed)
  }

  /// A picture that was held for the user alone, or that is being drawn for them, does not go to other people.
  @Test(arguments: [false, true]) func aViewerComes(isFrozen: Bool) throws {
    let (stage, own, others, gate) = (TestStage(), Judge(isPublic: false), Judge(), Gate())
    let session = try session(stage, gate, at: .draw) { ($0.look, $0.values) = ("noir", [:]) }
    session.add(own)
    try session.start()
    defer { session.stop() }
    eventually("the room is seen") { own.counts.people > 3 && session.status.showing == .scene }
    if isFrozen {
      try session.perform(.freeze(true))
      eventually("it is held") { session.status.showing == .frozen }
      session.add(others)
    } else {
      gate.close()
      session.add(others)
      gate.open()
    }
    eventually("others get the standby frame") { others.counts.standby > 3 }
    #expect(others.counts.people == 0)
  }

  /// A removed output gets no picture afterwards, not even the one on its way.
  @Test func whileRemoving() throws {
    let (stage, judge, gate) = (TestStage(), Judge(), Gate())
    let session = try session(stage, gate, at: .show)
    session.add(judge)
    try session.start()
    defer { session.stop() }
    eventually("the person is seen") { judge.counts.people > 3 }
    gate.close()
    let atReturn = Mutex<Int?>(nil)
    Thread.detachNewThread {
      session.remove(judge)
      atReturn.withLock { $0 = judge.counts.pictures }
    }
    eventually("it is removed") { session.status.watchers == 0 }
    gate.open()
    eventually("the call is done") { atReturn.withLock { $0 != nil } }
    let other = Judge()
    session.add(other)
    eventually("it goes on") { other.counts.people > 3 }
    #expect(judge.counts.pictures == atReturn.withLock { $0 })
  }
}
