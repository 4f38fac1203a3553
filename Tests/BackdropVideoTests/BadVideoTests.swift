import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

/// Files that are damaged, empty, of another kind or malicious give a clear one-line error or the readable part, never a crash.
@Suite struct BadVideoTests {
  let folder = TemporaryFolder()

  /// A clip with its index at the beginning (`fast`) or at the end.
  func clip(_ name: String, fast: Bool = true) throws -> String {
    let path = folder.file(name)
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -g 12 -pix_fmt yuv420p -c:a aac"
        + (fast ? " -movflags +faststart" : ""), path)
    return path
  }

  func error(opening path: String) -> BackdropError? { refusal { try VideoReader(path: path) } }

  /// The readable frames, and the error that ended reading.
  func readAll(_ path: String, most: Int = .max) -> (frames: Int, reader: VideoReader?, error: BackdropError?) {
    var frames = 0
    var reader: VideoReader?
    do throws(BackdropError) {
      reader = try VideoReader(path: path, limits: ImageLimits(side: 4096, pixels: 4_000_000))
      while frames < most, try reader!.next() != nil { frames += 1 }
      return (frames, reader, nil)
    } catch { return (frames, reader, error) }
  }

  func expectOneLine(_ error: BackdropError?, sourceLocation: SourceLocation = #_sourceLocation) {
    let text = (error?.description ?? "") + (error?.hint?.text ?? "")
    #expect(!text.contains(where: \.isNewline) && !text.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func noSuchFileFolderAndEmpty() throws {
    #expect(error(opening: folder.file("none.mp4"))?.kind == .wrongArgument)
    #expect(error(opening: folder.path)?.kind == .wrongArgument)
    try folder.write([], "zero.mp4")
    let empty = error(opening: folder.file("zero.mp4"))
    #expect(empty?.kind == .badData && empty?.message == "the file is empty")
  }

  @Test(arguments: [
    "just some text in a file\n", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:9/a.ts\n",
    "ffconcat version 1.0\nfile /etc/passwd\n",
    "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"></MPD>",
    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
    "1\n00:00:00,000 --> 00:00:01,000\nHello\n",
  ])
  func textAndPlaylistsAreRefused(content: String) throws {
    for name in ["a.mp4", "a.m3u8", "a.txt", "a.sdp"] {
      try content.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      let found = error(opening: folder.file(name))
      #expect(found?.kind == .badData || found?.kind == .unsupported, "\(name): \(String(describing: found))")
      expectOneLine(found)
    }
  }

  @Test func addressesAreFileNames() {
    for name in ["http://127.0.0.1:9/a.mp4", "concat:a.mp4|b.mp4", "file:/etc/passwd", "pipe:0", "-"] {
      #expect(error(opening: name)?.kind == .wrongArgument)
    }
  }

  @Test func soundOnly() throws {
    try MediaTool.make("-f lavfi -i sine=d=0.3 -c:a aac", folder.file("a.mp4"))
    let found = error(opening: folder.file("a.mp4"))
    #expect(found?.kind == .badData && found?.message == "the file has no video")
    #expect(found?.hint?.text == "it holds only sound")
  }

  @Test func missingIndexIsNamed() throws {
    let path = try clip("a.mp4", fast: false)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for part in [0.2, 0.5, 0.8] {
      try bytes.prefix(Int(Double(bytes.count) * part)).write(to: URL(fileURLWithPath: folder.file("cut.mp4")))
      let found = error(opening: folder.file("cut.mp4"))
      #expect(found?.kind == .badData && found?.message.contains("moov") == true)
      expectOneLine(found)
    }
  }

  @Test(arguments: ["a.mp4", "a.mkv", "a.ts", "a.avi"])
  func cutFilesGiveWhatThereIs(name: String) throws {
    let path = try clip(name)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let whole = readAll(path)
    #expect(whole.frames == 50 && whole.reader?.endedEarly == false && whole.error == nil)
    var last = 0
    for part in [0.3, 0.5, 0.7, 0.85] {
      try bytes.prefix(Int(Double(bytes.count) * part)).write(to: URL(fileURLWithPath: folder.file("cut-\(name)")))
      let cut = readAll(folder.file("cut-\(name)"))
      #expect(cut.error == nil, "\(part)")
      #expect(cut.frames > last && cut.frames < 50, "\(part)")
      // A transport stream does not announce its end.
      if name != "a.ts" { #expect(cut.reader?.endedEarly == true, "\(part)") }
      last = cut.frames
    }
    for length in [0, 1, 7, 8, 40, 100, 600] {
      try bytes.prefix(length).write(to: URL(fileURLWithPath: folder.file("cut-\(name)")))
      let cut = readAll(folder.file("cut-\(name)"))
      #expect(cut.frames == 0)
      #expect(cut.error?.kind == .badData)
      expectOneLine(cut.error)
    }
  }

  @Test(arguments: [("a.mp4", UInt64(1)), ("a.mkv", 2), ("a.avi", 3), ("a.ts", 4), ("a.mov", 5)])
  func randomDamage(name: String, seed: UInt64) throws {
    let path = try clip(name)
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SeededRandom(seed: seed)
    for round in 0..<60 {
      try folder.write(random.damaged(bytes), "damaged-\(name)")
      let seconds = processorSeconds {
        if let error = readAll(folder.file("damaged-\(name)"), most: 500).error { expectOneLine(error) }
      }
      #expect(seconds < 120, "seed \(seed) round \(round)")
    }
  }

  @Test func damagedStretchesAreCounted() throws {
    let path = try clip("a.mp4")
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SeededRandom(seed: 9)
    for offset in bytes.count / 2..<bytes.count / 2 + 2500 { bytes[offset] = UInt8.random(in: 0...255, using: &random) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let result = readAll(path)
    #expect(result.error == nil && result.frames > 30)
    let reader = try #require(result.reader)
    #expect(reader.corruptFrameCount + reader.undecodablePacketCount > 0)
    let target = folder.file("out.mp4")
    try passThrough(path, target)
    #expect(try MediaTool.frameTimes(target).count == result.frames)
  }

  /// Reading returns or counts every frame, according to ffprobe's packet counts.
  @Test(arguments: ["-bf 0", "-bf 3", "-x264-params keyint=12:open-gop=1"], 1...4) func lostFramesAreCounted(
    options: String, seed: UInt64
  ) throws {
    let path = folder.file("a.mkv")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -c:v libx264 -g 12 -pix_fmt yuv420p \(options)", path)
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let packets = try MediaTool.probe(path, "-select_streams v -show_entries packet=pos,size").compactMap { row in
      let numbers = row.split(separator: ",").compactMap { Int($0) }
      return numbers.count == 2 ? (position: numbers[1], size: numbers[0]) : nil
    }
    #expect(packets.count == 50)
    // Damages slices in packets, including key frames; the packets remain intact.
    var random = SeededRandom(seed: seed)
    for index in [Int.random(in: 8...16, using: &random), 24, Int.random(in: 30...45, using: &random)] {
      let (position, size) = packets[index]
      for offset in position + min(12, size / 2)..<min(bytes.count, position + size) {
        bytes[offset] = UInt8.random(in: 0...255, using: &random)
      }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let result = readAll(path)
    let reader = try #require(result.reader)
    #expect(result.error == nil)
    #expect(result.frames + reader.lostFrameCount == 50, "seed \(seed): \(result.frames), \(reader.lostFrameCount)")
    #expect(reader.lostFrameCount + reader.corruptFrameCount > 0)
  }

  /// An mp4 cannot store an AAC packet without its header, so the writer omits it and keeps the rest.
  @Test func damagedSoundIsLeftOut() throws {
    let (source, target) = (folder.file("a.ts"), folder.file("out.mp4"))
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -f lavfi -i anoisesrc=d=2:seed=1 -c:v libx264 -pix_fmt yuv420p -c:a aac",
      source)
    let whole = try MediaTool.packetTimes(source, "a").count
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: source)))
    // Packets of 188 bytes; sound has the second stream's number, 0x101. ISO/IEC 13818-1, 2.4.3.2; ISO/IEC 13818-7, 6.2.
    var found = 0
    for packet in stride(from: 0, to: bytes.count - 187, by: 188)
    where bytes[packet + 1] & 0x1F == 1 && bytes[packet + 2] == 1 {
      for offset in packet + 4..<packet + 187 where bytes[offset] == 0xFF && bytes[offset + 1] == 0xF1 {
        found += 1
        if (30...33).contains(found) { (bytes[offset], bytes[offset + 1]) = (0, 0) }
      }
    }
    #expect(found > 60)
    try Data(bytes).write(to: URL(fileURLWithPath: source))
    // Some versions of FFmpeg join several packets around a damaged one.
    let readable = try MediaTool.packetTimes(source, "a").count
    let (reader, writer) = try passThrough(source, target)
    #expect(reader.lostFrameCount == 0)
    #expect(writer.notes.contains { $0.contains("of sound or subtitles") && $0.contains("damaged") }, "\(writer.notes)")
    #expect(try MediaTool.frameTimes(target).count == 50)
    let left = try MediaTool.packetTimes(target, "a").count
    #expect(left >= readable - 8 && left < whole, "\(left) of \(readable) of \(whole)")
  }

  /// A file of uncompressed frames that ends within one.
  @Test func cutRawFrames() throws {
    try MediaTool.make("-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -pix_fmt yuv420p", folder.file("a.y4m"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.y4m")))
    #expect(readAll(folder.file("a.y4m")).reader?.endedEarly == false)
    let frame = 96 * 64 * 3 / 2
    for (length, frames) in [(bytes.count - 100, 9), (bytes.count - frame / 2, 9), (3 * frame, 2), (frame / 2, 0)] {
      try bytes.prefix(length).write(to: URL(fileURLWithPath: folder.file("cut.y4m")))
      let cut = readAll(folder.file("cut.y4m"))
      #expect(cut.frames == frames)
      if frames > 0 { #expect(cut.reader?.endedEarly == true, "\(length)") }
      if frames == 0 {
        #expect(cut.error?.message == "the file ends before the first frame of its rawvideo video")
      }
    }
  }

  @Test func sizeLimit() throws {
    let path = try clip("a.mp4")
    #expect(throws: BackdropError.self) { try VideoReader(path: path, limits: ImageLimits(side: 90, pixels: 100_000)) }
    let error = refusal { try VideoReader(path: path, limits: ImageLimits(side: 1000, pixels: 1000)) }
    #expect(error?.kind == .overLimit && error?.path == path)
  }
}
