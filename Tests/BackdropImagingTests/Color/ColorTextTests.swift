import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Colours in the notations that people write.
@Suite struct ColorTextTests {
  private func code(_ color: RGBColor) -> [Int] {
    [color.red, color.green, color.blue].map { Int(($0 * 255).rounded()) }
  }

  @Test(arguments: [
    ("#FF8000", [255, 128, 0], 255), ("#0f0", [0, 255, 0], 255), ("#0f08", [0, 255, 0], 136),
    ("#20406080", [32, 64, 96], 128), ("#FFFFFF00", [255, 255, 255], 0), ("transparent", [0, 0, 0], 0),
    ("RebeccaPurple", [102, 51, 153], 255), ("DarkSlateGrey", [47, 79, 79], 255), ("darkslategray", [47, 79, 79], 255),
  ])
  func forms(text: String, color: [Int], opacity: Int) throws {
    let read = try #require(ColorText(text))
    #expect(code(read.color) == color && Int((read.opacity * 255).rounded()) == opacity)
    #expect((RGBColor(text: text) != nil) == (opacity == 255))
  }

  @Test(arguments: [
    "", "#", "#12", "#12345", "#1234567", "#123456789", "#GGGGGG", "#+1+2+3", "#12 456", "#１２３", "nosuchcolour", "red ",
    "currentcolor", "rgb(1,2,3)", "123456", String(repeating: "#", count: 100),
  ])
  func noColors(text: String) { #expect(ColorText(text) == nil) }

  /// The colour of a parameter may omit the `#`, because the value can only be a colour.
  @Test func parametersLeaveTheSignOut() {
    #expect(
      RGBColor(text: "0f0") == RGBColor(red: 0, green: 1, blue: 0) && RGBColor(text: "lime") == RGBColor(text: "0f0"))
    #expect(RGBColor(text: "+1+2+3") == nil && RGBColor(text: "0f08") == nil)
  }

  /// All names of FFmpeg: it has 140, two of them with values that differ from CSS Color 4.
  @Test(.enabled(if: MediaTool.isPresent, "needs ffmpeg")) func names() throws {
    let listed = try OutsideTool.text("ffmpeg", ["-v", "quiet", "-colors"]).split(separator: "\n").dropFirst()
    let theirs = Dictionary(
      uniqueKeysWithValues: listed.map { line in
        let parts = line.split(separator: " ")
        return (parts[0].lowercased(), String(parts[1]).uppercased())
      })
    #expect(theirs.count == 140)
    for (name, code) in theirs {
      let css = ["mediumpurple": "#9370DB", "palevioletred": "#DB7093"][name] ?? code
      #expect(RGBColor(text: name)?.hex == css, "\(name)")
    }
    // The seven spellings with "grey", and the newest name.
    for name in ["grey", "darkgrey", "lightgrey", "dimgrey", "slategrey", "darkslategrey", "lightslategrey"] {
      #expect(RGBColor(text: name) == RGBColor(text: name.replacing("grey", with: "gray")), "\(name)")
    }
    #expect(RGBColor(text: "rebeccapurple")?.hex == "#663399")
  }

  /// "Over" in closed form: of a pixel of 60 % over a colour of 50 %, 0.6 + 0.4 · 0.5 = 80 % is covered.
  @Test func over() throws {
    var image = Image(.bgra8, width: 3, height: 1)
    image.alpha = .straight
    let pixels: [UInt8] = [0, 0, 200, 153, 0, 0, 0, 0, 9, 8, 7, 255]
    image.withUnsafeMutableBytes { base in
      pixels.withUnsafeBytes { base.copyMemory(from: $0.baseAddress!, byteCount: 12) }
    }
    image.lay(over: try #require(ColorText("#0000FF80")))
    let row = image.row(0)
    let half = 128.0 / 255, sum = 0.6 + 0.4 * half
    #expect(Int(row[3]) == Int((sum * 255).rounded()))
    #expect(Int(row[0]) == Int((255 * 0.4 * half / sum).rounded()) && Int(row[2]) == Int((200 * 0.6 / sum).rounded()))
    #expect((4..<8).map { row[$0] } == [255, 0, 0, 128] && (8..<12).map { row[$0] } == [9, 8, 7, 255])
  }
}
