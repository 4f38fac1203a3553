import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// `--matte chroma` on pictures and videos.
@Suite struct ChromaCommandTests {
  let work = Workplace()

  /// A grey person in front of a coloured screen, with soft edges, as a picture and as a video.
  private func make(_ screen: RGBColor) throws {
    let colors = [screen.red, screen.green, screen.blue].map { 255 * $0 }
    let image = Image.drawn(.rgb8, 320, 180) { x, y in
      let away = (Double((x - 160) * (x - 160) + (y - 110) * (y - 110))).squareRoot()
      let alpha = min(max((60 - away) / 6, 0), 1)
      return colors.map { Int(alpha * 120 + (1 - alpha) * $0) }
    }
    try Picture.save(image, to: OutputFile(work.path("screen.png"), overwrite: true))
    try MediaTool.make(
      "-loop 1 -i \(work.path("screen.png")) -t 0.4 -r 25 -pix_fmt yuv420p -crf 8", work.path("screen.mp4"))
  }

  /// No green remains over a background without green.
  @Test func nothingOfTheScreenIsLeft() throws {
    try make(RGBColor(red: 0.1, green: 0.7, blue: 0.25))
    try work.succeed("replace screen.png --matte chroma --background #402060 -o out.png --save-matte matte.png")
    let (made, matte) = (
      try Picture.load(work.path("out.png"), as: .rgb8), try Picture.load(work.path("matte.png"), as: .gray8)
    )
    for y in 0..<180 {
      let row = made.row(y)
      for x in 0..<320 where row[3 * x + 1] > max(row[3 * x], row[3 * x + 2]) { Issue.record("green at \(x), \(y)") }
    }
    #expect(matte.row(110)[160] == 255 && matte.row(10)[10] == 0)
    #expect(made.row(10)[30] == 0x40 && made.row(10)[31] == 0x20 && made.row(10)[32] == 0x60)
    // The same for colour with alpha.
    try work.succeed("replace screen.png --matte chroma --background none -o clear.png")
    let clear = try Picture.load(work.path("clear.png"), as: .rgba8)
    for y in 0..<180 {
      let row = clear.row(y)
      for x in 0..<320 where row[4 * x + 3] > 32 && row[4 * x + 1] > max(row[4 * x], row[4 * x + 2]) {
        Issue.record("green at \(x), \(y)")
      }
    }
    let said = try work.succeed("replace screen.mp4 --matte chroma --background #402060 -o out.mp4").errors
    #expect(said.contains("the screen's colour"))
    let bytes = try MediaTool.pixels(work.path("out.mp4"), "rgb24", "-frames:v 1")
    // In the video four pixels share a chroma sample.
    for i in stride(from: 0, to: bytes.count, by: 3) where Int(bytes[i + 1]) > Int(max(bytes[i], bytes[i + 2])) + 12 {
      Issue.record("green at \(i / 3 % 320), \(i / 960)")
    }
  }

  @Test func aScreenThatIsNotFoundIsTold() throws {
    try make(RGBColor(red: 0.5, green: 0.5, blue: 0.5))
    try work.refuse(
      "replace screen.png --matte chroma --background #402060 -o out.png", says: "no screen of one colour",
      path: "screen.png")
    try work.refuse(
      "replace screen.png --matte chroma --screen #808080 --background #402060 -o out.png",
      says: "not clearly red, green or blue")
    try work.refuse(
      "replace screen.png --matte chroma --plate screen.png --background #402060 -o out.png",
      says: "does not use a plate")
    let said = try work.run("replace screen.png --screen #00B140 --background #402060 -o out.png")
      .errors
    #expect(
      said.contains("--screen does nothing here: the matte does not come from a screen's colour")
        || said.contains("error: "))
  }
}
