import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

/// Sound and subtitles that a container cannot store directly, read back by FFmpeg's programs.
@Suite struct StreamCodingTests {
  let folder = TemporaryFolder()
  static let picture = "-f lavfi -i testsrc2=s=64x48:r=25:d=3"
  /// Clicks of a tenth of a second at each whole second.
  static func clicks(_ rate: Int, delay: Double = 0) -> String {
    "-f lavfi -i aevalsrc=0.8*sin(2*PI*440*t)*lt(mod(t\\,1)\\,0.1):s=\(rate):d=3"
  }

  /// Seconds from the first picture at which ffmpeg hears a sound begin.
  private func onsets(_ path: String, _ track: Int = 0) throws -> [Double] {
    let bytes = try MediaTool.output(
      path, "-map 0:a:\(track) -af aresample=async=1:first_pts=0 -ac 1 -ar 48000 -f f32le")
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    // The program counts from the file's first packet, not from the first picture.
    let first = try MediaTool.probe(path, "-show_entries format=start_time").first.flatMap(Double.init) ?? 0
    let start = first - (try MediaTool.frameTimes(path).first.flatMap(Double.init) ?? 0)
    var (found, last) = ([Double](), -1.0)
    for (index, sample) in samples.enumerated() where abs(sample) > 0.15 {
      let time = start + Double(index) / 48_000
      if time - last > 0.3 { found.append(time) }
      last = time
    }
    return found
  }

  private func streams(_ path: String, _ kind: String, _ fields: String) throws -> [String] {
    try MediaTool.probe(path, "-select_streams \(kind) -show_entries \(fields)").filter { !$0.isEmpty }
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    var codec: String, rate: Int, source: String, target: String, becomes: String
    var testDescription: String { "\(codec) in \(source) → \(target)" }
  }

  static let kinds: [Kind] = [
    Kind(codec: "aac", rate: 44_100, source: "in.mp4", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "aac -ac 2", rate: 48_000, source: "in.mp4", target: "out.webm", becomes: "opus,48000,2"),
    Kind(codec: "aac", rate: 44_100, source: "in.ts", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "pcm_s16le", rate: 44_100, source: "in.mov", target: "out.mp4", becomes: "aac,44100,1"),
    Kind(codec: "pcm_s24le", rate: 48_000, source: "in.mov", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "pcm_u8", rate: 22_050, source: "in.avi", target: "out.mp4", becomes: "aac,22050,1"),
    Kind(codec: "pcm_f32le -ac 6", rate: 48_000, source: "in.mkv", target: "out.mp4", becomes: "aac,48000,6"),
    Kind(codec: "pcm_mulaw", rate: 8000, source: "in.mov", target: "out.mp4", becomes: "aac,8000,1"),
    Kind(codec: "pcm_s16le", rate: 192_000, source: "in.mkv", target: "out.mp4", becomes: "aac,48000,1"),
    Kind(codec: "adpcm_ms", rate: 22_050, source: "in.avi", target: "out.mp4", becomes: "aac,22050,1"),
    Kind(codec: "adpcm_ima_qt", rate: 44_100, source: "in.mov", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "flac", rate: 96_000, source: "in.mkv", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "ac3 -ac 6", rate: 48_000, source: "in.mkv", target: "out.webm", becomes: "opus,48000,6"),
    Kind(codec: "dca -strict -2 -ac 6", rate: 48_000, source: "in.mkv", target: "out.webm", becomes: "opus,48000,6"),
    Kind(codec: "truehd -strict -2 -ac 2", rate: 48_000, source: "in.mkv", target: "out.mp4", becomes: "aac,48000,2"),
    Kind(codec: "alac", rate: 44_100, source: "in.mov", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "mp2", rate: 48_000, source: "in.mkv", target: "out.webm", becomes: "opus,48000,1"),
    Kind(codec: "wmav2", rate: 44_100, source: "in.asf", target: "out.mp4", becomes: "aac,44100,1"),
  ]

