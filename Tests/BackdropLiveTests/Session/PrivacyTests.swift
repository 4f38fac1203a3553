import BackdropImaging
import BackdropLooks
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropLive

/// Whenever a picture would show the real background, the session shows the standby frame, whatever the cause.
@Suite(.serialized) struct PrivacyTests {
  /// Runs a session until it has judged some pictures; returns the last result.
  private func outcome(
    isPublic: Bool = true, _ edit: (inout LiveSettings) -> Void
  ) throws -> (status: LiveStatus, judge: Judge.Count) {
    let (stage, judge) = (TestStage(), Judge(isPublic: isPublic))
    let session = try stage.begin(judge, edit)
    defer { session.stop() }
    eventually("pictures come") { judge.counts.pictures > 15 && session.status.isCameraOn }
    eventually("it has made up its mind") {
      let status = session.status
      return status.showing == .scene
        || status.reason != nil && status.framesIn > 5
          && status.reason != "the first picture is not ready yet" && status.reason != "the camera is off"
    }
    return (session.status, judge.counts)
  }

  @Test(arguments: [
    ["cutoff": 20.0], ["margin": 10, "cutoff": 5], ["gamma": 0.05, "radius": 50], ["gamma": 0.05, "radius": 30],
  ]) func parametersThatExposeTheBackground(values: [String: Double]) throws {
    let (status, judge) = try outcome { $0.values = values }
    #expect(status.showing == .standby, "\(values)")
    #expect(judge.exposed == 0, "\(values)")
  }

  /// The session refuses a blur that leaves the real background legible, at the start, by a command and from the list. When such a blur
  /// loses its permission, the session shows the standby frame.
  @Test func aBlurThatLeavesEverythingLegible() throws {
    // The smallest blur for 96 lines is 96/720 of 10 pixels, in tenths.
    let error = refusal { try TestStage().make { $0.background = "blur:1.3" } }
    #expect(error?.hint?.code == "blurMoreOrShowRealBackground" && error?.hint?.values["background"] == "blur:1.4")
    let (stage, judge) = (TestStage(), Judge())
    let session = try stage.begin(judge) { $0.backgrounds = ["#00C000", "blur:0.5"] }
    defer { session.stop() }
    eventually("the person is seen") { judge.counts.people > 3 }
    #expect(throws: BackdropError.self) { try session.perform(.background("blur:0.5")) }
    #expect(throws: BackdropError.self) { try session.perform(.addBackground("bokeh:1")) }
    #expect(throws: BackdropError.self) { try session.perform(.nextBackground) }
    #expect(session.settings.background == "#00C000" && judge.counts.exposed == 0)
    try session.perform(.showRealBackground(true))
    try session.perform(.background("blur:0.5"))
    eventually("the room is seen") { judge.counts.exposed > 3 && session.status.showing == .scene }
    try session.perform(.showRealBackground(false))
    eventually("it is hidden") { session.status.showing == .standby }
    #expect(session.status.reason?.contains("readable") == true, "\(session.status)")
    // A background that hides the real one is still accepted.
    try session.perform(.background("#00C000"))
    eventually("the person again") { session.status.showing == .scene }
  }

  /// Stacks that show the frame where the matte is 0, or everywhere.
  @Test(arguments: [
    [Look.Layer(.frame)], [Look.Layer(.background), Look.Layer(.frame, through: .inverse)],
    [Look.Layer(.background), Look.Layer(.frame, opacity: 0.5), Look.Layer(.frame, through: .matte)],
    [Look.Layer(.frame, blur: 1), Look.Layer(.background, opacity: 0.2)],
  ]) func looksThatShowTheRealBackground(layers: [Look.Layer]) throws {
    let folder = TemporaryFolder()
    var look = Look.backdrop
    (look.id, look.layers) = ("own", layers)
    let path = folder.file("own.json")
    try JSONEncoder().encode(look).write(to: URL(fileURLWithPath: path))
    let (status, judge) = try outcome { ($0.look, $0.values) = (path, [:]) }
    #expect(status.showing == .standby && status.reason == "this look shows the room")
    #expect(judge.exposed == 0)
    // With permission, the request is granted.
    let allowed = try outcome { ($0.look, $0.values, $0.showsRealBackground) = (path, [:], true) }
    #expect(allowed.status.showing == .scene && allowed.judge.exposed > 0)
  }

  /// Every look in a live session: looks that show the real background need permission, or an output that only the user sees.
  @Test(arguments: Look.builtIn.map(\.id)) func everyLookLive(id: String) throws {
    let look = try #require(Look.named(id))
    // The stage's depth map has a fifth of the width for which radii are meant.
    let values = look.usualEdge > 0 ? ["radius": look.usualEdge / 5] : [:]
    let known = try outcome { ($0.look, $0.values) = (id, values) }
    if look.showsRealBackground {
      #expect(known.status.showing == .standby && known.status.reason == "this look shows the room", "\(known.status)")
    } else {
      #expect(known.status.showing == .scene, "\(known.status)")
    }
    // Soft looks keep a rim of the real background, which the judge would count.
    if !look.showsRealBackground && look.usualEdge <= 5 && look.hasBackground { #expect(known.judge.exposed == 0) }
    let own = try outcome(isPublic: false) { ($0.look, $0.values) = (id, values) }
    #expect(own.status.showing == .scene, "\(own.status)")
    let allowed = try outcome { ($0.look, $0.values, $0.showsRealBackground) = (id, values, true) }
    #expect(allowed.status.showing == .scene, "\(allowed.status)")
    #expect(allowed.status.lookShowsRealBackground == look.showsRealBackground)
  }
}
