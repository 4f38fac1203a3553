import Foundation
import TestSupport
import Testing

/// Small files designed to cost much, given to the built command as in `make attack`: `Tests/Attack/bombs.py` creates them, and checks
/// processor time, memory, exit code and messages of each run.
@Suite(.enabled(if: OutsideTool.isPresent("python3"), "needs python3")) struct BombTests {
  static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Attack/bombs.py").standardizedFileURL.path
  let work = Workplace()

  @Test(arguments: [
    "r3d-empty-lists.r3d", "r3d-numbers.r3d", "r3d-nested.r3d", "r3d-times.r3d", "r3d-short-numbers.r3d",
    "r3d-some-times.r3d", "r3d-missing-frames.r3d", "r3d-shared-data.r3d", "r3d-large-sizes.r3d", "jpeg-scans.jpg",
    "jpeg-refinements.jpg", "jpeg-scans-of-depth.jpg", "jpeg-scans-to-heic.jpg", "jpeg-limited.jpg", "png-limited.png",
    "png-pixels.png", "png-background.png", "png-huge.png", "png-flat.png", "depth-cloud.png", "depth-mesh.png",
    "exif-directories.png", "exif-values.png", "png-texts.png", "xmp-properties.png",
  ])
  func bomb(name: String) throws {
    let said = try OutsideTool.text("python3", ["-B", Self.script, BuiltCommand.path, name])
    #expect(said.hasPrefix("ok"), "\(said)")
  }

  /// Pictures of 24 megapixels of noise with a person take at most 16 bytes a pixel and 120 of the 300 MB; the rest is for networks.
  @Test func theBudgetHolds() throws {
    let jobs = [
      "replace-scene", "replace-light", "replace-blur", "replace-bokeh", "replace-none", "matte", "portrait", "bokeh",
      "side-by-side",
    ]
    let said = try OutsideTool.text("python3", ["-B", Self.script, BuiltCommand.path] + jobs)
    #expect(said.split(separator: "\n").count { $0.hasPrefix("ok") } == jobs.count, "\(said)")
  }

  @Test(arguments: [
    ("--limit-memory lots", "'lots' is not a size"), ("--limit-memory -1", "'-1' is not a size"),
    ("--limit-memory 0GB", "'0GB' is not a size"), ("--limit-memory nan", "'nan' is not a size"),
    ("--limit-pixels 0", "1…200000000"), ("--limit-pixels 200000001", "1…200000000"),
    ("--limit-pixels 47", "the limit of 32768 on a side and 47 pixels"),
    ("--limit-memory 300MB", "a picture of 8×6 may need 301 MB of memory; the limit is 300 MB"),
  ])
  func limits(flags: String, says: String) throws {
    try work.picture("p.png", 8, 6)
    try work.depth("d.png", 8, 6, 500)
    for command in ["replace p.png --depth d.png -o out.png", "matte p.png --depth d.png -o out.png"] {
      try work.refuse("\(command) \(flags)", says: says)
    }
    try work.refuse("photo inspect p.png \(flags)", says: says)
    try work.refuse("apply noir p.png -o out.png \(flags)", says: says)
    try work.refuse("depth colorize d.png -o out.png \(flags)", says: says)
    try work.succeed("replace p.png --matte depth --depth d.png -o good.png --limit-pixels 48 --limit-memory 301MB")
    try work.succeed("replace p.png --matte depth --depth d.png -o better.png --limit-memory 1.5g")
  }
}
