import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

/// Frames from a reader have square pixels, are progressive, include alpha and have standard dynamic range, whatever the file contains;
/// FFmpeg's filters define the expected result.
@Suite struct VideoOpeningTests {
  let folder = TemporaryFolder()

  /// The packed frames of a file, decoded and filtered by FFmpeg's program.
  private func oracle(
    _ path: String, _ filter: String, format: String = "yuv420p", before: [String] = []
  ) throws -> [UInt8] {
    let arguments = ["-v", "error", "-nostdin"] + before + ["-i", path, "-an"]
    let end = ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", format, "-"]
    return [UInt8](try OutsideTool.run("ffmpeg", arguments + (filter.isEmpty ? [] : ["-vf", filter]) + end))
  }

  private func read(_ path: String, keepsDynamicRange: Bool = false) throws -> (
    reader: VideoReader, frames: [VideoFrame]
  ) {
    let reader = try VideoReader(path: path, keepsDynamicRange: keepsDynamicRange)
    var frames: [VideoFrame] = []
    while let frame = try reader.next() { frames.append(frame) }
    return (reader, frames)
  }

  private func largestDifference(_ frames: [VideoFrame], _ bytes: [UInt8]) -> Int {
    let found = frames.flatMap { $0.image.converted(to: .i420).packedBytes }
    guard found.count == bytes.count else { return .max }
    return zip(found, bytes).map { abs(Int($0) - Int($1)) }.max() ?? .max
  }

  // MARK: - Fields

  private static let fields =
    "-f lavfi -i testsrc2=s=192x96:r=50:d=0.4 -vf interlace=scan=tff:lowpass=0"

  @Test(
    "Interlaced video is what bwdif makes of it, with its times",
    arguments: [
      ("a.mp4", "-c:v libx264 -flags +ilme+ildct -x264opts tff=1 -pix_fmt yuv420p"),
      ("a.mpg", "-c:v mpeg2video -flags +ilme+ildct -q:v 3"),
      ("a.mkv", "-c:v ffv1 -field_order tt -pix_fmt yuv420p"),
      ("b.mkv", "-c:v libx264 -flags +ilme+ildct -x264opts bff=1 -pix_fmt yuv422p10"),
    ])
  func interlaced(name: String, codec: String) throws {
    let path = folder.file(name)
    try MediaTool.make("\(Self.fields) \(codec)", path)
    let (reader, frames) = try read(path)
    let isMarked =
      try MediaTool.probe(path, "-select_streams v:0 -show_entries frame=interlaced_frame").first?
      .hasPrefix("1") ?? false
    #expect(reader.properties.isInterlaced == isMarked)
    #expect(reader.properties.changes.contains(.deinterlaced) == isMarked)
    let wanted = try oracle(path, "bwdif=mode=send_frame:parity=auto:deint=interlaced")
    #expect(largestDifference(frames, wanted) <= (name == "b.mkv" ? 1 : 0))
    let times = try MediaTool.frameTimes(path).compactMap { Double($0) }
    let first = (times.first ?? 0) - (frames.first?.seconds ?? 0)
    #expect(times.count == frames.count)
    #expect(zip(times, frames).allSatisfy { abs($0 - first - $1.seconds) < 0.0011 })
  }

  @Test("Of mixed content only what is interlaced changes, and a search begins anew")
  func mixed() throws {
    let (first, second, path) = (folder.file("1.ts"), folder.file("2.ts"), folder.file("mixed.ts"))
    let plain = "-c:v mpeg2video -q:v 3 -g 5 -pix_fmt yuv420p"
    try MediaTool.make("-f lavfi -i testsrc2=s=192x96:r=25:d=0.4 \(plain)", first)
    try MediaTool.make("\(Self.fields) \(plain) -flags +ilme+ildct", second)
    try Data(contentsOf: URL(fileURLWithPath: first)).appending(Data(contentsOf: URL(fileURLWithPath: second)))
      .write(to: URL(fileURLWithPath: path))
    let (reader, frames) = try read(path)
    #expect(reader.properties.isInterlaced)
    #expect(largestDifference(frames, try oracle(path, "bwdif=mode=send_frame:deint=interlaced")) == 0)
    try reader.rewind()
    let again = try #require(try reader.next())
    #expect(again.image.packedBytes == frames[0].image.packedBytes)
  }

