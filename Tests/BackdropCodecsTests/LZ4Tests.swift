import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

/// LZ4 frames, according to the specification and as written by the program `lz4`.
@Suite struct LZ4Tests {
  static let hasProgram = OutsideTool.succeeds("lz4", ["--version"])

  static func data(_ kind: Int, _ count: Int) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(kind))
    switch kind {
    case 0: return [UInt8](repeating: 7, count: count)
    case 1: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    case 2: return (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 % 11) }
    default: return (0..<count).map { _ in [1, 1, 1, 2, 250][Int.random(in: 0..<5, using: &random)] }
    }
  }

  @Test(.enabled(if: hasProgram, "needs lz4"), arguments: 0..<4, [0, 1, 15, 16, 1000, 300_000])
  func framesOfTheProgram(kind: Int, count: Int) throws {
    let bytes = Self.data(kind, count)
    for options in [["-1"], ["-9", "-BD", "-B4"], ["-1", "-BX", "--content-size"], ["-1", "--no-frame-crc"]] {
      let packed = [UInt8](try OutsideTool.run("lz4", ["-z", "-c"] + options, input: Data(bytes)))
      #expect(try LZ4.decode(packed.span, count: count) == bytes)
      for wrong in [count + 1, max(0, count - 1)] where wrong != count {
        #expect(throws: BackdropError.self) { try LZ4.decode(packed.span, count: wrong) }
      }
      #expect(throws: BackdropError.self) { try LZ4.decode(Array(packed.dropLast(9)).span, count: count) }
    }
  }

  /// A block by hand: "abcd", then four and nine more of it, then "xyz12", as sequences of the block format.
  @Test func sequences() throws {
    let block: [UInt8] = [0x49] + Array("abcd".utf8) + [4, 0, 0x50] + Array("xyz12".utf8)
    let frame: [UInt8] = [4, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, UInt8(block.count), 0, 0, 0] + block + [0, 0, 0, 0]
    let expected = "abcd" + "abcdabcdabcda" + "xyz12"
    #expect(try LZ4.decode(frame.span, count: 22) == Array(expected.utf8))
    var random = SeededRandom(seed: 3)
    for _ in 0..<3000 {
      var bad = frame
      bad[Int.random(in: 0..<bad.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      do {
        let found = try LZ4.decode(bad.span, count: 22)
        #expect(found.count == 22)
      } catch { #expect(error.kind == .badData) }
    }
  }

  /// Test vectors of the xxHash project.
  @Test(
    arguments: [
      ("", 0x02CC_5D05), ("a", 0x550D_7456), ("abc", 0x32D1_53FF),
      ("Nobody inspects the spammish repetition", 0xE229_3B2F),
    ] as [(String, UInt32)])
  func hashes(text: String, hash: UInt32) {
    #expect(Array(text.utf8).withUnsafeBytes { XXHash32.hash($0) } == hash)
  }
}
