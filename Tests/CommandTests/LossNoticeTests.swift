import Foundation
import TestSupport
import Testing

/// Every command reports each thing that it does not copy once, in one line.
@Suite struct LossNoticeTests {
  let work = Workplace()

  struct Loss: Sendable, CustomTestStringConvertible {
    /// The file, and the options for FFmpeg to write three green frames with a grey box into it.
    var name: String, options: String
    /// The expected lines.
    var says: [String]
    var testDescription: String { name }
  }

  /// A grey box that moves in front of green.
  private static let channels = [("r", 25), ("g", 180), ("b", 60)].map { name, screen in
    "\(name)='if(between(X,30+8*N,60+8*N)*gt(Y,20),120,\(screen))'"
  }.joined(separator: ":")

  @Test(arguments: [
    Loss(name: "plain.png", options: "-frames:v 1", says: []),
    Loss(
      name: "deep.png", options: "-frames:v 1 -pix_fmt rgb48be",
      says: ["Backdrop draws with 8 bits per sample and rounds this picture's 16 bits"]),
    Loss(
      name: "moving.webp", options: "-c:v libwebp_anim -lossless 1",
      says: ["the file holds 3 pictures; Backdrop uses only the main one"]),
  ])
  func pictures(loss: Loss) throws {
    try MediaTool.make(
      "-f lavfi -i color=black:s=96x64:r=5:d=0.6,format=rgb24,geq=\(Self.channels) \(loss.options)",
      work.path(loss.name))
    let matte = "--matte chroma"
    for line in [
      "replace \(loss.name) \(matte) --background navy -o r.png", "apply noir \(loss.name) \(matte) -o a.png",
      "matte \(loss.name) \(matte) -o m.png",
      "replace \(loss.name) \(matte) --background none -o c.png --save-matte s.png",
    ] {
      #expect(warnings(try work.succeed(line).errors) == loss.says, "\(line)")
    }
    let batch = try work.succeed("replace \(loss.name) \(matte) --output-dir out")
    #expect(warnings(batch.errors) == loss.says)
  }

  private func warnings(_ errors: String) -> [String] {
    errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }.map { String($0.dropFirst(9)) }
  }
}
