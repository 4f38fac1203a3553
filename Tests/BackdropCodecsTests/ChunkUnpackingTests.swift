import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

/// Chunks as the programs `lz4` and `bzip2` write them, LZ4's according to the specification, and Zstandard's by hand.
@Suite struct ChunkUnpackingTests {
  static let hasProgram = OutsideTool.isPresent("lz4")

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
  func framesOfLZ4(kind: Int, count: Int) throws {
    let bytes = Self.data(kind, count)
    for options in [["-1"], ["-9", "-BD", "-B4"], ["-1", "-BX", "--content-size"], ["-1", "--no-frame-crc"]] {
      try check(.lz4, [UInt8](try OutsideTool.run("lz4", ["-z", "-c"] + options, input: Data(bytes))), bytes)
    }
  }

  @Test(arguments: 0..<4, [1, 15, 1000, 300_000])
  func streamsOfBzip2(kind: Int, count: Int) throws {
    let bytes = Self.data(kind, count)
    try check(.bz2, [UInt8](try OutsideTool.run("bzip2", ["-c"], input: Data(bytes))), bytes)
  }

  /// A frame of two blocks: one stored, one of ten equal bytes (RFC 8878).
  @Test func framesOfZstandard() throws {
    let stored: [UInt8] = [12 << 3, 0, 0] + Array("abcdabcdabcd".utf8)
    let repeated: [UInt8] = [10 << 3 | 1 << 1 | 1, 0, 0, UInt8(ascii: "x")]
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 22] + stored + repeated
    try check(.zstd, frame, Array("abcdabcdabcdxxxxxxxxxx".utf8))
  }

  func check(_ packing: ChunkUnpacking.Packing, _ packed: [UInt8], _ bytes: [UInt8]) throws {
    #expect(try ChunkUnpacking(packing, count: bytes.count).result(packed.span) == bytes)
    for wrong in [bytes.count + 1, max(0, bytes.count - 1)] where wrong != bytes.count {
      #expect(throws: BackdropError.self) { try ChunkUnpacking(packing, count: wrong).result(packed.span) }
    }
    #expect(throws: BackdropError.self) {
      try ChunkUnpacking(packing, count: bytes.count).result(packed.span.extracting(droppingLast: 9))
    }
  }

  /// A block by hand: "abcd", then four and nine more of it, then "xyz12", as sequences of the block format.
  @Test func sequencesOfLZ4() throws {
    let block: [UInt8] = [0x49] + Array("abcd".utf8) + [4, 0, 0x50] + Array("xyz12".utf8)
    let frame: [UInt8] = [4, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, UInt8(block.count), 0, 0, 0] + block + [0, 0, 0, 0]
    let expected = "abcd" + "abcdabcdabcda" + "xyz12"
    #expect(try ChunkUnpacking(.lz4, count: 22).result(frame.span) == Array(expected.utf8))
    var random = SeededRandom(seed: 3)
    for _ in 0..<3000 {
      var bad = frame
      bad[Int.random(in: 0..<bad.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      do {
        let found = try ChunkUnpacking(.lz4, count: 22).result(bad.span)
        #expect(found.count == 22)
      } catch { #expect(error.kind == .badData) }
    }
  }
}
