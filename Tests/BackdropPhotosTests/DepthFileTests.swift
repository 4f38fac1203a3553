import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

@Suite struct DepthFileTests {
  func values(_ seed: UInt64, _ width: Int, _ height: Int) -> Plane<Float> {
    var random = SeededRandom(seed: seed)
    return Plane<Float>(width: width, height: height) { _, _ in
      Bool.random(using: &random) ? Float.random(in: -3...9, using: &random) : .nan
    }
  }

  @Test(arguments: [(1, 1), (3, 5), (640, 2), (300, 200)]) func pfm(_ width: Int, _ height: Int) throws {
    let plane = values(3, width, height)
    #expect(same(try PFM.decode(PFM.encode(plane)), plane))
    // Big-endian, as indicated by the sign of the scale.
    let bytes = PFM.encode(plane)
    let header = Array("Pf\n\(width) \(height)\n-1.0\n".utf8)
    var swapped = Array("Pf \(width)\t\(height)\n1\n".utf8)
    for start in stride(from: header.count, to: bytes.count, by: 4) { swapped += bytes[start..<start + 4].reversed() }
    #expect(same(try PFM.decode(swapped), plane))
  }

  @Test(arguments: [
    ("", BackdropError.Kind.badData), ("Pf", .badData), ("P5\n1 1\n-1\n0000", .badData),
    ("PF\n1 1\n-1\n000000000000", .unsupported),
    ("Pf\n1 1\n-1\n000", .badData), ("Pf\n1 1\n-1\n00000", .badData), ("Pf\n1 1\n0\n0000", .badData),
    ("Pf\n0 1\n-1\n", .badData), ("Pf\n-1 1\n-1\n0000", .badData), ("Pf\n99999999 99999999\n-1\n", .overLimit),
    ("Pf\n9999999999999999999999 1\n-1\n0000", .badData), ("Pf\n1 1\nnan\n0000", .badData),
    ("Pf\n" + String(repeating: "1", count: 1000), .badData),
  ])
  func badPFM(_ text: String, _ kind: BackdropError.Kind) {
    #expect(refusal { _ = try PFM.decode(Array(text.utf8)) }?.kind == kind, "\(text.prefix(40))")
  }

  /// FFmpeg reads the same numbers.
  @Test(arguments: [(7, 3), (130, 200)]) func otherReaders(_ width: Int, _ height: Int) throws {
    let folder = TemporaryFolder()
    var plane = values(5, width, height)
    for y in 0..<height { for x in 0..<width where plane[x, y].isNaN { plane[x, y] = 0.5 } }
    try folder.write(PFM.encode(plane), "a.pfm")
    let data = try MediaTool.pixels(folder.file("a.pfm"), "grayf32le")
    let rows = (0..<height).map { y in
      (0..<width).flatMap { withUnsafeBytes(of: plane[$0, y].bitPattern.littleEndian, Array.init) }
    }
    // FFmpeg before version 6 returns the rows in stored order, from the bottom up.
    let isEqual = data == rows.flatMap { $0 } || data == rows.reversed().flatMap { $0 }
    #expect(isEqual)
  }

  /// TIFF 6.0, section 3: the tags of a grey picture, and samples in the strips.
  @Test(arguments: [(1, 1), (7, 3), (130, 300)]) func tiff(_ width: Int, _ height: Int) throws {
    let plane = values(6, width, height)
    let bytes = try FloatTIFF.encode(plane, description: "disparity in 1/metre")
    let tiff = try TIFFReader(bytes)
    func value(_ tag: Int) throws -> Int? { try tiff.value(of: tag, at: tiff.firstDirectory) }
    #expect(try [256, 257, 258, 259, 262, 277, 339].map(value) == [width, height, 32, 1, 1, 1, 3])
    #expect(try tiff.text(of: 270, at: tiff.firstDirectory) == "disparity in 1/metre")
    func list(_ tag: Int) throws -> [Int] {
      let range = try #require(try tiff.content(of: tag, at: tiff.firstDirectory))
      var reader = ByteReader(bytes, in: range, order: .little)
      return try (0..<range.count / 4).map { _ in try reader.uint32() }
    }
    let (offsets, counts) = (try list(273), try list(279))
    let rows = try #require(try value(278))
    #expect(offsets.count == (height + rows - 1) / rows)
    let found = zip(offsets, counts).flatMap { bytes[$0..<$0 + $1] }
    let isEqual = found == plane.samples.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }
    #expect(isEqual)
    #expect(offsets.last.map { $0 + (counts.last ?? 0) } == bytes.count)
  }
}
