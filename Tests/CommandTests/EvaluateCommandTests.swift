import BackdropImaging
import Foundation
import TestSupport
import Testing

/// The printed measures compared with closed forms. The library's tests check the measures themselves.
@Suite struct EvaluateCommandTests {
  let work = Workplace()

  /// Grey pictures with values from a rule.
  func grey(_ name: String, _ width: Int = 40, _ height: Int = 30, _ value: (Int, Int) -> UInt8) throws {
    let plane = Plane<UInt8>(width: width, height: height, value)
    try work.save(Image(gray: plane), name)
  }

  func measures(_ line: String) throws -> (mean: [String: Double], dtSSD: Double?, frames: Int) {
    let root = try work.json(line)
    return (
      try #require(root["mean"] as? [String: Double]), root["dtSSD"] as? Double,
      try #require(root["frameCount"] as? Int)
    )
  }

  /// 10 of 40 columns differ, by 51 of 255: MAD 0.2 · ¼, MSE 0.04 · ¼, SAD 0.2 · 300.
  @Test func pictures() throws {
    try grey("truth.png") { x, _ in x < 20 ? 255 : 0 }
    try grey("matte.png") { x, _ in x < 10 ? 204 : x < 20 ? 255 : 0 }
    let found = try measures("evaluate matte.png truth.png")
    #expect(abs((found.mean["mad"] ?? 0) - 0.05) < 1e-6)
    #expect(abs((found.mean["mse"] ?? 0) - 0.01) < 1e-6)
    #expect(abs((found.mean["sad"] ?? 0) - 60) < 1e-3)
    #expect(found.mean["iou"] == 1 && found.dtSSD == nil && found.frames == 1)
    let text = try work.text("evaluate matte.png truth.png")
    #expect(text.contains("MAD      50.0000  × 1e-3"), "\(text)")
    #expect(text.contains("SAD      60.0000  pixels") && text.contains("IoU       1.0000") && !text.contains("dtSSD"))
  }

  @Test func perfect() throws {
    try grey("truth.png") { x, y in UInt8((x * 6 + y) & 255) }
    let found = try measures("evaluate truth.png truth.png")
    for name in ["mad", "mse", "sad", "gradient", "connectivity"] { #expect(found.mean[name] == 0, "\(name)") }
    #expect(found.mean["iou"] == 1)
  }

  /// The matte jumps from 0 to 1 in a quarter of the columns, the truth does not change: dtSSD is √¼.
  @Test func folders() throws {
    for index in 1...2 {
      try grey("truth/\(index).png") { x, _ in x < 20 ? 255 : 0 }
      try grey("matte/\(index).png") { x, _ in x < 20 ? 255 : x >= 30 && index == 2 ? 255 : 0 }
    }
    try work.write("junk".utf8, "matte/.hidden.png")
    let found = try measures("evaluate matte truth")
    #expect(found.frames == 2)
    #expect(abs((found.dtSSD ?? 0) - 0.5) < 1e-6)
    // Half of the frames are perfect; in the others the intersection has 20 columns and the union 30.
    #expect(abs((found.mean["iou"] ?? 0) - (1 + 2.0 / 3) / 2) < 1e-6)
    #expect(abs((found.mean["mad"] ?? 0) - 0.125) < 1e-6)
  }

  @Test func refusals() throws {
    try grey("a.png") { _, _ in 0 }
    try grey("b.png", 41, 30) { _, _ in 0 }
    try work.makeFolder("none")
    try grey("one/1.png") { _, _ in 0 }
    try grey("two/1.png") { _, _ in 0 }
    try grey("two/2.png") { _, _ in 0 }
    try work.refuse("evaluate a.png b.png", says: "the matte is 40×30, but the truth is 41×30", path: "a.png")
    try work.refuse("evaluate a.png missing.png", says: "no such file", path: "missing.png")
    try work.refuse("evaluate missing a.png", says: "no such file", path: "missing")
    try work.refuse("evaluate one a.png", says: "a folder with a file")
    try work.refuse("evaluate one two", says: "1 mattes and 2 ground truths", path: "one")
    try work.refuse("evaluate none none", says: "0 mattes and 0 ground truths", path: "none")
    try work.write(try work.data("a.png").prefix(50), "cut.png")
    try work.refuse("evaluate a.png cut.png", says: "PNG", path: "cut.png")
  }
}
