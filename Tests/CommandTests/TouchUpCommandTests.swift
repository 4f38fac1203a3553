import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// `--touch-up`, `--aspect`, `--place-…`, `--match-light` and `--shadow` of `replace`, `apply` and `matte`.
@Suite struct TouchUpCommandTests {
  let work = Workplace()

  /// A picture of two colours, and its depth, with the left half near.
  private func prepare() throws {
    var picture = Image(.rgb8, width: 240, height: 180, color: .jpeg)
    for y in 0..<180 {
      var row = picture.mutableRow(y)
      for x in 0..<240 {
        for c in 0..<3 { row[3 * x + c] = UInt8((x < 120 ? 200 - 40 * c : 40 + 60 * c) + (x ^ y) % 7) }
      }
    }
    try work.save(picture, "in.png")
    try work.depth("depth.png", 240, 180, 700, right: 3000)
    try work.write(
      #"{"version":1,"strokes":[{"does":"erase","size":0.1,"softness":0,"edges":false,"points":[0.2,0.5]}, {"does":"keep","size":0.1,"softness":0,"edges":false,"points":[0.8,0.5]}]}"#
        .utf8,
      "strokes.json")
  }

  private let start = "in.png --depth depth.png --matte depth --no-face"

  @Test func strokesGoThroughEveryCommand() throws {
    try prepare()
    try work.succeed("matte \(start) --touch-up strokes.json -o matte.png")
    let matte = try Picture.load(work.path("matte.png"), as: .gray8)
    #expect(matte.row(90)[48] < 20 && matte.row(90)[192] > 235)
    #expect(matte.row(20)[30] > 200 && matte.row(20)[200] < 50)
    try work.succeed("replace \(start) --background #00A000 --touch-up strokes.json -o out.png")
    let out = try Picture.load(work.path("out.png"), as: .rgb8)
    #expect(out.row(90)[3 * 48 + 1] > 140 && out.row(90)[3 * 48] < 40, "what was erased is green")
    #expect(out.row(90)[3 * 192 + 2] > 130, "what was kept is blue")
  }

  @Test func resultsHaveTheShapeThatWasAskedFor() throws {
    try prepare()
    for (aspect, width, height) in [("1:1", 180, 180), ("4:5", 144, 180), ("9:16", 102, 180), ("16:9", 240, 136)] {
      try work.succeed(
        "replace \(start) --background #00A000 --aspect \(aspect) --shadow 0.6 --match-light 1 -o out.png --force")
      let out = try Picture.load(work.path("out.png"), as: .rgb8)
      #expect(out.width == width && out.height == height, "\(aspect): \(out.width)×\(out.height)")
    }
    try work.succeed(
      "replace \(start) --background none --place-scale 0.5 --place-x 0.25 --place-y 0.25 -o out.png --force")
    let out = try work.image("out.png")
    #expect(out.row(20)[4 * 60 + 3] == 0 && out.row(135)[4 * 140 + 3] == 255)
  }

  @Test func refusesWhatIsNoTouchUp() throws {
    try prepare()
    try work.write("{}".utf8, "empty.json")
    try work.write(
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":0,"edges":false,"points":[0.2,5]}]}"#.utf8,
      "far.json")
    try work.refuse("matte \(start) -o out.png --touch-up none.json", says: "no such file", path: "none.json")
    try work.refuse(
      "matte \(start) -o out.png --touch-up empty.json", says: "this file is not a touch-up", path: "empty.json")
    try work.refuse(
      "matte \(start) -o out.png --touch-up far.json", says: "stroke 1 leaves the picture", path: "far.json")
    try work.refuse("matte sim: -o out.mkv --touch-up strokes.json", says: "a touch-up works on a single picture")
    try work.refuse("replace \(start) -o out.png --aspect 2:1", says: "aspect")
    try work.refuse("replace \(start) -o out.png --place-scale 9", says: "out of range: 0.1…4")
    try work.refuse("replace \(start) -o out.png --shadow=-1", says: "out of range: 0…1")
  }
}
