import BackdropImaging
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropLive

/// A camera that sends damaged pictures: they are counted, and the standby frame tells why no good one comes.
@Suite struct DamagedCameraTests {
  private let damage = BackdropError(.badData, "the camera sent a damaged picture")

  @Test func damagedPicturesAreCounted() throws {
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge)
    eventually("the person is seen") { judge.counts.people > 3 }
    #expect(session.status.damaged == 0)
    stage.state.withLock { $0.failures = Array(repeating: damage, count: 20) }
    eventually("they are counted") { session.status.damaged == 20 }
    let people = judge.counts.people
    eventually("good ones are shown") { judge.counts.people > people + 3 }
    #expect(stage.state.withLock { $0.opened } == 1)
    // Only damaged ones, and then none at all.
    stage.state.withLock { state in
      state.failures = [damage]
      state.isStalled = true
    }
    eventually("the standby frame says why") {
      session.status.showing == .standby && session.status.reason == damage.message
    }
    stage.state.withLock { $0.isStalled = false }
    eventually("it is back") { session.status.showing == .scene }
    session.stop()
    #expect(session.status.damaged == 21 && judge.counts.exposed == 0)
  }
}
