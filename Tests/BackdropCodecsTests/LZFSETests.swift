import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@Suite struct LZFSETests {
  @Test(arguments: GoldenLZFSE.cases.indices) func golden(index: Int) throws {
    let (name, packed, plain) = GoldenLZFSE.cases[index]
    #expect(!packed.isEmpty, "\(name)")
    #expect(try LZFSE.decode(packed.span, count: plain.count) == plain, "\(name)")
  }

  /// The golden streams contain every kind of block.
  @Test func kinds() {
    let kinds = Set(GoldenLZFSE.cases.map { String(decoding: $0.packed.prefix(4), as: UTF8.self) })
    #expect(kinds == ["bvx-", "bvxn", "bvx2", "bvx1"])
  }

  @Test func empty() throws {
    #expect(try LZFSE.decode((Array("bvx-".utf8) + [0, 0, 0, 0] + Array("bvx$".utf8)).span, count: 0) == [])
    #expect(try LZFSE.decode(Array("bvx$".utf8).span, count: 0) == [])
  }

  @Test func stored() throws {
    #expect(LZFSE.stored(Array("abc".utf8)) == GoldenLZFSE.small)
    #expect(try LZFSE.decode(LZFSE.stored([]).span, count: 0) == [])
  }

  /// A stream is refused if it is shorter or longer than expected, or if more data follows.
  @Test(arguments: GoldenLZFSE.cases.indices) func lengths(index: Int) {
    let (name, packed, plain) = GoldenLZFSE.cases[index]
    for count in [0, plain.count - 1, plain.count + 1, 2 * plain.count] {
      #expect(throws: BackdropError.self, "\(name) \(count)") { try LZFSE.decode(packed.span, count: count) }
    }
    #expect(throws: BackdropError.self, "\(name)") { try LZFSE.decode((packed + [0]).span, count: plain.count) }
  }

  /// A truncated stream is refused, wherever it is cut.
  @Test(arguments: GoldenLZFSE.cases.indices) func cut(index: Int) {
    let (name, packed, plain) = GoldenLZFSE.cases[index]
    for count in 0..<packed.count {
      let part = Array(packed[..<count])
      #expect(throws: BackdropError.self, "\(name) at \(count)") { try LZFSE.decode(part.span, count: plain.count) }
    }
  }

  /// With random damage the decoder returns either the right number of bytes or an error.
  @Test(arguments: GoldenLZFSE.cases.indices) func damage(index: Int) {
    let (name, packed, plain) = GoldenLZFSE.cases[index]
    let seed = UInt64(index + 1)
    var random = SeededRandom(seed: seed)
    var refused = 0
    for round in 0..<3000 {
      do {
        let bytes = random.damaged(packed)
        let result = try LZFSE.decode(bytes.span, count: plain.count)
        #expect(result.count == plain.count, "\(name), seed \(seed), round \(round)")
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  @Test func garbage() {
    var random = SeededRandom(seed: 77)
    for _ in 0..<2000 {
      var bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let magic = ["bvx1", "bvx2", "bvxn", "bvx-", "bvx$", ""].randomElement(using: &random) ?? ""
      bytes.replaceSubrange(0..<min(bytes.count, magic.utf8.count), with: magic.utf8)
      #expect(throws: BackdropError.self, "seed 77") { try LZFSE.decode(bytes.span, count: 4096) }
    }
  }
}