  /// Each click keeps its time relative to the pictures, to within a packet, and the writer reports the conversion in a note.
  @Test(arguments: kinds) func clicksStayWhereTheyWere(kind: Kind) throws {
    let (source, target) = (folder.file(kind.source), folder.file(kind.target))
    try MediaTool.make(
      "\(Self.picture) \(Self.clicks(kind.rate)) -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a \(kind.codec)",
      source)
    let (_, writer) = try passThrough(source, target)
    #expect(try streams(target, "a", "stream=codec_name,sample_rate,channels") == [kind.becomes])
    let name = kind.becomes.hasPrefix("aac") ? "AAC" : "Opus"
    #expect(writer.notes.count { $0.contains("to \(name), since this kind of file") } == 1, "\(writer.notes)")
    let (before, after) = (try onsets(source), try onsets(target))
    #expect(before.count == 3 && after.count == 3, "\(before) \(after)")
    for (a, b) in zip(before, after) { #expect(abs(a - b) < 0.003, "\(before) \(after)") }
    // No picture may move either, but clocks of transport streams begin anywhere.
    guard !kind.source.hasSuffix("ts") else { return }
    try expectClose(MediaTool.frameTimes(source), MediaTool.frameTimes(target), 0.0011)
  }

  /// The writer copies streams that the container supports bit by bit.
  @Test(arguments: [
    ("aac", "out.mov"), ("ac3", "out.mp4"), ("alac", "out.mp4"), ("pcm_s16le", "out.mov"), ("flac", "out.mkv"),
  ])
  func whatFitsIsCopied(codec: String, target: String) throws {
    let (source, target) = (folder.file("in.mkv"), folder.file(target))
    try MediaTool.make("\(Self.picture) \(Self.clicks(48_000)) -c:v libx264 -preset ultrafast -c:a \(codec)", source)
    let (_, writer) = try passThrough(source, target)
    #expect(try MediaTool.packetHashes(target, "a") == MediaTool.packetHashes(source, "a"))
    #expect(writer.notes.isEmpty, "\(writer.notes)")
  }

  /// Of two tracks of different kinds, the writer copies one and re-encodes the other. It keeps languages, titles and marks.
  @Test func eachTrackByItself() throws {
    let (source, target) = (folder.file("in.mkv"), folder.file("out.webm"))
    try MediaTool.make(
      "\(Self.picture) \(Self.clicks(48_000)) \(Self.clicks(44_100)) -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast "
        + "-c:a:0 libopus -c:a:1 aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu "
        + "-metadata:s:a:1 title=Zweite -disposition:a:0 0 -disposition:a:1 default", source)
    try passThrough(source, target)
    let fields = "stream=codec_name:stream_disposition=default:stream_tags=language,title"
    #expect(try streams(target, "a", fields) == ["opus,0,eng", "opus,1,deu,Zweite"])
    #expect(try MediaTool.packetHashes(target, "a:0") == MediaTool.packetHashes(source, "a:0"))
    #expect(try onsets(target, 1).count == 3)
  }

  /// The result is silent where the source has a gap, and before sound that begins late.
  @Test func gapsStay() throws {
    for (name, filter) in [
      ("gap", "-af aselect='not(between(t,1.2,1.8))'"), ("late", "-af asetpts=PTS+0.7/TB"),
    ] {
      let (source, target) = (folder.file("\(name).mkv"), folder.file("\(name).webm"))
      try MediaTool.make(
        "\(Self.picture) \(Self.clicks(48_000)) \(filter) -c:v libx264 -preset ultrafast -c:a pcm_s16le", source)
      try passThrough(source, target)
      let (before, after) = (try onsets(source), try onsets(target))
      #expect(before.count >= 2 && before.count == after.count, "\(before) \(after)")
      for (a, b) in zip(before, after) { #expect(abs(a - b) < 0.003, "\(name): \(before) \(after)") }
    }
  }

  /// A part begins with its first whole packet, in the pictures' clock.
  @Test func partsStayInTime() throws {
    let (source, target) = (folder.file("in.mp4"), folder.file("out.webm"))
    try MediaTool.make(
      "\(Self.picture) \(Self.clicks(48_000)) -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac", source)
    let reader = try VideoReader(path: source, part: 0.6..<2.6)
    let writer = try VideoWriter(
      OutputFile(target, overwrite: false), settings: VideoSettings(codec: .vp9, like: reader),
      source: reader)
    while let frame = try reader.next() { try writer.write(frame.image, like: frame) }
    try writer.finish()
    let found = try onsets(target)
    #expect(found.count == 2)
    for (a, b) in zip(found, [0.4, 1.4]) { #expect(abs(a - b) < 0.022, "\(found)") }
  }

  /// Damaged packets affect only themselves, and the writer counts them.
  @Test func damagedSound() throws {
    let (source, target) = (folder.file("in.mkv"), folder.file("out.webm"))
    try MediaTool.make(
      "\(Self.picture) \(Self.clicks(48_000)) -c:v libx264 -preset ultrafast -c:a flac -frame_size 1024 -bsf:a noise=amount=200",
      source)
    let (_, writer) = try passThrough(source, target)
    #expect(writer.notes.contains { $0.contains("damaged and left out") }, "\(writer.notes)")
    #expect(try MediaTool.frameTimes(target).count == 75)
  }

  static let texts = "1\n00:00:00,200 --> 00:00:00,700\nHello <i>there</i>\n\n2\n00:00:01,800 --> 00:00:02,500\nWörld\n"

  /// Each format of subtitles, into each container that uses a different one.
  @Test(arguments: [
    ("in.mkv", "srt", "out.mp4", "mov_text"), ("in.mkv", "ass", "out.mov", "mov_text"),
    ("in.mkv", "webvtt", "out.mp4", "mov_text"), ("in.mp4", "mov_text", "out.mkv", "subrip"),
    ("in.mp4", "mov_text", "out.webm", "webvtt"), ("in.mkv", "srt", "out.webm", "webvtt"),
    ("in.mkv", "ass", "out.webm", "webvtt"),
  ])
  func subtitles(from: String, codec: String, to: String, becomes: String) throws {
    try Self.texts.write(toFile: folder.file("s.srt"), atomically: true, encoding: .utf8)
    let (source, target) = (folder.file(from), folder.file(to))
    try MediaTool.make(
      "\(Self.picture) -i \(folder.file("s.srt")) -map 0 -map 1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p "
        + "-c:s \(codec) -metadata:s:s:0 language=deu", source)
    let (_, writer) = try passThrough(source, target)
    #expect(writer.notes.contains { $0.contains("Backdrop converts the subtitles") }, "\(writer.notes)")
    // QuickTime has its own language codes, for which FFmpeg returns the older names (ISO 639-2/B).
    let language = to.hasSuffix("mov") ? "ger" : "deu"
    #expect(try streams(target, "s", "stream=codec_name:stream_tags=language") == ["\(becomes),\(language)"])
    let text = try MediaTool.text(target, "-map 0:s -f srt")
    let times = text.split(separator: "\n").filter { $0.contains("-->") }.map(String.init)
    #expect(times == ["00:00:00,200 --> 00:00:00,700", "00:00:01,800 --> 00:00:02,500"], "\(text)")
    #expect(text.contains("Hello <i>there</i>") && text.contains("Wörld"), "\(text)")
  }

  /// Both kinds of files keep the keys of a camera's maker, the location and ordinary keys.
  @Test(arguments: ["out.mov", "out.mp4", "out.mkv"]) func metadata(name: String) throws {
    let (source, target) = (folder.file("in.mov"), folder.file(name))
    let keys = [
      "com.apple.quicktime.make": "Apple", "com.apple.quicktime.model": "iPhone",
      "com.apple.quicktime.creationdate": "2023-05-06T09:08:09+0200", "title": "Trip", "artist": "Me",
      "location": "+50.0000+008.0000/",
    ]
    try MediaTool.make(
      "\(Self.picture) -c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags use_metadata_tags "
        + keys.map { "-metadata \($0.key)=\($0.value)" }.joined(separator: " ")
        + " -metadata creation_time=2023-05-06T07:08:09Z", source)
    try passThrough(source, target)
    let text = try OutsideTool.text("ffprobe", ["-v", "error", "-of", "json", "-show_format", target])
    let root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let tags = (root?["format"] as? [String: Any])?["tags"] as? [String: String] ?? [:]
    let found = Dictionary(tags.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    for (key, value) in keys { #expect(found[key.lowercased()] == value, "\(key): \(tags)") }
    #expect(found["creation_time"]?.hasPrefix("2023-05-06T07:08:09") == true, "\(tags)")
  }

  /// Without such keys, mp4 has its own list, which players read.
  @Test func ordinaryMetadataStaysOrdinary() throws {
    let (source, target) = (folder.file("in.mp4"), folder.file("out.mp4"))
    try MediaTool.make(
      "\(Self.picture) -c:v libx264 -preset ultrafast -pix_fmt yuv420p -metadata title=Trip -metadata artist=Me", source
    )
    try passThrough(source, target)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
    #expect(bytes.range(of: Data("mdirappl".utf8)) != nil && bytes.range(of: Data("mdta".utf8)) == nil)
  }
}
