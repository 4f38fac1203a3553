import BackdropImaging
import BackdropLooks
import Foundation
import TestSupport
import Testing

/// Backgrounds behind the person, and the cutout of the person.
@Suite struct BackgroundTests {
  let work = Workplace()

  /// A red room, near on the left and far on the right, so the matte is certain in the middle of each half.
  func scene() throws {
    try work.picture("p.png", 64, 48)
    try work.depth("d.png", 64, 48, 500, right: 3000)
  }

  /// The left half is 255 0 0 like the picture; the right half has the background's colour.
  @Test func colours() throws {
    try scene()
    try work.succeed("replace p.png --matte depth --depth d.png -o out.png --background #204060")
    #expect(try work.color("out.png", x: 4, y: 24) == [255, 0, 0])
    #expect(try work.color("out.png", x: 60, y: 24) == [0x20, 0x40, 0x60])
    try work.succeed("replace p.png --matte depth --depth d.png -o black.png")
    #expect(try work.color("black.png", x: 60, y: 24) == [0, 0, 0])
  }

  @Test func pictures() throws {
    try scene()
    // A background twice as wide as the frame is cropped, not squeezed: the frame's corner shows the content at a quarter.
    var wide = Image(.rgba8, width: 256, height: 96, color: .jpeg)
    wide.fill(RGBColor(red: 0, green: 0, blue: 1))
    for y in 0..<96 {
      var row = wide.mutableRow(y)
      for x in 64..<192 { (row[4 * x + 1], row[4 * x + 2]) = (255, 0) }
    }
    try work.save(wide, "wide.png")
    try work.succeed("replace p.png --matte depth --depth d.png -o out.png --background wide.png")
    #expect(try work.color("out.png", x: 60, y: 24) == [0, 255, 0])
    #expect(try work.color("out.png", x: 4, y: 24) == [255, 0, 0])
  }

  @Test(arguments: ["dunes", "loft", "northern"]) func scenes(name: String) throws {
    try scene()
    try work.succeed("replace p.png --matte depth --depth d.png -o out.png --background scene:\(name)")
    #expect(try work.color("out.png", x: 4, y: 24) == [255, 0, 0])
    #expect(
      try work.color("out.png", x: 60, y: 24) != [255, 0, 0] && work.color("out.png", x: 60, y: 24) != [0, 0, 0])
  }

  /// A blurred background comes from the real one, but without depth the command never shows it.
  @Test func blur() throws {
    try scene()
    try work.succeed("replace p.png --matte depth --depth d.png -o out.png --background blur:3")
    #expect(try work.color("out.png", x: 60, y: 24) == [255, 0, 0])
    let root = try work.json("replace sim:?size=320x180&seconds=0.5 -o out.mp4 --background blur")
    #expect((root["standby"] as? [String: Any])?["count"] as? Int == 0)
    try work.succeed("replace sim:?size=320x180 -o blurred.png --background blur:10")
    try work.succeed("replace sim:?size=320x180 -o black.png")
    // The corner shows the blurred wall, not the grey of the standby frame.
    let corner = try work.color("blurred.png", x: 2, y: 2)
    #expect(corner != [41, 41, 43] && corner != [0, 0, 0])
    #expect(try work.color("black.png", x: 2, y: 2) == [0, 0, 0])
  }

  /// Four colours for a quarter of a second each, in a loop under a second and a half: six changes.
  @Test(arguments: ["loop.mp4", "loop.mkv", "loop.gif"]) func loops(name: String) throws {
    let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    let parts = ["red", "lime", "blue", "white"].map { "-f lavfi -i color=\($0):s=64x48:r=20:d=0.25" }
    try MediaTool.make(
      parts.joined(separator: " ")
        + " -filter_complex concat=n=4 -pix_fmt \(name.hasSuffix("gif") ? "rgb8" : "yuv444p")",
      work.path(name))
    try work.succeed("replace sim:?size=320x180&seconds=1.5&fps=20 -o out/%d.png --background \(name)")
    for second in 0..<6 {
      // The middle of each quarter.
      let shown = try work.color("out/\(second * 5 + 3).png", x: 2, y: 2)
      for (found, wanted) in zip(shown, colors[second % 4]) {
        #expect(abs(found - wanted) <= 12, "quarter \(second): \(shown)")
      }
    }
  }

  // MARK: - Looks

  /// A look given by name, by its printed JSON and by its numbers produces the same picture.
  @Test(arguments: Look.builtIn.filter { $0.matteSource == .depth }.map(\.id)) func looks(id: String) throws {
    try scene()
    try work.succeed("replace p.png --matte depth --depth d.png -o named.png --background #00ff00 --look \(id)")
    let shown = try work.succeed("looks show \(id) --json")
    try work.write(shown.output, "mine.json")
    try work.succeed("replace p.png --matte depth --depth d.png -o read.png --background #00ff00 --look mine.json")
    #expect(try work.data("named.png") == work.data("read.png"))
    let look = try #require(Look.named(id))
    let settings = look.parameters.filter { $0.automatic == nil }.map { "--\($0.name) \($0.usual)" }.joined(
      separator: " ")
    try work.succeed(
      "replace p.png --matte depth --depth d.png -o set.png --background #00ff00 --look \(id) \(settings)")
    #expect(try work.data("named.png") == work.data("set.png"))
  }

  /// `--cutoff` decides which distances are kept if the command finds no face.
  @Test func cutoff() throws {
    try scene()
    try work.succeed("replace p.png --matte depth --depth d.png -o all.png --cutoff 4 --background #00ff00")
    #expect(try work.color("all.png", x: 60, y: 24) == [255, 0, 0])
    try work.succeed("replace p.png --matte depth --depth d.png -o none.png --cutoff 0.4 --background #00ff00")
    #expect(try work.color("none.png", x: 4, y: 24) == [0, 255, 0])
    try work.succeed("replace p.png --matte depth --depth d.png --depth-scale 5000 -o scaled.png --background #00ff00")
    #expect(try work.color("scaled.png", x: 60, y: 24) == [255, 0, 0])
  }
}
