import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

@Suite struct GIFTests {
  static let needsTool: Comment = "needs ffmpeg"

  static func writer(_ width: Int, _ height: Int) throws -> GIFWriter {
    try GIFWriter(AnimationSettings(width: width, height: height, timeBase: Rational(1, 100)))
  }

  /// The pictures in order, decoded by FFmpeg.
  static func decoded(_ bytes: [UInt8]) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let file = try folder.write(bytes, "x.gif")
    return try MediaTool.pixels(file, "rgb24")
  }

  /// Few colours are preserved exactly in every picture, whatever changes and however many codes it takes.
  @Test(.enabled(if: MediaTool.isPresent, needsTool), arguments: [(1, 1), (3, 2), (61, 47), (200, 150)])
  func fewColoursAreExact(width: Int, height: Int) throws {
    var random = SeededRandom(seed: UInt64(width))
    var writer = try Self.writer(width, height)
    var wanted: [UInt8] = []
    // Even the extremes of the dithering pattern leave these colours in their cells.
    let colors: [[Int]] = [[0, 0, 0], [250, 20, 30], [40, 200, 60], [90, 90, 240], [255, 255, 255]]
    for number in 0..<5 {
      let image = Image.drawn(.rgb8, width, height) { _, _ in
        colors[number == 3 ? 2 : Int.random(in: 0..<colors.count, using: &random)]
      }
      try writer.append(image, from: Int64(8 * number), to: Int64(8 * number + 8))
      wanted += image.packedBytes
    }
    #expect(try Self.decoded(writer.whole()) == wanted)
  }

  /// A gradient of many colours: close enough in each picture, and closer on average.
  @Test(.enabled(if: MediaTool.isPresent, needsTool)) func manyColoursAreNear() throws {
    var writer = try Self.writer(160, 120)
    var wanted: [UInt8] = []
    for number in 0..<3 {
      let image = Image.drawn(.rgb8, 160, 120) { x, y in
        let (red, green) = (x * 255 / 159, y * 255 / 119)
        return [red, green, 60 * number + 30]
      }
      try writer.append(image, from: Int64(8 * number), to: Int64(8 * number + 8))
      wanted += image.packedBytes
    }
    let found = try Self.decoded(writer.whole())
    try #require(found.count == wanted.count)
    let differences = zip(found, wanted).map { abs(Int($0) - Int($1)) }
    // 255 colours over a square: sixteen levels apart in two channels, a pattern of six levels.
    #expect((differences.max() ?? 0) <= 24)
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 5)
  }

  /// The GIF repeats forever, and each picture has its given duration.
  @Test func saysItsTimes() throws {
    var writer = try Self.writer(4, 3)
    var image = Image(.rgb8, width: 4, height: 3)
    image.fill(RGBColor(red: 1, green: 0, blue: 0))
    try writer.append(image, from: 0, to: 258)
    let bytes = writer.whole()
    #expect(bytes.starts(with: Array("GIF89a".utf8) + [4, 0, 3, 0]))
    #expect(bytes.last == 0x3B)
    let loop = Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    #expect(bytes.indices.contains { bytes[$0...].starts(with: loop) })
    #expect(bytes.indices.contains { bytes[$0...].starts(with: [0x21, 0xF9, 4, 5, 2, 1, 255, 0]) })
  }

  @Test func refusesWhatItCannotDo() throws {
    for size in [(0, 1), (1, 0), (65_536, 1)] {
      #expect(throws: BackdropError.self) { try Self.writer(size.0, size.1) }
    }
    var writer = try Self.writer(4, 4)
    #expect(throws: BackdropError.self) { try writer.append(Image(.rgb8, width: 5, height: 4), from: 0, to: 8) }
  }
}
