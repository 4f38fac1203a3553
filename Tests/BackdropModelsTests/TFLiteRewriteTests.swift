import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct TFLiteRewriteTests {
  @Test func replacesTheCustomOperation() throws {
    let old = TinyModel.bytes()
    #expect(try TFLiteLayers.count(old).map(\.name) == [TFLiteRewrite.customName])
    let new = try TFLiteRewrite.replacingCustomOperations(old)
    #expect(try TFLiteLayers.count(new).map(\.name) == ["TRANSPOSE_CONV"])
    let reader = FlatBufferReader(bytes: new)
    let model = try reader.table(try reader.target(0))
    let graph = try reader.table(try reader.tables(model, 2)[0])
    let tensors = try reader.tables(graph, 0)
    #expect(tensors.count == 5)
    let operation = try reader.table(try reader.tables(graph, 3)[0])
    // The shape, the weights, the picture, the bias: the order of TRANSPOSE_CONV, version 3.
    #expect(try reader.integers(operation, 1) == [4, 1, 0, 2])
    #expect(try reader.integers(operation, 2) == [3])
    let options = try reader.table(#require(try reader.reference(operation, 4)))
    #expect(try reader.u8(#require(try reader.field(options, 0))) == 0)
    #expect(try reader.i32(#require(try reader.field(options, 1))) == 2)
    let shape = try reader.table(tensors[4])
    let buffers = try reader.tables(model, 4)
    let buffer = try reader.table(buffers[try reader.u32(#require(try reader.field(shape, 2)))])
    let data = try reader.vector(#require(try reader.reference(buffer, 0)), elementSize: 1)
    #expect(data.count == 16)
    #expect(data.first.isMultiple(of: 16))
    #expect(try (0..<4).map { try reader.i32(data.first + 4 * $0) } == [1, 16, 16, 1])
    #expect(try TFLiteRewrite.replacingCustomOperations(new) == new)
  }

  @Test func leavesOtherModelsAlone() throws {
    let model = TinyModel.bytes(name: "SomethingElse")
    #expect(try TFLiteRewrite.replacingCustomOperations(model) == model)
  }

  @Test(arguments: [[], [0x54, 0x46], Array("not a model at all, but long enough".utf8)] as [[UInt8]])
  func refusesWhatIsNoModel(_ bytes: [UInt8]) {
    #expect(throws: BackdropError.self) { try TFLiteRewrite.replacingCustomOperations(bytes) }
  }

  @Test func refusesWrongOptions() {
    #expect(throws: BackdropError.self) {
      try TFLiteRewrite.replacingCustomOperations(TinyModel.bytes(optionBytes: [1, 2]))
    }
    #expect(throws: BackdropError.self) {
      try TFLiteRewrite.replacingCustomOperations(TinyModel.bytes(optionBytes: [1, 0, 2]))
    }
  }

  /// Damaged models throw or produce some model, but never crash or read out of bounds.
  @Test func survivesMutations() throws {
    try mutate(TinyModel.bytes(), rounds: 20_000)
  }

  @Test(.enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
  func survivesMutationsOfARealModel() throws {
    let path = try #require(ModelStore().path(of: NetworkDescription.selfieGeneral.file))
    try mutate(try InputFile.read(path), rounds: 300)
  }

  private func mutate(_ model: [UInt8], rounds: Int) throws {
    var random = SeededRandom(seed: 3)
    var sound = 0
    for _ in 0..<rounds {
      var bytes = model
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        // The beginning contains the structure, the rest mostly weights.
        let at = Int.random(in: 0..<min(bytes.count, 40_000), using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: if at + 4 <= bytes.count { for k in 0..<4 { bytes[at + k] = k < 3 ? 0xff : 0x7f } }
        default: bytes.removeLast(Int.random(in: 0...min(64, bytes.count - 1), using: &random))
        }
        if bytes.isEmpty { break }
      }
      do {
        let result = try TFLiteRewrite.replacingCustomOperations(bytes)
        #expect(result.count >= bytes.count)
        _ = try TFLiteLayers.count(result)
        sound += 1
      } catch {
        // Most damaged models are refused.
        continue
      }
    }
    // Some mutations must leave a valid model, or the loop would test refusals only.
    #expect(sound > 0)
  }
}
