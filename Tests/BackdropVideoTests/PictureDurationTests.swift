import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

/// Pictures of different durations keep them, the last one too, in every codec and container, written and read.
@Suite struct PictureDurationTests {
  let folder = TemporaryFolder()

  /// Durations in milliseconds: a slide show, a long beginning and middle, a screen recording, a steady rate.
  static let shows: [[Int64]] = {
    var random = SeededRandom(seed: 54)
    return [
      [500, 500, 4000], [4000, 500, 500], [500, 4000, 500], [40],
      (0..<40).map { _ in Int64.random(in: 1...3000, using: &random) },
      [Int64](repeating: 40, count: 30), [Int64](repeating: 40, count: 30) + [2000],
    ]
  }()
  static let files: [(String, VideoSettings.Codec)] = [
    ("a.mp4", .h264), ("a.mp4", .h265), ("a.mp4", .vp9), ("a.mp4", .av1), ("a.mov", .h264), ("a.mov", .h265),
    ("a.mov", .prores), ("a.mkv", .h264), ("a.mkv", .h265), ("a.mkv", .vp9), ("a.mkv", .av1), ("a.mkv", .ffv1),
    ("a.mkv", .prores), ("a.webm", .vp9), ("a.webm", .av1),
  ]

  func picture(_ number: Int) throws -> Image {
    // Moving noise, so that encoders use pictures between others.
    var random = SeededRandom(seed: UInt64(number / 3 + 1))
    let bytes = (0..<64 * 48).map { index -> UInt8 in
      let base = UInt8((index + 5 * number) % 200)
      return base + UInt8.random(in: 0...20, using: &random)
    }
    return try Image(.gray8, width: 64, height: 48, packed: bytes.span, color: .jpeg)
  }

  /// Writes pictures of these durations in milliseconds.
  func write(
    _ durations: [Int64], _ name: String, _ codec: VideoSettings.Codec, rate: Rational? = nil, isGrowing: Bool = false,
    base: Rational = Rational(1, 1000), source: VideoReader? = nil
  ) throws -> String {
    let whole = Double(durations.reduce(0, +)) * base.value
    var settings = VideoSettings(
      codec: codec, width: 64, height: 48,
      frameRate: rate ?? Rational(approximating: Double(durations.count) / whole))
    settings.timeBase = base
    let output = try OutputFile(folder.file(name), overwrite: true, growing: isGrowing)
    let writer = try VideoWriter(output, settings: settings, source: source)
    var time: Int64 = 0
    for (number, duration) in durations.enumerated() {
      try writer.write(picture(number), time: time, duration: duration)
      time += duration
    }
    if let source { while try source.next() != nil {} }
    try writer.finish()
    return folder.file(name)
  }

  func times(_ path: String, part: Range<Double> = 0..<Double.infinity) throws -> [(begin: Double, length: Double)] {
    let reader = try VideoReader(path: path, part: part)
    var result: [(Double, Double)] = []
    while let frame = try reader.next() {
      result.append((frame.seconds, Double(frame.duration) * frame.timeBase.value))
    }
    #expect(!reader.endedEarly && reader.complaints.isEmpty, "\(path): \(reader.complaints)")
    return result
  }

