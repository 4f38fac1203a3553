import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// `--background none`, according to ffmpeg and ffprobe.
@Suite struct TransparencyTests {
  let work = Workplace()
  static let moving = "sim:talking?size=320x180&seconds=0.4"

  /// A file decoded by ffmpeg, as packed RGBA with straight alpha.
  func decoded(_ name: String, decoder: String? = nil) throws -> [UInt8] {
    try MediaTool.pixels(work.path(name), "rgba", before: decoder.map { "-c:v " + $0 } ?? "")
  }

  /// The saved mattes of the frames, in order.
  func mattes(_ folder: String, _ count: Int) throws -> [UInt8] {
    try (1...count).flatMap { try Picture.load(work.path("\(folder)/\($0).png"), as: .gray8).packedBytes }
  }

  @Test(arguments: ["out.png", "out/%d.png", "out/"]) func pictures(name: String) throws {
    let isOne = name == "out.png"
    try work.succeed("replace \(Self.moving) --background none -o \(name) --save-matte mattes/%d.png")
    let file = isOne ? "out.png" : name == "out/" ? "out/00012.png" : "out/12.png"
    let pixels = try decoded(file)
    let alpha = try Picture.load(work.path("mattes/\(isOne ? 1 : 12).png"), as: .gray8).packedBytes
    #expect(try MediaTool.video(work.path(file))["pix_fmt"] == "rgba")
    #expect(pixels.count == 4 * alpha.count)
    // The matte is exactly the alpha; under alpha 0 all colours are 0.
    var (clear, solid) = (0, 0)
    for i in alpha.indices {
      if pixels[4 * i + 3] != alpha[i] { Issue.record("alpha \(pixels[4 * i + 3]) for \(alpha[i]) at \(i)"); break }
      if alpha[i] == 0 {
        clear += 1
        #expect(pixels[4 * i] | pixels[4 * i + 1] | pixels[4 * i + 2] == 0)
      }
      if alpha[i] == 255 { solid += 1 }
    }
    #expect(clear > 10_000 && solid > 3_000, "\(clear) \(solid)")
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String, options = "", codec: String, decoder: String? = nil, meanTolerance: Double, tolerance: Int
    var testDescription: String { "\(name) \(options)" }
  }

