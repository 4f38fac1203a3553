import BackdropImaging
import CFFmpeg
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

/// For clocks that begin late or jump, the result begins at 0 and continues, with picture and sound in sync.
@Suite struct TimelineTests {
  let folder = TemporaryFolder()

  // MARK: - Generated packets

  /// Packets of 40 ms for pictures (stream 0) and 20 ms for sound (stream 1), in 1/90000 s: parts of a second whose clocks begin at
  /// `starts`, with sound `lead` seconds after the pictures in the file.
  static func parts(_ starts: [Double], lead: Double = 0) -> [(stream: Int32, time: Double)] {
    typealias Packet = (stream: Int32, time: Double, order: Double)
    func packets(_ stream: Int32, _ count: Int, every seconds: Double, after lead: Double, _ start: Double) -> [Packet]
    {
      (0..<count).map { index in
        let time = Double(index) * seconds
        return (stream, start + time, time + lead)
      }
    }
    return starts.flatMap { start in
      let all = packets(0, 25, every: 0.04, after: 0, start) + packets(1, 50, every: 0.02, after: lead, start)
      return all.sorted { $0.order < $1.order }.map { ($0.stream, $0.time) }
    }
  }

  static func retimed(_ packets: [(stream: Int32, time: Double)], start: Double = 0, follows: Bool = true) throws
    -> (times: [[Double]], jumps: Int)
  {
    var timeline = Timeline(start: Int64(start * 1e6), followsJumps: follows)
    let packet = try PacketBuffer()
    var times: [[Double]] = [[], []]
    for (stream, time) in packets {
      packet.pointer.pointee.stream_index = stream
      packet.pointer.pointee.pts = Int64((time * 90_000).rounded())
      packet.pointer.pointee.dts = packet.pointer.pointee.pts
      packet.pointer.pointee.duration = stream == 0 ? 3600 : 1800
      timeline.retime(
        packet.pointer, of: stream == 0 ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO, base: Rational(1, 90_000),
        usualDuration: 0.04)
      times[Int(stream)].append(Double(packet.pointer.pointee.pts) / 90_000)
    }
    return (times, timeline.jumpCount)
  }

  @Test(
    arguments: [
      [1.4, 1.4], [1.4, 0.2], [1.4, 600], [600, 1.4], [90_000, 3, 90_000], [5, 30, 5, 30], [2, 95_443.7, 0],
    ], [0, 0.3])
  func partsFollowEachOther(starts: [Double], lead: Double) throws {
    let (times, jumps) = try Self.retimed(Self.parts(starts, lead: lead), start: starts[0])
    #expect(jumps == starts.count - 1)
    // Every part is a second long, for both streams.
    for (stream, step) in [(0, 0.04), (1, 0.02)] {
      for (index, time) in times[stream].enumerated() {
        #expect(abs(time - Double(index) * step) < 1e-4, "stream \(stream), packet \(index)")
      }
    }
  }

  /// Without jumps, the timeline subtracts only the start; it keeps a short gap that all streams share.
  @Test func aShortGapStays() throws {
    let (times, jumps) = try Self.retimed(Self.parts([10, 15]), start: 10)
    #expect(jumps == 0)
    #expect(times[0].last.map { abs($0 - 5.96) < 1e-4 } == true)
    let (meant, none) = try Self.retimed(Self.parts([10, 100]), start: 10, follows: false)
    #expect(none == 0 && meant[0].last.map { abs($0 - 90.96) < 1e-4 } == true)
  }

  /// While sound continues, a long pause between pictures is not a jump.
  @Test func aSlowPictureStays() throws {
    var packets: [(stream: Int32, time: Double)] = [(0, 1)]
    for index in 0..<1500 { packets.append((1, 1 + Double(index) * 0.02)) }
    packets += [(0, 31), (1, 31)]
    let (times, jumps) = try Self.retimed(packets, start: 1)
    #expect(jumps == 0)
    #expect(times[0].last.map { abs($0 - 30) < 1e-4 } == true)
  }