  /// Every track's samples add up to its length (8.6.1.2).
  func expectWhole(_ path: String, seconds: Double, _ comment: String) throws {
    for track in try MovieBoxes(path).tracks {
      if !track.isInParts { #expect(track.sum == track.length, "\(comment), \(track.kind)") }
      guard track.kind == "vide" else { continue }
      #expect(abs(Double(track.sum) / Double(track.timescale) - seconds) < 1e-6, "\(comment): \(track)")
    }
  }

  func expectDurations(_ path: String, _ wanted: [Int64], tolerance: Double, _ comment: String) throws {
    let found = try times(path)
    try #require(found.count == wanted.count, "\(comment)")
    var begin: Int64 = 0
    for (frame, duration) in zip(found, wanted) {
      #expect(abs(frame.begin - Double(begin) / 1000) <= tolerance, "\(comment): \(frame) at \(begin)")
      #expect(abs(frame.length - Double(duration) / 1000) <= 2 * tolerance, "\(comment): \(frame) for \(duration)")
      begin += duration
    }
  }

  @Test(arguments: files)
  func theyComeBack(name: String, codec: VideoSettings.Codec) throws {
    for (index, show) in Self.shows.enumerated() {
      let path = try write(show, name, codec)
      let (comment, whole) = ("\(name) \(codec), show \(index)", Double(show.reduce(0, +)) / 1000)
      let isMovie = name.hasSuffix("mp4") || name.hasSuffix("mov")
      if isMovie { try expectWhole(path, seconds: whole, comment) }
      try expectDurations(path, show, tolerance: isMovie ? 1e-6 : 0.00051, comment)
      // An independent reader's length of the file.
      let length = try #require(try MediaTool.probe(path, "-show_entries format=duration").first.flatMap(Double.init))
      #expect(abs(length - whole) < 0.0011, "\(comment): \(length)")
    }
  }

  /// Beside sound, which is longer or shorter than the pictures.
  @Test(
    arguments: [("a.mp4", VideoSettings.Codec.h264), ("a.mov", .h265), ("a.mkv", .h264), ("a.webm", .vp9)], [2, 7])
  func besideSound(file: (String, VideoSettings.Codec), seconds: Int) throws {
    let source = folder.file("source.mkv")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=64x48:r=10:d=\(seconds) -f lavfi -i sine=d=\(seconds) -c:v ffv1 -c:a libopus", source)
    for show in Self.shows.prefix(3) {
      let path = try write(show, file.0, file.1, source: try VideoReader(path: source))
      let isMovie = !file.0.hasSuffix("mkv") && !file.0.hasSuffix("webm")
      if isMovie { try expectWhole(path, seconds: 5, "\(file), \(show)") }
      try expectDurations(path, show, tolerance: isMovie ? 1e-6 : 0.00051, "\(file), \(show)")
    }
  }

  /// Recordings consist of parts.
  @Test(arguments: [("a.mp4", VideoSettings.Codec.h264), ("a.mp4", .h265), ("a.mov", .h265), ("a.mp4", .vp9)])
  func inParts(name: String, codec: VideoSettings.Codec) throws {
    for (index, show) in Self.shows.enumerated() {
      let path = try write(show, name, codec, isGrowing: true)
      try expectWhole(path, seconds: Double(show.reduce(0, +)) / 1000, "\(name) \(codec), show \(index)")
      try expectDurations(path, show, tolerance: 1e-6, "\(name) \(codec), show \(index)")
    }
  }

  /// The frame shown at the start of a part is its first, however long it has been shown, and the last is cut.
  @Test(arguments: files)
  func parts(name: String, codec: VideoSettings.Codec) throws {
    let path = try write([500, 500, 4000, 200, 800], name, codec)
    for (part, wanted) in [
      (3.0..<Double.infinity, [(0.0, 2.0), (2.0, 0.2), (2.2, 0.8)]), (2.0..<4.0, [(0.0, 2.0)]),
      (0.75..<1.5, [(0, 0.25), (0.25, 0.5)]),
      (5.5..<5.75, [(0, 0.25)]),
    ] {
      let found = try times(path, part: part)
      #expect(found.count == wanted.count, "\(part): \(found)")
      for (frame, expected) in zip(found, wanted) {
        #expect(abs(frame.begin - expected.0) < 0.0011 && abs(frame.length - expected.1) < 0.0021, "\(part): \(found)")
      }
    }
  }

  /// Seeking finds the frame that is shown, between others and for long.
  @Test(arguments: [("a.mp4", VideoSettings.Codec.h264), ("a.mkv", .h265), ("a.webm", .vp9)])
  func longFramesAreFound(name: String, codec: VideoSettings.Codec) throws {
    for show in Self.shows {
      let path = try write(show, name, codec)
      let whole = try times(path)
      let reader = try VideoReader(path: path)
      var random = SeededRandom(seed: 7)
      for frame in whole.shuffled(using: &random) {
        for seconds in [frame.begin, frame.begin + 0.9 * frame.length] {
          let found = try #require(try reader.frame(at: seconds), "at \(seconds)")
          #expect(abs(found.seconds - frame.begin) < 1e-6, "\(name) at \(seconds)")
        }
      }
    }
  }

  /// From one picture in a thousand seconds to a thousand in a second.
  @Test(arguments: files)
  func ratesOfTimeLapsesAndSlowMotion(name: String, codec: VideoSettings.Codec) throws {
    for rate in [
      Rational(1, 1000), Rational(1, 60), Rational(1, 2), Rational(25, 12), Rational(24000, 1001), Rational(1000, 1),
    ] {
      let path = try write([1, 1, 1, 1], name, codec, rate: rate, base: rate.inverse)
      let found = try times(path)
      #expect(found.count == 4, "\(rate)")
      let tick = rate.inverse.value
      let tolerance = name.hasSuffix("mp4") || name.hasSuffix("mov") ? 1e-4 * tick : 0.00051
      for (number, frame) in found.enumerated() {
        #expect(abs(frame.begin - Double(number) * tick) <= tolerance, "\(rate): \(found)")
        #expect(abs(frame.length - tick) <= 2 * tolerance, "\(rate): \(found)")
      }
    }
  }
}