  @Test("Progressive video is as it was")
  func progressive() throws {
    let path = folder.file("a.mp4")
    try MediaTool.make("-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p", path)
    let (reader, frames) = try read(path)
    #expect(reader.properties.changes.isEmpty && !reader.properties.isInterlaced)
    #expect(largestDifference(frames, try oracle(path, "")) == 0)
  }

  // MARK: - Shape

  @Test(
    "Pixels become square, as scale=iw*sar:ih makes them",
    arguments: [("2/1", 160), ("64/45", 114), ("8/9", 72), ("1/1000", 80), ("1000/1", 80)])
  func squares(aspect: String, width: Int) throws {
    let path = folder.file("a.mp4")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=80x64:r=25:d=0.2 -vf setsar=\(aspect):max=1000 -c:v libx264 -pix_fmt yuv420p", path)
    let (reader, frames) = try read(path)
    #expect(reader.width == width && reader.height == 64)
    #expect(reader.properties.storedWidth == 80)
    #expect(frames.allSatisfy { $0.image.width == width && $0.image.height == 64 })
    #expect(reader.fittedFrameCount == 0)
    #expect(reader.properties.changes.contains(.squared) == (width != 80))
    let wanted = try oracle(path, "scale=\(width):64:flags=bicubic+accurate_rnd+full_chroma_int")
    #expect(largestDifference(frames, wanted) <= 1)
  }

  // MARK: - Alpha

  private static let clear =
    "-f lavfi -i color=red:s=64x48:r=5:d=0.8,format=rgba,geq=r='X*4':g='Y*4':b='80':a='clip((X-16)*8,0,255)'"

