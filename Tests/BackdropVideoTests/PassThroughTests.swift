import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

/// Copying preserves frame counts, times, sound, subtitles, chapters, colour marks and rotation, read back by ffprobe.
@Suite struct PassThroughTests {
  let folder = TemporaryFolder()
  static let picture = "-f lavfi -i testsrc2=s=96x64:r=25:d=1.2"
  static let sound = "-f lavfi -i sine=f=440:d=1.2"

  struct Clip: CustomTestStringConvertible, Sendable {
    var name: String
    var arguments: String
    var output = "out.mp4"
    var testDescription: String { "\(name) → \(output)" }
  }

  static let clips: [Clip] = [
    Clip(name: "h264.mp4", arguments: "\(picture) \(sound) -c:v libx264 -bf 3 -pix_fmt yuv420p -c:a aac"),
    Clip(name: "h264.mov", arguments: "\(picture) \(sound) -c:v libx264 -pix_fmt yuv420p -c:a aac"),
    Clip(name: "silent.mp4", arguments: "\(picture) -c:v libx264 -pix_fmt yuv420p"),
    Clip(name: "h265.mp4", arguments: "\(picture) \(sound) -c:v libx265 -x265-params log-level=none -c:a aac"),
    Clip(
      name: "30000.mp4",
      arguments: "-f lavfi -i testsrc2=s=96x64:r=30000/1001:d=1.2 \(sound) -c:v libx264 -pix_fmt yuv420p -c:a aac"),
    Clip(
      name: "vfr.mp4",
      arguments: "\(picture) \(sound) -vf setpts='N*N*7+N*300' -fps_mode vfr -enc_time_base 1/9000 -c:v libx264 "
        + "-pix_fmt yuv420p -video_track_timescale 9000 -c:a aac"),
    Clip(name: "vfr.mkv", arguments: "\(picture) \(sound) -vf setpts='(N*N/50+N)/25/TB' -fps_mode vfr -c:a aac"),
    Clip(
      name: "start.mp4",
      arguments: "\(picture) \(sound) -output_ts_offset 3.48 -c:v libx264 -pix_fmt yuv420p -c:a aac"),
    Clip(name: "h264.mkv", arguments: "\(picture) \(sound) -c:v libx264 -pix_fmt yuv420p -c:a aac"),
    Clip(name: "vp9.webm", arguments: "\(picture) \(sound) -c:v libvpx-vp9 -deadline realtime -c:a libopus"),
    Clip(name: "444.mp4", arguments: "\(picture) -c:v libx264 -pix_fmt yuv444p"),
    Clip(name: "10bit.mp4", arguments: "\(picture) -c:v libx265 -x265-params log-level=none -pix_fmt yuv420p10le"),
    Clip(name: "h264.mp4", arguments: "\(picture) \(sound) -c:v libx264 -pix_fmt yuv420p -c:a aac", output: "out.mov"),
    Clip(name: "hevc.mp4", arguments: "\(picture) \(sound) -c:v libx264 -pix_fmt yuv420p -c:a aac", output: "h265.mp4"),
  ]

  @Test(arguments: clips) func timesAndSoundStay(clip: Clip) throws { try passesThrough(clip) }

  @Test(.enabled(if: MediaTool.hasEncoder("libmp3lame"), "needs ffmpeg with libmp3lame"))
  func motionJPEGAndMP3() throws {
    try passesThrough(Clip(name: "mjpeg.avi", arguments: "\(Self.picture) \(Self.sound) -c:v mjpeg -c:a mp3"))
  }

  @Test(.enabled(if: MediaTool.hasEncoder("libsvtav1"), "needs ffmpeg with libsvtav1"))
  func av1OfSVT() throws {
    try passesThrough(Clip(name: "av1.mp4", arguments: "\(Self.picture) -c:v libsvtav1 -preset 12"))
  }

  @Test(.enabled(if: MediaTool.hasEncoder("libaom-av1"), "needs ffmpeg with libaom-av1"))
  func av1OfAOM() throws {
    try passesThrough(Clip(name: "av1.mkv", arguments: "\(Self.picture) -c:v libaom-av1 -cpu-used 8"))
  }

  func passesThrough(_ clip: Clip) throws {
    let (source, target) = (folder.file(clip.name), folder.file(clip.output))
    try MediaTool.make(clip.arguments, source)
    let codec: VideoSettings.Codec = clip.output.hasPrefix("h265") ? .h265 : .h264
    let (reader, writer) = try passThrough(source, target, codec: codec)
    #expect(!reader.endedEarly)
    #expect(reader.corruptFrameCount == 0 && reader.undecodablePacketCount == 0 && reader.reversedTimeCount == 0)
    #expect(reader.lostFrameCount == 0 && reader.jumpCount == 0 && reader.fittedFrameCount == 0)
    let times = try MediaTool.frameTimes(source)
    #expect(times.count > 20)
    #expect(writer.frameCount == times.count)
    #expect(try MediaTool.frameTimes(target) == times)
    #expect(try MediaTool.packetHashes(target, "a") == MediaTool.packetHashes(source, "a"))
    let tolerance = clip.name.hasSuffix(".mp4") || clip.name.hasSuffix(".mov") ? 1e-6 : 0.0006
    try expectClose(
      MediaTool.packetTimes(source, "a"),
      MediaTool.packetTimes(target, "a"), tolerance)
    #expect(folder.contents == [clip.name, clip.output].sorted())
  }

