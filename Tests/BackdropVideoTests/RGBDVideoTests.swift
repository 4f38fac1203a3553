import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

@Suite struct RGBDVideoTests {
  let folder = TemporaryFolder()

  /// Random depth over the whole range, different in each frame.
  func depth(_ index: Int, _ width: Int, _ height: Int) -> Image {
    var random = SeededRandom(seed: UInt64(index + 1))
    return Image.noise(.gray16, width, height, &random)
  }

  func color(_ index: Int, _ width: Int, _ height: Int) -> Image {
    var image = Image(.rgba8, width: width, height: height)
    image.fill(RGBColor(red: Double(index % 2), green: 0.5, blue: 0))
    return image
  }

  static let times: [Int64] = [0, 33, 67, 100, 140, 167, 200, 1000, 1001, 1033]

  @discardableResult
  func record(
    _ name: String, width: Int = 64, height: Int = 48, depthWidth: Int = 40, depthHeight: Int = 30,
    without: Set<Int> = []
  ) throws -> String {
    let path = folder.file(name)
    let settings = RGBDVideoWriter.Settings(
      width: width, height: height, depthWidth: depthWidth, depthHeight: depthHeight, frameRate: Rational(30, 1))
    let writer = try RGBDVideoWriter(
      OutputFile(path, overwrite: false), settings: settings, description: Array("{\"a\": 1}".utf8))
    for (index, time) in Self.times.enumerated() {
      try writer.write(
        color(index, width, height), depth: without.contains(index) ? nil : depth(index, depthWidth, depthHeight),
        milliseconds: time)
    }
    try writer.finish()
    return path
  }