  /// A packet with a wrong time affects only itself: later packets are in sync with the sound again.
  @Test(arguments: [7.0, 40, 9000, 1e7]) func aWildTime(time: Double) throws {
    var packets = Self.parts([20])
    let index = try #require(packets.indices.filter { packets[$0].stream == 0 }.dropFirst(10).first)
    packets[index].time = time
    let (times, _) = try Self.retimed(packets, start: 20)
    for (stream, step) in [(0, 0.04), (1, 0.02)] {
      for (index, time) in times[stream].enumerated() where stream == 1 || index != 10 {
        #expect(abs(time - Double(index) * step) < 1e-4, "stream \(stream), packet \(index)")
      }
    }
  }

  /// Random times, including the ends of the range, cause no trap.
  @Test func anything() throws {
    var random = SeededRandom(seed: 3)
    for round in 0..<200 {
      var timeline = Timeline(
        start: Int64.random(in: -1_000_000_000...1_000_000_000, using: &random), followsJumps: true)
      let packet = try PacketBuffer()
      let bases = [Rational(1, 90_000), Rational(1, 1000), Rational(1, 1), Rational(1, 2_000_000_000)]
      for _ in 0..<100 {
        packet.pointer.pointee.stream_index = Int32.random(in: 0...3, using: &random)
        let values: [Int64] = [bd_nopts(), .max, .min + 1, 0, Int64.random(in: .min ... .max, using: &random)]
        packet.pointer.pointee.pts = values[Int.random(in: 0..<5, using: &random)]
        packet.pointer.pointee.dts = values[Int.random(in: 0..<5, using: &random)]
        packet.pointer.pointee.duration = values[Int.random(in: 0..<5, using: &random)]
        let kinds = [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE]
        timeline.retime(
          packet.pointer, of: kinds[Int.random(in: 0..<3, using: &random)],
          base: bases[Int.random(in: 0..<4, using: &random)], usualDuration: 0.04)
      }
      #expect(timeline.jumpCount <= 100, "seed 3, round \(round)")
    }
  }

  // MARK: - Files

  /// A transport stream of 1.2 s whose clock begins about 1.4 s after `offset`.
  func stream(_ name: String, at offset: Double, _ options: String = "") throws -> String {
    try MediaTool.make(
      "\(PassThroughTests.picture) \(PassThroughTests.sound) -output_ts_offset \(offset) -c:v libx264 -g 10 "
        + "-pix_fmt yuv420p -c:a aac \(options)", folder.file(name))
    return folder.file(name)
  }

  func times(_ path: String, _ streams: String) throws -> [Double] {
    streams == "v"
      ? try MediaTool.frameTimes(path).compactMap(Double.init)
      : try MediaTool.packetTimes(path, streams).compactMap(Double.init)
  }

  @Test(arguments: [[0.0, 0], [0, 600], [600, 0], [50_000, 3, 50_000]], ["out.mp4", "out.mkv"])
  func joinedStreams(offsets: [Double], output: String) throws {
    var joined = Data()
    for (index, offset) in offsets.enumerated() {
      joined += try Data(contentsOf: URL(fileURLWithPath: stream("\(index).ts", at: offset)))
    }
    let (source, target) = (folder.file("joined.ts"), folder.file(output))
    try joined.write(to: URL(fileURLWithPath: source))
    let (reader, writer) = try passThrough(source, target)
    #expect(reader.jumpCount == offsets.count - 1 && reader.reversedTimeCount == 0)
    #expect(writer.frameCount == 30 * offsets.count)
    let (pictures, sound) = (try times(target, "v"), try times(target, "a"))
    try #require(pictures.count == 30 * offsets.count && sound.count > 50 * offsets.count)
    // Frames of 40 ms. Where parts meet, sound may be longer than the pictures, which adds a gap between them.
    for (before, after) in zip(pictures, pictures.dropFirst()) {
      #expect(after - before > 0.038 && after - before < 0.2, "\(before) \(after)")
    }
    for (before, after) in zip(sound, sound.dropFirst()) {
      #expect(after > before && after - before < 0.16, "\(before) \(after)")
    }
    // In each part, picture and sound have the same offset as in its own file.
    for index in offsets.indices {
      let own = folder.file("\(index).ts")
      let distance = (try times(own, "v")[0]) - (try times(own, "a")[0])
      let picture = pictures[30 * index]
      let nearest = sound.map { abs(picture - distance - $0) }.min() ?? 1
      #expect(nearest < 0.011 || index > 0 && nearest < 0.022, "part \(index): \(nearest)")
    }
  }

