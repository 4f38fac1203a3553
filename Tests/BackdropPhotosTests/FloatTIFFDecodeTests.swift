import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Depth in TIFF files, intact and damaged.
@Suite struct FloatTIFFDecodeTests {
  private func plane(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Plane<Float> {
    Plane(width: width, height: height) { _, _ in Float.random(in: -3...9, using: &random) }
  }

  @Test(arguments: [(1, 1), (7, 3), (130, 300)]) func readsWhatIsWritten(_ width: Int, _ height: Int) throws {
    var random = SeededRandom(seed: 2)
    let plane = plane(width, height, &random)
    let found = try FloatTIFF.decode(FloatTIFF.encode(plane, description: "depth in metres"))
    #expect(found.values == plane && !found.areWhole)
  }

  /// TIFF 6.0 by hand: big-endian, 2×2 of 16 bits, one strip whose position is in the directory.
  @Test func readsWholeNumbers() throws {
    var bytes: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 6]
    for (tag, type, value) in [(256, 3, 2), (257, 3, 2), (258, 3, 16), (262, 3, 1), (273, 4, 86), (278, 3, 2)] {
      bytes += [UInt8(tag >> 8), UInt8(tag & 255), 0, UInt8(type), 0, 0, 0, 1]
      bytes += type == 3 ? [0, UInt8(value), 0, 0] : [0, 0, 0, UInt8(value)]
    }
    bytes += [0, 0, 0, 0] + [3, 232, 0, 0, 7, 208, 0, 1]
    let found = try FloatTIFF.decode(bytes)
    #expect(found.values.samples == [1000, 0, 2000, 1] && found.areWhole)
  }

  /// All truncations and many changed bytes give an error or a picture, never a trap.
  @Test func damagedFilesAreRefused() throws {
    var random = SeededRandom(seed: 9)
    let whole = try FloatTIFF.encode(plane(33, 20, &random), description: "depth")
    for length in 0..<whole.count where length < 300 || length % 97 == 0 {
      #expect(throws: BackdropError.self, "cut to \(length)") { try FloatTIFF.decode(Array(whole[..<length])) }
    }
    for round in 0..<3000 {
      let bytes = random.damaged(whole)
      do {
        let found = try FloatTIFF.decode(bytes).values
        #expect(found.width * found.height * 2 <= bytes.count, "seed 9, round \(round)")
      } catch {
        #expect([.badData, .overLimit, .unsupported].contains(error.kind), "seed 9, round \(round): \(error)")
      }
    }
  }
}