  /// `ffprobe` and `ffmpeg` read the file.
  @Test func otherReaders() throws {
    let path = try record("a.mkv")
    for stream in ["v:0", "v:1"] {
      let times = try MediaTool.probe(path, "-select_streams \(stream) -show_entries frame=best_effort_timestamp_time")
        .compactMap { Double($0.prefix { $0 != "," }) }
      #expect(times.map { Int64(($0 * 1000).rounded()) } == Self.times, "\(stream)")
    }
    #expect(
      try MediaTool.probe(path, "-select_streams v:1 -show_entries stream=pix_fmt,width,height") == ["40,30,gray16le"])
    let expected = Self.times.indices.flatMap { depth($0, 40, 30).packedBytes }
    #expect(try MediaTool.pixels(path, "gray16le", "-map 0:v:1 -fps_mode passthrough") == expected)
    let text = folder.file("recording.json")
    _ = try MediaTool.output(path, "-t 0 -f null", before: "-dump_attachment:t:0 \(text)")
    #expect(try String(contentsOfFile: text, encoding: .utf8) == "{\"a\": 1}")
  }

  @Test(arguments: [(64, 48), (63, 47), (16, 16)]) func readBack(width: Int, height: Int) throws {
    let path = try record("a.mkv", width: width, height: height, depthWidth: 33, depthHeight: 21)
    #expect(try RGBDVideoReader.isRecording(path))
    let reader = try RGBDVideoReader.frames(path)
    let sizes = reader.heading.sizes
    #expect(sizes.depthWidth == 33 && sizes.depthHeight == 21)
    #expect(sizes.width == (width + 1) & ~1 && sizes.height == (height + 1) & ~1)
    #expect(reader.heading.description == Array("{\"a\": 1}".utf8))
    var count = 0
    while let pair = try reader.next() {
      #expect(pair.number == count + 1 && abs(pair.seconds - Double(Self.times[count]) / 1000) < 1e-6)
      #expect(pair.depth.packedBytes == depth(count, 33, 21).packedBytes, "frame \(count)")
      let red = pair.image.converted(to: .rgba8).row(8)[32]
      #expect(count % 2 == 1 ? red > 240 : red < 16, "frame \(count): \(red)")
      count += 1
    }
    #expect(count == Self.times.count && reader.skipped.isEmpty && !reader.endedEarly)
    #expect(try reader.next() == nil)
  }

  @Test func framesWithoutDepth() throws {
    let reader = try RGBDVideoReader.frames(try record("a.mkv", without: [0, 4, 8, 9]))
    var numbers: [Int] = []
    while let pair = try reader.next() { numbers.append(pair.number) }
    #expect(numbers == [2, 3, 4, 6, 7, 8] && reader.skipped.first.map(\.frame) == [1, 5, 9, 10])
  }

  /// A truncated or damaged file returns exact depth or none.
  @Test func damage() throws {
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: record("a.mkv"))))
    var random = SeededRandom(seed: 3)
    var given = 0
    for round in 0..<60 {
      var bytes = whole
      if round % 2 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count - 2000, using: &random))
      } else {
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      let path = try folder.write(bytes, "damaged.mkv")
      do {
        let reader = try RGBDVideoReader.frames(path)
        var last = -1
        while let pair = try reader.next() {
          given += 1
          let exact = try #require(
            Self.times.indices.first { $0 > last && depth($0, 40, 30).packedBytes == pair.depth.packedBytes },
            "seed 3, round \(round): depth of no later frame than \(last)")
          // Other damage may change the times.
          let isOfItsTime = Self.times[exact] == Int64((pair.seconds * 1000).rounded())
          #expect(isOfItsTime || round % 2 == 1, "seed 3, round \(round), frame \(exact)")
          last = exact
        }
      } catch let error as BackdropError {
        #expect([.badData, .unsupported, .overLimit].contains(error.kind), "seed 3, round \(round): \(error)")
      }
    }
    #expect(given > 0)
  }

  /// FFV1 has checksums of everything except the size, which comes from the container.
  @Test func anotherSizeIsRefused() throws {
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: record("a.mkv"))))
    // Matroska's PixelWidth, one byte long.
    let found = whole.indices.dropLast(2).filter { Array(whole[$0..<$0 + 3]) == [0xB0, 0x81, 40] }
    #expect(found.count == 1)
    var bytes = whole
    bytes[try #require(found.first) + 2] = 38
    let path = try folder.write(bytes, "narrow.mkv")
    let error = refusal { try RGBDVideoReader.frames(path) }
    #expect(error?.kind == .badData && error?.message.contains("38×30") == true, "\(error?.description ?? "")")
  }

  @Test func refusals() throws {
    let settings = RGBDVideoWriter.Settings(width: 8, height: 8, depthWidth: 8, depthHeight: 8)
    #expect(throws: BackdropError.self) {
      try RGBDVideoWriter(OutputFile(folder.file("a.mp4"), overwrite: false), settings: settings, description: [])
    }
    let file = try OutputFile(folder.file("b.mkv"), overwrite: false)
    let writer = try RGBDVideoWriter(file, settings: settings, description: [123, 125])
    #expect(throws: BackdropError.self) { try writer.finish() }
    #expect(folder.contents.isEmpty)
    try MediaTool.make("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 3 -c:v libx264", folder.file("plain.mkv"))
    #expect(try !RGBDVideoReader.isRecording(folder.file("plain.mkv")))
    #expect(throws: BackdropError.self) { try RGBDVideoReader.frames(folder.file("plain.mkv")) }
  }

  /// Without `finish` nothing remains.
  @Test func unfinished() throws {
    do {
      let settings = RGBDVideoWriter.Settings(width: 8, height: 8, depthWidth: 8, depthHeight: 8)
      let writer = try RGBDVideoWriter(
        OutputFile(folder.file("b.mkv"), overwrite: false), settings: settings, description: [123, 125])
      try writer.write(color(0, 8, 8), depth: depth(0, 8, 8), milliseconds: 0)
      #expect(throws: BackdropError.self) { try writer.write(color(0, 8, 8), depth: nil, milliseconds: 0) }
    }
    #expect(folder.contents.isEmpty)
  }
}