  /// ProRes keeps ten bits of alpha exactly, FFV1 all bits; VP9's alpha is lossy.
  @Test(arguments: [
    Kind(name: "out.mov", codec: "prores", meanTolerance: 0.5, tolerance: 1),
    Kind(name: "out.webm", codec: "vp9", decoder: "libvpx-vp9", meanTolerance: 1.5, tolerance: 48),
    Kind(
      name: "out.mkv", options: "--codec vp9 --crf 4", codec: "vp9", decoder: "libvpx-vp9", meanTolerance: 1,
      tolerance: 32),
    Kind(name: "out.mkv", options: "--codec ffv1", codec: "ffv1", meanTolerance: 0, tolerance: 0),
  ])
  func videos(kind: Kind) throws {
    try work.succeed(
      "replace \(Self.moving) --background none -o \(kind.name) \(kind.options) --save-matte mattes/%d.png")
    let video = try MediaTool.video(work.path(kind.name))
    #expect(video["codec_name"] == kind.codec && video["nb_read_frames"] == "12")
    #expect(video["width"] == "320" && video["height"] == "180")
    if kind.codec == "prores" { #expect(video["profile"] == "4444" && video["pix_fmt"]?.hasPrefix("yuva444p") == true) }
    if kind.codec == "vp9" {
      #expect(video.first { $0.key.lowercased() == "tag:alpha_mode" }?.value == "1")
      // The element that browsers check: AlphaMode, RFC 9559 5.1.4.1.28.4.
      #expect(try work.data(kind.name).range(of: Data([0x53, 0xC0, 0x81, 1])) != nil)
    }
    let pixels = try decoded(kind.name, decoder: kind.decoder)
    let mattes = try mattes("mattes", 12)
    try #require(pixels.count == 4 * mattes.count)
    var (sum, worst) = (0, 0)
    for i in mattes.indices {
      let off = abs(Int(pixels[4 * i + 3]) - Int(mattes[i]))
      sum += off
      worst = max(worst, off)
    }
    #expect(Double(sum) / Double(mattes.count) <= kind.meanTolerance)
    #expect(worst <= kind.tolerance, "\(worst)")
  }

  /// A green person in a red room, with hard edges: where the matte is 0 the file contains no red, even for readers that ignore alpha.
  @Test(arguments: ["out.mov", "out.webm", "out.mkv --codec ffv1"]) func theRealBackgroundIsNotInTheFile(output: String)
    throws
  {
    try MediaTool.make(
      "-f lavfi -i color=0x00c800:s=64x96:r=10:d=0.6 -f lavfi -i color=0xff0000:s=128x96:r=10:d=0.6 "
        + "-filter_complex hstack -c:v libx264 -crf 1 -pix_fmt yuv444p", work.path("v.mp4"))
    try work.depthFolder("depth", 6, 192, 96, 500)
    for index in 1...6 {
      let plane = Plane<UInt16>(width: 192, height: 96) { x, _ in x >= 62 ? 4000 : 500 }
      let map = try DepthMap(units: plane, unitsPerMetre: 1000).image(unitsPerMetre: 1000)
      try work.save(map, "depth/\(String(format: "%03d", index)).png")
    }
    try work.succeed(
      "replace v.mp4 --matte depth --depth depth --radius 0.5 --background none -o \(output) --save-matte mattes/%d.png"
    )
    let name = String(output.prefix { $0 != " " })
    // The native VP9 decoder returns only the colours.
    let pixels = try decoded(name)
    let mattes = try mattes("mattes", 6)
    var reddest = 0
    for i in mattes.indices where mattes[i] == 0 { reddest = max(reddest, Int(pixels[4 * i])) }
    #expect(mattes.contains(0) && mattes.contains(255))
    #expect(reddest < 24, "\(reddest)")
    // Readers that ignore alpha see black there, except for the codec's blocks at the edge.
    for (y, x) in product(0..<96, 100..<192) {
      let at = 4 * (y * 192 + x)
      #expect(pixels[at..<at + 3].allSatisfy { $0 < 4 }, "\(x), \(y)")
    }
  }

  /// With a partly transparent colour as the background, the result is "over" in closed form, from the result without a background.
  @Test func veils() throws {
    let input = "sim:talking?size=320x180&seconds=0.1"
    try work.succeed("replace \(input) --background none -o clear.png")
    try work.succeed("replace \(input) --background #20406080 -o veil.png")
    for same in ["#20406000", "transparent"] {
      try work.succeed("replace \(input) --background \(same) -o same.png --force")
      #expect(try work.data("same.png") == work.data("clear.png"), "\(same)")
    }
    let (clear, veil) = (try decoded("clear.png").map(Double.init), try decoded("veil.png").map(Double.init))
    var worst = [0.0, 0.0, 0.0, 0.0]
    for i in stride(from: 0, to: clear.count, by: 4) {
      let alpha = clear[i + 3] / 255, below = 128 / 255 * (1 - alpha), sum = alpha + below
      worst[3] = max(worst[3], abs(veil[i + 3] - 255 * sum))
      for (channel, color) in [32.0, 64, 96].enumerated() {
        worst[channel] = max(
          worst[channel], abs(veil[i + channel] - (clear[i + channel] * alpha + color * below) / sum))
      }
    }
    #expect(worst.allSatisfy { $0 <= 0.51 }, "\(worst)")
  }

  /// A frame without a matte is fully transparent.
  @Test(arguments: ["out.mov", "out/%d.png"]) func standbyFrames(output: String) throws {
    try work.clip("v.mp4")
    try work.depthFolder("depth", 12, 64, 48, 500)
    try work.depth("depth/002.png", 64, 48, 0)
    let root = try work.json("replace v.mp4 --matte depth --depth depth --background none -o \(output) -q")
    #expect((root["standby"] as? [String: Any])?["count"] as? Int == 1)
    let all = output == "out.mov" ? try decoded(output) : try decoded("out/1.png") + decoded("out/2.png")
    let size = 4 * 64 * 48
    #expect(all[..<size].enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
    let standby = all[size..<2 * size]
    #expect(standby.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 0 })
    // ProRes may differ by rounding.
    #expect(standby.allSatisfy { $0 <= (output == "out.mov" ? 2 : 0) })
  }

  /// The result keeps sound if the container supports it, and omits it on request.
  @Test func sound() throws {
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=64x48:r=25 -f lavfi -i sine -t 0.4 -c:v libx264 -pix_fmt yuv420p -c:a aac",
      work.path("v.mp4"))
    try work.depthFolder("depth", 10, 64, 48, 500)
    try work.succeed("replace v.mp4 --matte depth --depth depth --background none -o out.mov")
    #expect(
      try MediaTool.packetHashes(work.path("out.mov"), "a")
        == MediaTool.packetHashes(work.path("v.mp4"), "a"))
    let outcome = try work.succeed("replace v.mp4 --matte depth --depth depth --background none -o out.webm")
    #expect(outcome.errors.contains("Backdrop converts the sound (aac) to Opus"), "\(outcome.errors)")
    #expect(try !MediaTool.packets(work.path("out.webm"), "a", ["pts"]).isEmpty)
    try work.succeed("replace v.mp4 --matte depth --depth depth --background none -o silent.webm --no-sound")
    #expect(try MediaTool.packets(work.path("silent.webm"), "a", ["pts"]).isEmpty)
  }

  @Test(arguments: [
    ("out.jpg", "a JPEG picture cannot be transparent"), ("out/%d.jpg", "a JPEG picture cannot be transparent"),
    ("out.mp4", "cannot hold transparency"), ("out.mkv", "cannot hold transparency"), ("-", "cannot hold transparency"),
    ("out.mov --codec h264", "cannot hold transparency"), ("out.mp4 --codec vp9", "cannot hold transparency"),
    ("out.mp4 --codec prores", "cannot hold prores"), ("out.webm --codec ffv1", "cannot hold ffv1"),
    ("out.png --look mine.json", "does more than replace the background"),
  ])
  func refuses(output: String, says: String) throws {
    try work.makeFolder("out")
    let shown = try work.succeed("looks show backdrop --json")
    let text = shown.text.replacing("\"background\"", with: "\"#ffffff\"")
    try work.write(text.utf8, "mine.json")
    try work.refuse("replace \(Self.moving) --background none -o \(output)", says: says)
  }

  /// ProRes without transparency: 4:2:2, marked and read as limited range, with the right colours.
  @Test func opaqueProRes() throws {
    try work.succeed("replace \(Self.moving) --background #204060 -o out.mov --codec prores")
    let video = try MediaTool.video(work.path("out.mov"))
    #expect(video["codec_name"] == "prores" && video["pix_fmt"] == "yuv422p10le" && video["color_space"] == "bt709")
    let corner = try MediaTool.pixels(work.path("out.mov"), "rgb24", "-vf select=eq(n\\,3) -frames:v 1").prefix(3)
    for (found, wanted) in zip(corner, [0x20, 0x40, 0x60]) { #expect(abs(Int(found) - wanted) <= 3, "\(corner)") }
  }
}
