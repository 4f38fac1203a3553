import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropModels
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropLive
@testable import BackdropRecordings

/// A live session with a phone: whatever the phone does, outputs never show the real background, and the person returns.
@Suite(.serialized) struct IPhoneLiveTests {
  let phone = StandInPhone()
  let stage = TestStage()
  let judge = Judge()

  private func start(_ edit: (inout LiveSettings) -> Void = { _ in }) throws -> LiveSession {
    try send(stage.frame(at: 0))
    var settings = TestStage.settings(camera: "iphone:")
    edit(&settings)
    let usbmuxd = try UsbmuxAddress(phone.address)
    let inputs = LiveInputs { (address, request) throws(BackdropError) in
      try IPhoneCamera(address, request: request, at: usbmuxd)
    }
    let session = try LiveSession(settings, inputs: inputs, networks: ModelCache())
    session.add(judge)
    try session.start()
    return session
  }

  private func send(_ scenes: Scene...) throws {
    let messages = try scenes.map { StandInPhone.message(try StandInPhone.body(of: $0, quality: 98)) }
    phone.state.withLock { ($0.messages, $0.sending) = (messages, .rate(60)) }
  }

  private func seesPerson(_ what: String) {
    let people = judge.counts.people
    eventually(what) { judge.counts.people > people + 3 }
  }

  @Test func showsThePersonBeforeTheBackground() throws {
    let session = try start()
    seesPerson("the person is seen")
    let status = session.status
    #expect(status.showing == .scene && status.hasDepth && status.camera == "iphone:")
    #expect(status.cameraMode.contains("TrueDepth"))
    session.stop()
    #expect(judge.counts.exposed == 0 && judge.counts.backwards == 0)
  }

  @Test func unpluggedAndBack() throws {
    let session = try start()
    for _ in 0..<5 {
      seesPerson("the person is seen")
      phone.plug([])
      eventually("the standby frame is shown") { session.status.showing == .standby }
      eventually("the reason is told") {
        session.status.reason == IPhones.absence(isServed: true).at("iphone:").description
      }
      phone.plug([StandInPhone.Phone()])
    }
    seesPerson("the person is back")
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  /// For each reason why a phone does not stream, the session shows the standby frame and a hint.
  @Test func standbySaysWhatToDo() throws {
    let session = try start()
    seesPerson("the person is seen")
    func lose(_ reason: String, _ hint: String, _ change: (inout StandInPhone.State) -> Void) {
      phone.plug([])
      phone.state.withLock { state in
        state.phones = [StandInPhone.Phone()]
        change(&state)
      }
      eventually("\(reason)") { session.status.showing == .standby && session.status.reason?.hasPrefix(reason) == true }
      #expect(session.status.hint?.text.contains(hint) == true, "\(session.status.hint?.text ?? "no hint")")
      phone.state.withLock { state in
        (state.phones, state.sending, state.answer) = ([StandInPhone.Phone()], .rate(60), nil)
      }
      seesPerson("the person is back after: \(reason)")
    }
    lose("Record3D on the iPhone is not streaming", "press its red button") { $0.phones[0].isStreaming = false }
    lose("the iPhone or iPad does not trust", "tap Trust") { state in
      (state.phones[0].isStreaming, state.phones[0].isPaired) = (false, false)
    }
    lose("the phone sends no frames", "unlock it") { $0.sending = .silence }
    lose("Backdrop does not understand usbmuxd's answer", "usbmuxd") { $0.answer = Array("garbage of some bytes".utf8) }
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  /// Rotating the phone, or switching to its other camera, changes the frame size.
  @Test func sizesChange() throws {
    let session = try start()
    seesPerson("the person is seen")
    let small = stage.frame(at: 0)
    var large = small
    large.image = try small.image.scaled(toWidth: 2 * TestStage.width, height: 2 * TestStage.height)
    large.depth = try #require(small.depth).resized(toWidth: 64, height: 48, by: .nearest)
    try send(small, large, large, small)
    seesPerson("the person is seen in both sizes")
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  /// A session skips damaged frames among good ones; if none is good, it shows the standby frame.
  @Test func damagedFrames() throws {
    let session = try start()
    seesPerson("the person is seen")
    let good = StandInPhone.message(try StandInPhone.body(of: stage.frame(at: 0), quality: 98))
    var body = try StandInPhone.body(of: stage.frame(at: 0))
    body.replaceSubrange((body.count - 3000)..., with: [UInt8](repeating: 0xA5, count: 3000))
    let bad = StandInPhone.message(body)
    phone.state.withLock { $0.messages = [good, bad, bad] }
    seesPerson("the person is seen between")
    phone.state.withLock { $0.messages = [bad] }
    eventually("the standby frame is shown") { session.status.showing == .standby }
    phone.state.withLock { $0.messages = [StandInPhone.message([], length: .max)] }
    eventually("the message is refused") { session.status.reason?.contains("4294967295 bytes") == true }
    phone.state.withLock { $0.messages = [good] }
    seesPerson("the person is back")
    session.stop()
    #expect(judge.counts.exposed == 0)
  }

  @Test func aFloodIsAsGoodAsAStream() throws {
    let session = try start()
    phone.state.withLock { $0.sending = .flood }
    seesPerson("the person is seen")
    session.stop()
    #expect(judge.counts.exposed == 0)
  }
}
