import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

/// A part of a video, with its sound, subtitles and chapters, read back by other programs.
@Suite struct VideoPartTests {
  let folder = TemporaryFolder()

  /// Four seconds in which frame N has the luma 2 N, with a beep from 2.0 to 2.2 s, a subtitle from 1.0 to 3.0 s, and chapters at 0, 1.5
  /// and 3.9 s.
  private func makeClip(_ name: String, _ coding: String) throws -> String {
    let text = folder.file("t.srt"), marks = folder.file("marks.txt")
    try Data("1\n00:00:01,000 --> 00:00:03,000\nhello\n".utf8).write(to: URL(fileURLWithPath: text))
    let chapters = [(0, 1500, "A"), (1500, 3900, "B"), (3900, 4000, "C")].map {
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0.0)\nEND=\($0.1)\ntitle=\($0.2)\n"
    }
    try Data((";FFMETADATA1\n" + chapters.joined()).utf8).write(to: URL(fileURLWithPath: marks))
    let picture = "-f lavfi -i color=c=black:s=64x48:r=25:d=4,geq=lum=N*2:cb=128:cr=128"
    let sound = "-f lavfi -i aevalsrc=between(t\\,2\\,2.2)*sin(6283*t):s=48000:d=4"
    try MediaTool.make(
      "\(picture) \(sound) -i \(text) -i \(marks) -map 0 -map 1 -map 2 -map_metadata 3 \(coding)", folder.file(name))
    return folder.file(name)
  }

  /// The first loud moment of a file's sound, in seconds from the beginning of its pictures.
  private func beep(_ path: String) throws -> Double {
    let bytes = try MediaTool.output(path, "-af aresample=async=1:first_pts=0 -f s16le -ac 1 -ar 48000")
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    return Double(try #require(samples.firstIndex { abs(Int($0)) > 1000 })) / 48_000
  }

  /// Seeking to a time, forwards or backwards, returns the frame displayed at that time, and reading continues after it.
  @Test(arguments: [
    ("a.mp4", "-c:v libx264 -g 25 -bf 3 -pix_fmt yuv420p"), ("few.mp4", "-c:v libx264 -g 200 -bf 3 -pix_fmt yuv420p"),
    ("open.mkv", "-c:v libx264 -x264-params open-gop=1:keyint=24 -bf 3 -pix_fmt yuv420p"),
    ("few.webm", "-c:v libvpx-vp9 -g 200 -pix_fmt yuv420p"), ("raw.avi", "-c:v mjpeg -q:v 2 -pix_fmt yuvj420p"),
  ])
  func framesAreFound(name: String, coding: String) throws {
    let path = try makeClip(name, "-map -1 -map -2 -map_chapters -1 -map_metadata -1 " + coding)
    func shade(_ frame: VideoFrame) -> Int { Int(frame.image.converted(to: .gray8).row(24)[32]) }
    let reader = try VideoReader(path: path)
    var whole: [(seconds: Double, shade: Int)] = []
    while let frame = try reader.next() { whole.append((frame.seconds, shade(frame))) }
    #expect(whole.count == 100)
    var random = SeededRandom(seed: 21)
    for _ in 0..<40 {
      let seconds = Double.random(in: 0..<3.99, using: &random)
      let index = try #require(whole.lastIndex { $0.seconds <= seconds + 1e-6 })
      let frame = try #require(try reader.frame(at: seconds))
      #expect(abs(frame.seconds - whole[index].seconds) < 1e-6, "at \(seconds)")
      #expect(shade(frame) == whole[index].shade, "at \(seconds)")
      guard index + 1 < whole.count else { continue }
      let next = try #require(try reader.next())
      #expect(
        abs(next.seconds - whole[index + 1].seconds) < 1e-6 && shade(next) == whole[index + 1].shade,
        "behind \(seconds)")
    }
    // The reader does not seek in streams whose clocks may jump.
    if name == "a.mp4" {
      let stream = folder.file("a.ts")
      try MediaTool.make("-i \(path) -c copy", stream)
      #expect(try VideoReader(path: stream).frame(at: 1) == nil)
    }
  }

  @Test(arguments: [
    ("a.mp4", "-c:v libx264 -g 25 -bf 2 -pix_fmt yuv420p -c:a aac -c:s mov_text"),
    ("a.mkv", "-c:v libx264 -g 25 -bf 2 -pix_fmt yuv420p -c:a libopus -c:s srt"),
    ("plain.mov", "-map -0:s -map -2 -c:v libx264 -g 200 -pix_fmt yuv420p -c:a aac"),
  ])
  func picturesSoundAndMarks(name: String, coding: String) throws {
    let source = try makeClip(name, coding)
    let reader = try VideoReader(path: source, part: 1.23..<2.51)
    let target = folder.file("out." + String(name.suffix(3)))
    let writer = try VideoWriter(
      OutputFile(target, overwrite: false), settings: VideoSettings(like: reader), source: reader)
    var shades: [Int] = [], times: [Double] = []
    while let frame = try reader.next() {
      shades.append(Int(frame.image.row(24)[32]))
      times.append(frame.seconds)
      try writer.write(frame.image, like: frame)
    }
    try writer.finish()
    // Matroska's pictures begin with the priming of Opus, 7 ms. The frame of 1.20 s is displayed at 1.23 s; the frame of 2.48 s is the last
    // before 2.51 s.
    #expect(shades.count == 33 && zip(shades, 30...62).allSatisfy { abs($0 - 2 * $1) <= 2 }, "\(shades)")
    #expect(times[0] == 0 && abs(times[1] - 0.01) < 0.009 && abs(times[32] - 1.25) < 0.009, "\(times)")
    #expect(reader.frameCountEstimate == 32 && abs((reader.duration ?? 0) - 1.28) < 0.02)
    #expect(!reader.endedEarly && reader.lostFrameCount == 0)
    // The beep is 0.77 s after the beginning, to within a packet of 21 ms.
    let heard = try beep(target)
    #expect(abs(heard - 0.77) < 0.03, "\(heard)")
    let sound = try MediaTool.packetTimes(target, "a").compactMap(Double.init)
    let (opening, closing) = (try #require(sound.first), try #require(sound.last))
    #expect(opening >= -0.01 && closing < 1.28 && closing > 1.22, "\(sound)")
    // The sound packets are copies of the source's.
    let all = Set(try MediaTool.packetHashes(source, "a")), copied = try MediaTool.packetHashes(target, "a")
    #expect(copied.allSatisfy(all.contains))
    guard name.hasPrefix("a.") else { return }
    let chapters = try MediaTool.probe(target, "-show_entries chapter=start_time,end_time")
    #expect(
      chapters.map { $0.split(separator: ",").compactMap { Double($0) } }.elementsEqual(
        [[0, 0.27], [0.27, 1.28]], by: { zip($0, $1).allSatisfy { abs($0 - $1) < 0.002 } }), "\(chapters)")
    let text = try MediaTool.text(target, "-f srt")
    #expect(text.contains("hello") && text.contains("00:00:00,000 --> 00:00:01,2"), "\(text)")
  }

  /// The frames of a part equal those of the whole, wherever it begins.
  @Test func everyBeginning() throws {
    let source = try makeClip("a.mp4", "-c:v libx264 -g 30 -bf 3 -pix_fmt yuv420p -c:a aac -c:s mov_text")
    for start in stride(from: 0.0, to: 3.99, by: 0.37) {
      let reader = try VideoReader(path: source, part: start..<(start + 0.4))
      var shades: [Int] = []
      while let frame = try reader.next() { shades.append(Int(frame.image.row(24)[32])) }
      let first = Int((start * 25 + 1e-6).rounded(.down))
      let last = min(99, Int(((start + 0.4) * 25 - 1e-6).rounded(.down)))
      #expect(shades.count == last - first + 1, "from \(start)")
      #expect(zip(shades, first...last).allSatisfy { abs($0 - 2 * $1) <= 2 }, "from \(start): \(shades)")
    }
  }

  @Test func beginningsBehindTheEnd() throws {
    let source = try makeClip("a.mp4", "-c:v libx264 -pix_fmt yuv420p -c:a aac -c:s mov_text")
    let error = refusal { try VideoReader(path: source, part: 4.5..<9) }
    #expect(error?.kind == .wrongArgument && error?.message == "the video is 4 s long, so a part cannot begin at 4.5 s")
  }
}
