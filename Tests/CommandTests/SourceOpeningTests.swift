import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Opening a file resolves its pixel properties, in every role; ffmpeg and ffprobe check the results.
@Suite struct SourceOpeningTests {
  let work = Workplace()

  private func make(_ arguments: String, _ name: String) throws {
    try MediaTool.make(arguments, work.path(name))
  }

  /// The mean colour of a part of a picture, or of a video's first frame, according to ffmpeg.
  private func color(_ name: String, _ part: String) throws -> [Int] {
    try MediaTool.pixels(work.path(name), "rgb24", "-frames:v 1 -vf crop=\(part),scale=1:1:flags=area").map(Int.init)
  }

  private func isNear(_ color: [Int], _ wanted: [Int], _ tolerance: Int = 6) -> Bool {
    color.count == 3 && zip(color, wanted).allSatisfy { abs($0 - $1) <= tolerance }
  }

  static let hasRuntime = AdviceTests.hasRuntime

  @Test(
    "HDR is written and put behind as standard dynamic range, and a note says so once",
    .enabled(if: hasRuntime, "needs the network runtime: backdrop models install"))
  func dynamicRange() throws {
    // Reference white on the left, half as much light on the right.
    try make(
      "-f lavfi -i color=black:s=128x64:r=5:d=0.4,format=yuv420p10le,geq=lum='if(lt(X,64),721,520)':cb=512:cr=512 "
        + "-c:v libx265 -x265-params log-level=none:lossless=1 -tag:v hvc1 -color_primaries bt2020 -colorspace bt2020nc "
        + "-color_trc arib-std-b67 -color_range tv", "hlg.mov")
    let outcome = try work.succeed("matte hlg.mov -o matte.mp4")
    #expect(outcome.errors.components(separatedBy: "HDR (HLG)").count == 2, "\(outcome.errors)")
    try work.succeed("replace hlg.mov --background blur:1 -o out.mp4")
    let video = try MediaTool.video(work.path("out.mp4"))
    #expect(["color_space", "color_transfer", "color_primaries"].allSatisfy { video[$0] == "bt709" }, "\(video)")
    let tone = try #require(ToneMapping(from: ColorSpace(.bt2020, .hlg)))
    let white = tone([0.75, 0.75, 0.75])[0] * 255
    try work.succeed("replace sim:talking?size=128x64&seconds=0.2 --cutoff 0.2 --background hlg.mov -o behind.png")
    for name in ["out.mp4", "behind.png"] {
      let found = try color(name, "16:16:4:4")
      #expect(isNear(found, [Int(white), Int(white), Int(white)]), "\(name): \(found), \(white)")
    }
  }

  @Test(
    "Pixels are square in every output, and behind",
    .enabled(if: hasRuntime, "needs the network runtime: backdrop models install"),
    arguments: ["out.mp4", "out.gif", "out.png", "out/%d.png"])
  func squares(output: String) throws {
    try make(
      "-f lavfi -i color=red:s=80x90:r=5:d=0.4,drawbox=w=40:h=45:color=blue:t=fill,setsar=2/1 -c:v libx264 -pix_fmt "
        + "yuv420p", "wide.mp4")
    try work.succeed("replace wide.mp4 --background blur:1 -o \(output)")
    let video = try MediaTool.video(work.path(output.replacingOccurrences(of: "%d", with: "1")))
    #expect(video["width"] == "160" && video["height"] == "90", "\(video)")
    #expect(["1:1", "N/A", nil].contains(video["sample_aspect_ratio"]), "\(video)")
    try work.succeed("replace sim:talking?size=160x90&seconds=0.2 --cutoff 0.2 --background wide.mp4 -o behind.png")
    #expect(isNear(try color("behind.png", "44:28:4:6"), [0, 0, 255], 12))
    #expect(isNear(try color("behind.png", "40:28:112:6"), [255, 0, 0], 12))
  }

  @Test(
    "Interlaced video comes out progressive, and a note says so",
    .enabled(if: hasRuntime, "needs the network runtime: backdrop models install"))
  func fields() throws {
    try make(
      "-f lavfi -i testsrc2=s=192x96:r=50:d=0.4 -vf interlace=scan=tff:lowpass=0 -c:v libx264 -flags +ilme+ildct "
        + "-x264opts tff=1 -pix_fmt yuv420p", "fields.mp4")
    let outcome = try work.succeed("replace fields.mp4 --background blur:1 -o out.mp4")
    let notes = outcome.errors.split(separator: "\n").filter { $0.contains("interlaced") }
    #expect(notes.count == 1, "\(outcome.errors)")
    let video = try MediaTool.video(work.path("out.mp4"))
    #expect(
      video["nb_read_frames"] == "10" && ["progressive", "unknown", nil].contains(video["field_order"]), "\(video)")
  }

  @Test(
    "What a video's alpha hides is never shown, and is black behind",
    .enabled(if: hasRuntime, "needs the network runtime: backdrop models install"),
    arguments: [
      ("clear.webm", "-c:v libvpx-vp9 -pix_fmt yuva420p -lossless 1"),
      ("clear.mov", "-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le"),
    ])
  func alpha(name: String, codec: String) throws {
    try make(
      "-f lavfi -i color=red:s=128x64:r=5:d=0.4,format=rgba,geq=r=220:g=30:b=30:a='if(lt(X,64),0,255)' \(codec)", name)
    try work.succeed("replace \(name) --background blur:1 -o room.png")
    #expect(isNear(try color("room.png", "40:40:4:4"), [0, 0, 0]))
    try work.succeed("replace sim:talking?size=128x64&seconds=0.2 --cutoff 0.2 --background \(name) -o behind.png")
    #expect(isNear(try color("behind.png", "40:40:4:4"), [0, 0, 0]))
    #expect(isNear(try color("behind.png", "12:12:112:4"), [220, 30, 30], 12))
  }

  @Test(
    "A transparent result that is read again has the same matte",
    .enabled(if: hasRuntime, "needs the network runtime: backdrop models install"),
    arguments: ["x.mov", "x.mkv --codec ffv1"])
  func roundTrip(output: String) throws {
    let name = String(output.prefix { $0 != " " })
    try work.succeed(
      "replace sim:talking?size=320x180&seconds=0.3 --background none -o \(output) --save-matte first/%d.png")
    try work.succeed("matte \(name) -o again/%d.png")
    for number in [1, 5, 9] {
      let first = try Picture.load(work.path("first/\(number).png"), as: .gray8).packedBytes
      let again = try Picture.load(work.path("again/\(number).png"), as: .gray8).packedBytes
      #expect(first.contains(255) && first.contains(0) && first.count == again.count)
      #expect(zip(first, again).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "frame \(number)")
    }
  }
}