  @Test(arguments: [0.0, 50_000]) func lateStreamsBeginAtZero(offset: Double) throws {
    let (source, target) = (try stream("late.ts", at: offset), folder.file("out.mp4"))
    try passThrough(source, target)
    let before = (picture: try times(source, "v"), sound: try times(source, "a"))
    let after = (picture: try times(target, "v"), sound: try times(target, "a"))
    let start = min(before.picture[0], before.sound[0])
    #expect(start > offset + 1)
    expectClose(after.picture.map { "\($0)" }, before.picture.map { "\($0 - start)" }, 2e-5)
    expectClose(after.sound.map { "\($0)" }, before.sound.map { "\($0 - start)" }, 2e-5)
    #expect(min(after.picture[0], after.sound[0]) == 0)
  }

  /// The start of streams that are not copied does not count.
  @Test func withoutSoundThePictureBeginsAtZero() throws {
    let (source, target) = (try stream("late.ts", at: 7), folder.file("out.mp4"))
    let start = try times(source, "v")[0] - times(source, "a")[0]
    #expect(start > 0.01)
    try passThrough(source, target) { $0.streams = [] }
    #expect(try times(target, "v").first == 0)
  }

  /// Chapters stay at their pictures.
  @Test func chaptersMoveToo() throws {
    let source = folder.file("late.mkv")
    try ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=5500\nEND=6000\ntitle=One\n"
      .write(toFile: folder.file("m.txt"), atomically: true, encoding: .utf8)
    try MediaTool.make(
      "\(PassThroughTests.picture) -i \(folder.file("m.txt")) -map 0 -map_chapters 1 -c:v libx264 -pix_fmt yuv420p "
        + "-output_ts_offset 5", folder.file("late.mkv"))
    let begins = try times(source, "v")[0]
    #expect(begins > 4)
    try passThrough(source, folder.file("out.mkv"))
    #expect(try times(folder.file("out.mkv"), "v")[0] == 0)
    let chapters = try [source, folder.file("out.mkv")].map {
      try MediaTool.probe($0, "-show_entries chapter=start_time").compactMap { Double($0.split(separator: ",")[0]) }
    }
    #expect(chapters[0].count == 1 && abs(chapters[1][0] - (chapters[0][0] - begins)) < 0.002, "\(chapters)")
  }

  /// The background plays such files in a loop.
  @Test func windsBack() throws {
    var joined = try Data(contentsOf: URL(fileURLWithPath: stream("0.ts", at: 600)))
    joined += try Data(contentsOf: URL(fileURLWithPath: stream("1.ts", at: 3)))
    try joined.write(to: URL(fileURLWithPath: folder.file("joined.ts")))
    let reader = try VideoReader(path: folder.file("joined.ts"))
    var rounds: [[Double]] = []
    for _ in 0..<2 {
      var times: [Double] = []
      while let frame = try reader.next() { times.append(frame.seconds) }
      rounds.append(times)
      try reader.rewind()
    }
    #expect(rounds[0].count == 60 && rounds[0] == rounds[1])
    #expect(rounds[0].first == 0 && rounds[0].last.map { $0 < 2.6 } == true)
  }
}
