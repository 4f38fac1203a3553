import Foundation
import TestSupport
import Testing

/// `--start`, `--duration`, `--size` and `--fps`.
@Suite struct VideoPartCommandTests {
  let work = Workplace()
  /// The simulated camera, whose own depth makes networks unnecessary.
  static let sim = "sim:talking?size=320x180&seconds=3"

  @Test(arguments: [
    ("--start 0:01 --duration 1.5", 45, 320, 180, "30/1"), ("--duration 0.5 --fps 10", 5, 320, 180, "10/1"),
    ("--start 2.5 --fps 60", 30, 320, 180, "60/1"), ("--size 180x180 --duration 0.2", 6, 180, 180, "30/1"),
  ])
  func partsOfRecordings(flags: String, frames: Int, width: Int, height: Int, rate: String) throws {
    try work.succeed("replace \(Self.sim) \(flags) --matte depth --background #0000ff -o out.mp4")
    let video = try MediaTool.video(work.path("out.mp4"))
    #expect(video["nb_read_frames"] == "\(frames)" && video["avg_frame_rate"] == rate, "\(video)")
    #expect(video["width"] == "\(width)" && video["height"] == "\(height)")
  }

  /// The frames of a part equal those of the whole.
  @Test func partsShowWhatTheWholeShows() throws {
    try work.succeed("matte \(Self.sim) --matte depth -o whole/%03d.png")
    try work.succeed("matte \(Self.sim) --matte depth --start 1 --duration 0.1 -o part/%03d.png")
    #expect(
      try work.names("part") == [
        "001.png", "002.png", "003.png",
      ])
    for number in 1...3 {
      let found = try work.image("part/00\(number).png").packedBytes
      let wanted = try work.image(String(format: "whole/%03d.png", 30 + number)).packedBytes
      let difference = zip(found, wanted).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      // Face detection runs occasionally, so the cutoff may differ slightly.
      #expect(difference < found.count, "frame \(number)")
    }
  }

  @Test(arguments: [
    ("--start 1e3", "'1e3' is not a time"), ("--start -1", "'-1' is not a time"), ("--start :5", "':5' is not a time"),
    ("--start 1:99", "below 60"), ("--start 1:2:3:4", "is not a time"), ("--start nan", "is not a time"),
    ("--start 2000000", "longer than any video"), ("--start 7", "no frame after 7 s"),
    ("--duration 0", "a duration of 0"),
    ("--duration 1.2.3", "is not a time"), ("--size 5x5", "5×5 is out of range"), ("--size 100x101", "is out of range"),
    ("--size big", "'big' is not a size"), ("--fps 0", "--fps 0 is out of range"), ("--fps fast", "--fps"),
  ])
  func badValues(flags: String, says: String) throws {
    try work.refuse("replace \(Self.sim) \(flags) --matte depth -o out.mp4", says: says)
    try work.refuse("matte \(Self.sim) \(flags) --matte depth -o out.mkv", says: says)
  }

  /// A picture has no time, so the flags have no effect, and a message says so.
  @Test func pictures() throws {
    try work.pair()
    for line in ["--start 3", "--size 320x240", "--fps 10"] {
      let outcome = try work.run(
        "replace p.png --matte depth --depth d.png \(line) -o out.png --force --background #00ff00")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("single picture"), "\(outcome.errors)")
      #expect(try work.image("out.png").width == 64)
    }
  }

  /// Depth files in a folder belong to frames in their order.
  @Test func depthThatBelongsToFrames() throws {
    try work.succeed("replace \(Self.sim) --matte depth --duration 0.5 -o v.mp4")
    try work.depthFolder("depth", 15, 320, 180)
    try work.refuse(
      "replace v.mp4 --matte depth --depth depth --start 0.2 -o out.mp4", says: "begin with the video's first frame",
      path: "v.mp4")
    try work.succeed("replace v.mp4 --matte depth --depth depth --duration 0.2 -o out.mp4")
    #expect(try MediaTool.video(work.path("out.mp4"))["nb_read_frames"] == "6")
  }
}