  @Test(
    "Alpha comes beside the picture",
    arguments: [
      ("vp9.webm", "-c:v libvpx-vp9 -pix_fmt yuva420p -lossless 1", "libvpx-vp9", 1),
      ("vp8.webm", "-c:v libvpx -pix_fmt yuva420p -auto-alt-ref 0 -crf 4 -b:v 2M", "libvpx", 12),
      ("vp9.mkv", "-c:v libvpx-vp9 -pix_fmt yuva420p -lossless 1", "libvpx-vp9", 1),
      ("prores.mov", "-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le", "", 0),
      ("animation.mov", "-c:v qtrle -pix_fmt argb", "", 0),
      ("png.mov", "-c:v png -pix_fmt rgba", "", 0),
      ("ffv1.mkv", "-c:v ffv1 -pix_fmt yuva420p", "", 0),
      ("ffv1-16.mkv", "-c:v ffv1 -pix_fmt yuva444p16le", "", 0),
      ("ut.avi", "-c:v utvideo -pix_fmt gbrap", "", 0),
      ("a.apng", "-c:v apng -pix_fmt rgba -plays 0 -f apng", "", 0),
      ("a.gif", "-lavfi split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse", "", 255),
    ])
  func alpha(name: String, codec: String, decoder: String, tolerance: Int) throws {
    let path = folder.file(name)
    try MediaTool.make("\(Self.clear) \(codec)", path)
    let (reader, frames) = try read(path)
    #expect(frames.count == 4)
    #expect(reader.properties.hasAlpha && reader.properties.changes.contains(.partedFromAlpha))
    let wanted = try oracle(
      path, "format=rgba,alphaextract", format: "gray", before: decoder.isEmpty ? [] : ["-c:v", decoder])
    #expect(wanted.count == 4 * 64 * 48)
    let found = try frames.flatMap { try #require($0.alpha).samples }
    let most = zip(found, wanted).map { abs(Int($0) - Int($1)) }.max() ?? .max
    #expect(most <= 1)
    // The alpha also equals the generated picture's.
    for x in 0..<64 {
      #expect(abs(Int(found[20 * 64 + x]) - min(max((x - 16) * 8, 0), 255)) <= max(2, tolerance))
    }
    #expect(frames.allSatisfy { $0.image.alpha == .opaque })
  }

  @Test("Opaque video has no alpha, though its format could")
  func opaque() throws {
    let path = folder.file("a.mov")
    try MediaTool.make("-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -c:v qtrle -pix_fmt argb", path)
    let (reader, frames) = try read(path)
    #expect(frames.allSatisfy { $0.alpha == nil } && !reader.properties.hasAlpha)
  }

  // MARK: - High dynamic range

  private static let marks = "-color_primaries bt2020 -colorspace bt2020nc -color_range tv"

  @Test(
    "PQ and HLG become what the tone mapping says, from their own samples",
    arguments: [
      ("hevc.mp4", "arib-std-b67", "-c:v libx265 -x265-params log-level=none:lossless=1 -pix_fmt yuv420p10le"),
      ("ffv1.mkv", "smpte2084", "-c:v ffv1 -pix_fmt yuv422p10le"),
      ("prores.mov", "arib-std-b67", "-c:v prores_ks -pix_fmt yuv444p10le -profile:v 4444"),
      ("eight.mkv", "arib-std-b67", "-c:v ffv1 -pix_fmt yuv420p"),
    ])
  func tones(name: String, transfer: String, codec: String) throws {
    let path = folder.file(name)
    try MediaTool.make(
      // Some encoders take their marks from the frames.
      "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -vf "
        + "setparams=color_primaries=bt2020:color_trc=\(transfer):colorspace=bt2020nc:range=tv \(codec) \(Self.marks) "
        + "-color_trc \(transfer)", path)
    let (reader, frames) = try read(path)
    #expect(reader.color == .video && reader.dynamicRange == (transfer == "smpte2084" ? "PQ" : "HLG"))
    #expect(reader.properties.changes.contains(.toneMapped))
    #expect(reader.properties.color.space == ColorSpace(.bt2020, transfer == "smpte2084" ? .pq : .hlg))
    let tone = try #require(ToneMapping(from: reader.properties.color.space))
    // FFmpeg's samples, in 4:4:4.
    let raw = try oracle(path, "", format: "yuv444p16le")
    #expect(raw.count == frames.count * 64 * 48 * 6)
    for (index, frame) in frames.enumerated() {
      #expect(frame.image.color == .video)
      let row = frame.image.row(24)
      for x in stride(from: 0, to: 64, by: 3) {
        func sample(_ plane: Int) -> Double {
          let at = ((index * 3 + plane) * 64 * 48 + 24 * 64 + x) * 2
          return Double(Int(raw[at]) | Int(raw[at + 1]) << 8) / 256
        }
        let (luma, cb, cr) = ((sample(0) - 16) / 219, (sample(1) - 128) / 224, (sample(2) - 128) / 224)
        let (red, blue) = (luma + 1.4746 * cr, luma + 1.8814 * cb)
        let green = (luma - 0.2627 * red - 0.0593 * blue) / 0.6780
        let wanted = tone([red, green, blue].map { min(max($0, 0), 1) })
        let level = 16 + 219 * (0.2126 * wanted[0] + 0.7152 * wanted[1] + 0.0722 * wanted[2])
        // FFmpeg and Backdrop upsample halved chroma in different ways.
        if name == "prores.mov" { #expect(abs(Double(row[x]) - level) <= 2, "\(name) \(x)") }
      }
    }
    // A flat field of reference white is the same everywhere.
    let flat = folder.file("flat.mkv")
    let white = transfer == "smpte2084" ? 64 + 876 * 0.58069 : 64 + 876 * 0.75
    try MediaTool.make(
      "-f lavfi -i color=black:s=64x48:r=5:d=0.2,format=yuv420p10le,geq=lum=\(Int(white.rounded())):cb=512:cr=512 "
        + "-c:v ffv1 \(Self.marks) -color_trc \(transfer)", flat)
    let field = try #require(try VideoReader(path: flat).next())
    let sample = transfer == "smpte2084" ? 0.58069 : 0.75
    let gray = tone([sample, sample, sample])
    #expect(abs(Double(field.image.row(10)[10]) - (16 + 219 * gray[0])) <= 1)
  }

  @Test("The samples of 10 bits are there for whoever asks")
  func deep() throws {
    let path = folder.file("a.mkv")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -c:v ffv1 -pix_fmt yuv420p10le \(Self.marks) -color_trc arib-std-b67",
      path)
    let (reader, frames) = try read(path, keepsDynamicRange: true)
    #expect(!reader.properties.changes.contains(.toneMapped))
    let raw = try oracle(path, "", format: "yuv420p10le")
    let found = try frames.flatMap { frame -> [UInt8] in
      let deep = try #require(frame.deep)
      #expect(deep.bits == 10 && deep.color.space == ColorSpace(.bt2020, .hlg))
      return (deep.luma.samples + deep.cb.samples + deep.cr.samples).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    }
    #expect(found == raw)
  }
}

extension Data {
  fileprivate func appending(_ other: Data) -> Data {
    var result = self
    result.append(other)
    return result
  }
}
