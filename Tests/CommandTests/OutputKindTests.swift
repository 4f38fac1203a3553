import BackdropLooks
import Foundation
import TestSupport
import Testing

/// Every kind of output, read by another program.
@Suite struct OutputKindTests {
  let work = Workplace()
  static let second = "sim:talking?size=320x180&seconds=1"

  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String, options: String, codec: String, format: String
    var testDescription: String { "\(name) \(options)" }
  }

  @Test(arguments: [
    Kind(name: "out.mp4", options: "", codec: "h264", format: "yuv420p"),
    Kind(name: "out.mov", options: "--crf 30", codec: "h264", format: "yuv420p"),
    Kind(name: "out.mp4", options: "--codec h265", codec: "hevc", format: "yuv420p"),
    Kind(name: "out.webm", options: "", codec: "vp9", format: "yuv420p"),
    Kind(name: "out.mkv", options: "--codec ffv1", codec: "ffv1", format: "bgr0"),
  ])
  func videos(kind: Kind) throws {
    let outcome = try work.succeed("replace \(Self.second) -o \(kind.name) \(kind.options)")
    #expect(outcome.output.isEmpty)
    let video = try MediaTool.video(work.path(kind.name))
    #expect(video["nb_read_frames"] == "30" && video["avg_frame_rate"] == "30/1")
    #expect(video["width"] == "320" && video["height"] == "180")
    #expect(video["codec_name"] == kind.codec && video["pix_fmt"] == kind.format)
    if kind.format == "yuv420p" {
      #expect(video["color_space"] == "bt709" && video["color_range"] == "tv")
    }
    #expect(work.folder.contents == [kind.name])
  }

  @Test(arguments: ["out.png", "out.jpg"]) func pictures(name: String) throws {
    try work.succeed("replace \(Self.second) -o \(name) --save-matte matte.png --background #0000ff")
    let image = try work.image(name)
    #expect(image.width == 320 && image.height == 180)
    #expect(try work.image("matte.png").width == 320)
    // The corner has the background's colour, to within JPEG's errors.
    let corner = image.row(0)
    #expect(corner[0] < 6 && corner[1] < 6 && corner[2] > 250)
  }

  @Test(arguments: ["out", "out/", "out/%05d.png", "out/%05d.jpg"]) func numbered(name: String) throws {
    try work.makeFolder("out")
    try work.succeed("replace \(Self.second) -o \(name)")
    let fileExtension = name.hasSuffix("jpg") ? "jpg" : "png"
    #expect(
      try work.names("out")
        == (1...30).map { String(format: "%05d.", $0) + fileExtension })
    #expect(try work.image("out/00030.\(fileExtension)").width == 320)
  }

  /// Pictures and pipes keep odd sizes; video codecs with halved chroma add a column or row.
  @Test func oddSize() throws {
    let odd = "sim:?size=321x181&seconds=0.1"
    try work.succeed("replace \(odd) -o out.png --save-matte matte.png")
    #expect(try work.image("out.png").width == 321 && work.image("matte.png").height == 181)
    let outcome = try work.succeed("replace \(odd) -o out.mp4")
    let video = try MediaTool.video(work.path("out.mp4"))
    #expect(video["width"] == "322" && video["height"] == "182" && video["nb_read_frames"] == "3")
    #expect(outcome.errors.contains("322×182"), "\(outcome.errors)")
    let pipe = try work.run("replace \(odd) -o - -q")
    #expect(pipe.status == 0 && pipe.errors.isEmpty)
    #expect(pipe.output.starts(with: Data("YUV4MPEG2 W321 H181 F30:1 ".utf8)))
    let header = try #require(pipe.output.firstIndex(of: UInt8(ascii: "\n"))) + 1
    let frame = "FRAME\n".utf8.count + 321 * 181 + 2 * 161 * 91
    #expect(pipe.output.count - header == 3 * frame)
  }

  @Test func onePixel() throws {
    try work.picture("p.png", 1, 1)
    try work.depth("near.png", 1, 1, 500)
    try work.depth("far.png", 1, 1, 5000)
    try work.succeed("replace p.png --matte depth --depth near.png -o kept.png --background #00ff00")
    try work.succeed("replace p.png --matte depth --depth far.png -o gone.png --background #00ff00")
    #expect(try work.color("kept.png", x: 0, y: 0) == [255, 0, 0])
    #expect(try work.color("gone.png", x: 0, y: 0) == [0, 255, 0])
    try work.succeed("matte p.png --matte depth --depth near.png -o matte.png")
    #expect(try work.color("matte.png", x: 0, y: 0) == [255, 255, 255])
  }

  /// One command reads another's pipe: the frames, their rate, and their colours with both matrices.
  @Test(arguments: [("320x180", 10, 6), ("1280x720", 2, 6)]) func pipes(size: String, frames: Int, tolerance: Int)
    throws
  {
    let piped = try work.run(
      "replace sim:?size=\(size)&seconds=\(Double(frames) / 30) --background #ff8000 --save-matte m.png -o - --json")
    #expect(piped.status == 0)
    let summary = try #require(try JSONSerialization.jsonObject(with: Data(piped.errors.utf8)) as? [String: Any])
    #expect(summary["frames"] as? Int == frames)
    // All depth is near, so the second command keeps the whole picture.
    try work.depthFolder("depth", frames, 16, 9, 300)
    try work.succeed("replace - --matte depth --depth depth -o out.png", input: piped.output)
    let corner = try work.color("out.png", x: 0, y: 0)
    for (found, wanted) in zip(corner, [255, 128, 0]) { #expect(abs(found - wanted) <= tolerance, "\(corner)") }
    try OutsideTool.run("ffmpeg", ["-v", "error", "-y", "-i", "-", work.path("piped.mp4")], input: piped.output)
    let video = try MediaTool.video(work.path("piped.mp4"))
    #expect(video["nb_read_frames"] == "\(frames)" && video["avg_frame_rate"] == "30/1")
  }

  @Test func summary() throws {
    let outcome = try work.succeed("replace \(Self.second) -o out.mp4 --save-matte matte/%03d.png --json -q")
    #expect(outcome.errors.isEmpty)
    let root = try outcome.object()
    #expect(root["frames"] as? Int == 30)
    #expect(root["outputs"] as? [String] == ["out.mp4", "matte/%03d.png"])
    #expect(["standby", "skipped"].allSatisfy { (root[$0] as? [String: Any])?["count"] as? Int == 0 })
    let coverage = try #require(root["coverage"] as? Double)
    #expect(coverage > 0.1 && coverage < 0.9)
    #expect(try work.names("matte").count == 30)
  }

  /// `matte` writes the same file as `--save-matte`.
  @Test func matteAlone() throws {
    try work.succeed("replace \(Self.second) -o out.png --save-matte beside.png")
    try work.succeed("matte \(Self.second) -o alone.png")
    #expect(try work.data("beside.png") == work.data("alone.png"))
    try work.succeed("matte \(Self.second) -o alone.mp4")
    #expect(try MediaTool.video(work.path("alone.mp4"))["nb_read_frames"] == "30")
    let grey = try work.image("alone.png")
    var (dark, light) = (0, 0)
    for y in 0..<grey.height {
      let row = grey.row(y)
      for x in 0..<grey.width {
        dark += row[4 * x] == 0 ? 1 : 0
        light += row[4 * x] == 255 ? 1 : 0
      }
    }
    #expect(dark > 10_000 && light > 3_000, "\(dark) \(light)")
  }

  /// The number of threads changes only the time.
  @Test func threads() throws {
    for count in [1, 3] { try work.succeed("replace \(Self.second) -o \(count).png --threads \(count)") }
    #expect(try work.data("1.png") == work.data("3.png"))
  }

  @Test func demo() throws {
    try work.makeFolder("demo")
    // Without networks the command cannot cut a person out.
    let nowhere = ["XDG_DATA_HOME": work.folder.path]
    let outcome = try work.start("demo --seconds 0.1 --offline", environment: nowhere).wait()
    #expect(
      outcome.status == 0 && outcome.errors.contains("the demo has no portrait: the person network is not installed"))
    #expect(outcome.text.contains("3 frames of 1280×720"))
    #expect(
      try work.names("demo")
        == ["backdrop.mp4", "contact-sheet.png"])
    try work.refuse("demo --seconds 0.1", says: "the output already exists")
  }
}
