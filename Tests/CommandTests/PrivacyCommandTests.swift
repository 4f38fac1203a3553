import Foundation
import TestSupport
import Testing

/// The command's messages if the real background would be visible against the user's intention.
@Suite struct PrivacyCommandTests {
  let work = Workplace()

  /// The command warns, or with `--strict` fails without writing anything.
  @Test(
    arguments: ["replace", "apply backdrop"],
    ["--cutoff 20 --no-face", "--margin 10", "--gamma 0.05 --radius 50"])
  func warnsOrRefuses(command: String, values: String) throws {
    let line = "\(command) sim:?size=320x180&seconds=0.2 -o out.mp4 --matte depth \(values)"
    try work.refuse(line + " --strict", says: "the room shows in an empty part of the picture, in ")
    let outcome = try work.succeed(line + " --json")
    #expect(
      outcome.errors.contains(
        #/warning: in 6 of 6 frames the room shows in an empty part of the picture, in up to \d+ % of it; /#),
      "\(outcome.errors)")
    let summary = try outcome.object()
    #expect(summary["framesShowingRealBackground"] as? Int == 6)
    #expect(summary["exposedBackground"] as? Double ?? 0 > 0.2)
    let usual = try work.succeed("\(command) sim:?size=320x180&seconds=0.2 -o usual.mp4 --matte depth --strict")
    #expect(!usual.errors.contains("room"), "\(usual.errors)")
  }

  /// The minimum blur for a picture of 180 lines is a quarter of that for 720.
  @Test func legibleBlur() throws {
    let line = "replace sim:?size=320x180&seconds=0.1 --matte depth -o out.png --background"
    try work.refuse("\(line) blur:2.4 --strict", says: "readable behind a blur of 2.4 pixels")
    try work.refuse("\(line) bokeh:3.9 --strict", says: "readable behind a bokeh of 3.9 pixels")
    let outcome = try work.succeed("\(line) blur:2.4")
    #expect(outcome.errors.contains("use --background blur:2.5 or more"), "\(outcome.errors)")
    try work.succeed("\(line) blur:2.5 --strict --force")
    try work.succeed("\(line) bokeh:4 --strict --force")
  }

  /// A live session refuses such a blur, unless the real background may be visible.
  @Test(arguments: ["blur:0.5", "blur:9.9", "bokeh:15"]) func legibleBlurLive(background: String) throws {
    let line = "live sim: --no-config -o null --size 1280x720 --seconds 0.5 --background \(background)"
    let outcome = try work.run(line + " --socket \(work.path("s"))")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("error: text in the room stays readable"), "\(outcome.errors)")
    #expect(outcome.errors.contains("hint: use \(background.hasPrefix("blur") ? "blur:10" : "bokeh:16") or more"))
    #expect(outcome.errors.contains("--show-room"))
    try work.succeed(line + " --show-room --socket \(work.path("s"))")
  }
}