  /// Matroska stores milliseconds, so times may differ by half of one.
  @Test(arguments: ["out.mkv", "ffv1.mkv", "out.webm"])
  func millisecondContainers(output: String) throws {
    let (source, target) = (folder.file("in.mp4"), folder.file(output))
    let audio = output.hasSuffix("webm") ? "libopus" : "aac"
    try MediaTool.make("\(Self.picture) \(Self.sound) -c:v libx264 -pix_fmt yuv420p -c:a \(audio)", source)
    try passThrough(source, target, codec: output.hasPrefix("ffv1") ? .ffv1 : nil)
    try expectClose(MediaTool.frameTimes(source), MediaTool.frameTimes(target), 0.0006)
    #expect(try MediaTool.packetHashes(target, "a") == MediaTool.packetHashes(source, "a"))
    try expectClose(
      MediaTool.packetTimes(source, "a"),
      MediaTool.packetTimes(target, "a"), 0.0006)
  }

  @Test func ffv1IsLossless() throws {
    let (source, target) = (folder.file("in.mp4"), folder.file("out.mkv"))
    try MediaTool.make("\(Self.picture) -c:v libx264 -pix_fmt yuv420p", source)
    try passThrough(source, target, codec: .ffv1)
    let hashes = try [source, target].map {
      try MediaTool.text($0, "-map 0:v -f framehash")
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: ",").last ?? "" }
    }
    #expect(hashes[0].count == 30)
    #expect(hashes[0] == hashes[1])
  }

  @Test func subtitlesChaptersTracksAndTitles() throws {
    try "1\n00:00:00,200 --> 00:00:00,700\nHello\n\n2\n00:00:00,800 --> 00:00:01,100\nWorld\n"
      .write(toFile: folder.file("s.srt"), atomically: true, encoding: .utf8)
    try
      (";FFMETADATA1\ntitle=A title\nartist=Somebody\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1200\ntitle=Two\n")
      .write(toFile: folder.file("m.txt"), atomically: true, encoding: .utf8)
    for (fileExtension, subtitle) in [("mp4", "mov_text"), ("mkv", "srt")] {
      let (source, target) = (folder.file("in.\(fileExtension)"), folder.file("out.\(fileExtension)"))
      try MediaTool.make(
        "\(Self.picture) \(Self.sound) -f lavfi -i sine=f=880:d=1.2 -i \(folder.file("s.srt")) -i \(folder.file("m.txt")) "
          + "-map 0 -map 1 -map 2 -map 3 -map_metadata 4 -map_chapters 4 -c:v libx264 -pix_fmt yuv420p -c:a aac -c:s "
          + "\(subtitle) -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu", source)
      let (reader, _) = try passThrough(source, target)
      #expect(reader.audioStreamCount == 2)
      for streams in ["a:0", "a:1", "s"] {
        #expect(try MediaTool.packets(target, streams) == MediaTool.packets(source, streams))
        #expect(try !MediaTool.packets(target, streams).isEmpty)
      }
      for entries in [
        "chapter=start_time,end_time:chapter_tags=title", "format_tags=title,artist",
        "stream=codec_type:stream_tags=language",
        "stream=codec_type:stream_disposition=default",
      ] {
        let found = try MediaTool.probe(target, "-show_entries \(entries)").filter { !$0.hasPrefix("data") }
        #expect(!found.isEmpty)
        #expect(try found == MediaTool.probe(source, "-show_entries \(entries)").filter { !$0.hasPrefix("data") })
      }
    }
  }

  @Test(arguments: [
    ("bt709", "tv", "bt709", "bt709"), ("smpte170m", "tv", "smpte170m", "smpte170m"),
    ("bt470bg", "pc", "bt470bg", "gamma28"), ("bt2020nc", "tv", "bt2020", "bt2020-10"),
  ])
  func coloursAreKept(space: String, range: String, primaries: String, transfer: String) throws {
    let (source, target) = (folder.file("in.mp4"), folder.file("out.mp4"))
    try MediaTool.make(
      "\(Self.picture) -c:v libx264 -pix_fmt yuv420p -colorspace \(space) -color_range \(range) -color_primaries "
        + "\(primaries) -color_trc \(transfer)", source)
    let (reader, _) = try passThrough(source, target)
    #expect(reader.color.range == (range == "pc" ? .full : .limited))
    #expect(reader.color.matrix == (space == "bt709" ? .bt709 : space == "bt2020nc" ? .bt2020 : .bt601))
    // The two names of BT.601 mean the same coefficients.
    #expect(try MediaTool.videoField(target, "color_space") == (space == "bt470bg" ? "smpte170m" : space))
    for field in ["color_range", "color_primaries", "color_transfer"] {
      #expect(try MediaTool.videoField(target, field) == MediaTool.videoField(source, field))
    }
  }

  @Test(arguments: [0, 90, 180, 270])
  func rotationIsKept(degrees: Int) throws {
    let (plain, source, target) = (folder.file("plain.mp4"), folder.file("in.mp4"), folder.file("out.mp4"))
    try MediaTool.make("\(Self.picture) -c:v libx264 -pix_fmt yuv420p", plain)
    try MediaTool.turn(plain, degrees: degrees, source)
    let (reader, _) = try passThrough(source, target)
    #expect(reader.width == 96 && reader.height == 64)
    #expect(reader.orientation.swapsSides == (degrees % 180 == 90))
    let shown = try [source, target].map { try MediaTool.videoField($0, "width,height:stream_side_data=rotation") }
    #expect(shown[0] == shown[1])
  }

  /// The upper left quarter of the stored picture is white; its position in ffmpeg's display shows the rotation.
  @Test(arguments: [
    (Orientation.up, 0, 0), (.upMirrored, 1, 0), (.down, 1, 1), (.downMirrored, 0, 1), (.right, 1, 0), (.left, 0, 1),
  ])
  func orientationMeansWhatFFmpegShows(orientation: Orientation, column: Int, row: Int) throws {
    let target = folder.file("out.mp4")
    var settings = VideoSettings(width: 64, height: 32, frameRate: Rational(25, 1))
    settings.orientation = orientation
    var samples = [UInt8](repeating: 0, count: 64 * 32)
    for y in 0..<16 { for x in 0..<32 { samples[y * 64 + x] = 255 } }
    let writer = try VideoWriter(OutputFile(target, overwrite: false), settings: settings)
    try writer.write(Image(.gray8, width: 64, height: 32, packed: samples.span, color: .jpeg), time: 0, duration: 1)
    try writer.finish()
    let shown = try MediaTool.pixels(target, "gray", "-frames:v 1")
    let (w, h) = orientation.swapsSides ? (32, 64) : (64, 32)
    try #require(shown.count == w * h)
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let value = shown[(y == 0 ? h / 4 : h * 3 / 4) * w + (x == 0 ? w / 4 : w * 3 / 4)]
      #expect((value > 128) == (x == column && y == row), "quarter \(x), \(y) is \(value)")
    }
  }

  @Test(arguments: Orientation.allCases)
  func everyOrientationGoesThroughAFile(orientation: Orientation) throws {
    let target = folder.file("out.mp4")
    var settings = VideoSettings(width: 32, height: 16, frameRate: Rational(25, 1))
    settings.orientation = orientation
    let writer = try VideoWriter(OutputFile(target, overwrite: false), settings: settings)
    try writer.write(Image(.gray8, width: 32, height: 16), time: 0, duration: 1)
    try writer.finish()
    #expect(try VideoReader(path: target).orientation == orientation)
  }

  @Test func pixelsBecomeSquare() throws {
    let (source, target) = (folder.file("in.mp4"), folder.file("out.mp4"))
    try MediaTool.make("\(Self.picture) -vf setsar=4/3 -c:v libx264 -pix_fmt yuv420p", source)
    #expect(try passThrough(source, target).reader.properties.pixelAspect == Rational(4, 3))
    #expect(try MediaTool.videoField(target, "width") == "128")
    #expect(["1:1", "N/A"].contains(try MediaTool.videoField(target, "sample_aspect_ratio")))
  }

  @Test(
    .enabled(if: TestData.isPresent, "needs BACKDROP_DATA"),
    arguments: [
      "talking_head_720p.mp4", "seated_man_outdoor_6s.mp4", "webcam_matted_on_green_5s.mp4",
    ])
  func realClips(name: String) throws {
    let (source, target) = (TestData.path("video/" + name), folder.file("out.mp4"))
    try passThrough(source, target)
    #expect(try MediaTool.frameTimes(target) == MediaTool.frameTimes(source))
    #expect(try MediaTool.packets(target, "a") == MediaTool.packets(source, "a"))
  }
}

/// Two lists of numbers in text, equal in length and within `tolerance`.
func expectClose(_ a: [String], _ b: [String], _ tolerance: Double, sourceLocation: SourceLocation = #_sourceLocation) {
  let (x, y) = ([a, b].map { $0.compactMap { Double($0.split(separator: ",").first ?? "") } }).pair
  #expect(x.count == y.count, sourceLocation: sourceLocation)
  for (index, pair) in zip(x, y).enumerated() where abs(pair.0 - pair.1) > tolerance {
    Issue.record("value \(index): \(pair.0) and \(pair.1)", sourceLocation: sourceLocation)
    return
  }
}

extension Array {
  fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
