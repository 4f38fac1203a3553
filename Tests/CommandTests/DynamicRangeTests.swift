import Foundation
import TestSupport
import Testing

/// `--hdr`: a PQ or HLG video with another background, read by FFmpeg.
@Suite struct DynamicRangeTests {
  let work = Workplace()
  static let width = 192, height = 128

  /// Creates a clip whose left half is a green screen and whose right half is far brighter than standard dynamic range allows; white is
  /// 203 cd/m².
  private func makeClip(_ name: String, _ curve: String) throws {
    let filter =
      "color=c=0x00c800:s=96x128:r=25:d=0.2[a];color=c=0xc81e1e:s=96x128:r=25:d=0.2[b];[a][b]hstack,format=gbrp,"
      + "zscale=rin=full:pin=709:tin=iec61966-2-1:min=gbr:p=2020:t=linear:npl=203,format=gbrpf32le,"
      + "zscale=p=2020:t=\(curve):m=2020_ncl:r=limited:npl=203,format=yuv420p10le,"
      + "geq=lum='if(gte(X,96),900,p(X,Y))':cb='p(X,Y)':cr='p(X,Y)'"
    try MediaTool.make(
      "-filter_complex \(filter) -c:v libx265 -tag:v hvc1 -x265-params "
        + "log-level=none:crf=4:colorprim=bt2020:transfer=\(curve):colormatrix=bt2020nc:range=limited "
        + "-color_primaries bt2020 -color_trc \(curve) -colorspace bt2020nc", work.path(name))
  }

  /// Luma and chroma of the centre pixel of each half, in the last frame, in steps of 10 bits.
  private func samples(_ name: String) throws -> [[Int]] {
    let raw = try MediaTool.pixels(work.path(name), "yuv420p10le")
    let size = 2 * (Self.width * Self.height * 3 / 2)
    let frame = raw.suffix(size)
    func sample(_ index: Int) -> Int {
      Int(frame[frame.startIndex + 2 * index]) | Int(frame[frame.startIndex + 2 * index + 1]) << 8
    }
    return [Self.width / 4, 3 * Self.width / 4].map { x in
      let chroma = Self.width * Self.height + Self.height / 4 * (Self.width / 2) + x / 2
      return [
        sample(Self.height / 2 * Self.width + x), sample(chroma), sample(chroma + Self.width * Self.height / 4),
      ]
    }
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    var curve: String, name: String, codec: String, flags = "", command = "replace"
    var testDescription: String { "\(command) \(curve) \(name) \(flags)" }
    /// Reference white, 203 cd/m²: 75 % of HLG, 58.07 % of PQ (ITU-R BT.2408-7, table 1, and BT.2100-2), in limited range.
    var white: Int { curve == "smpte2084" ? 573 : 721 }
  }

  @Test(arguments: [
    Kind(curve: "arib-std-b67", name: "out.mp4", codec: "hevc"),
    Kind(curve: "arib-std-b67", name: "out.mov", codec: "prores", flags: "--codec prores"),
    Kind(curve: "arib-std-b67", name: "out.webm", codec: "av1"),
    Kind(curve: "smpte2084", name: "out.mkv", codec: "hevc"),
    Kind(curve: "smpte2084", name: "out.mkv", codec: "hevc", command: "apply backdrop"),
  ])
  func keepsDynamicRange(kind: Kind) throws {
    try makeClip("in.mov", kind.curve)
    try work.succeed(
      "\(kind.command) in.mov --hdr --matte chroma --background #ffffff -o \(kind.name) \(kind.flags)")
    let video = try MediaTool.video(work.path(kind.name))
    #expect(video["codec_name"] == kind.codec && video["nb_read_frames"] == "5")
    #expect(video["color_transfer"] == kind.curve && video["color_primaries"] == "bt2020")
    #expect(video["color_space"] == "bt2020nc" && video["pix_fmt"]?.contains("10") == true)
    let (before, after) = (try samples("in.mov"), try samples(kind.name))
    // The subject is unchanged, and the background is reference white; the tolerance is for codecs.
    #expect(zip(before[1], after[1]).allSatisfy { abs($0 - $1) <= 6 }, "\(before) \(after)")
    #expect(
      abs(after[0][0] - kind.white) <= 4 && abs(after[0][1] - 512) <= 4 && abs(after[0][2] - 512) <= 4, "\(after)")
  }

  @Test(arguments: [
    ("plain.mp4 --hdr -o x.mp4", "high dynamic range"), ("in.mov --hdr -o x.png", "10 bits"),
    ("in.mov --hdr --codec h264 -o x.mp4", "10 bits"), ("in.mov --hdr -o x.gif", "10 bits"),
    ("in.mov --hdr --aspect 1:1 -o x.mp4", "does nothing else"),
  ])
  func refusals(line: String, says: String) throws {
    try makeClip("in.mov", "arib-std-b67")
    try MediaTool.make("-f lavfi -i color=green:s=192x128:r=25:d=0.2 -c:v libx264", work.path("plain.mp4"))
    try work.refuse("replace \(line) --matte chroma", says: says)
  }
}
