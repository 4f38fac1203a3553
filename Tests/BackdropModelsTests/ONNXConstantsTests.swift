import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct ONNXConstantsTests {
  /// `out = src × factor + shift`, with a skipped field of each kind.
  private static func model() -> [UInt8] {
    let nodes = [
      TinyONNX.node("Mul", ["src", "factor"], "product"), TinyONNX.node("Add", ["product", "shift"], "out"),
    ]
    let inputs = [TinyONNX.value("src", [1, 4]), TinyONNX.value("factor", [1]), TinyONNX.value("shift", [1])]
    return TinyONNX.model(
      graph: nodes.flatMap { TinyONNX.field(1, $0) } + TinyONNX.field(2, "graph")
        + inputs.flatMap { TinyONNX.field(11, $0) } + TinyONNX.field(12, TinyONNX.value("out", [1, 4])))
  }

  @Test func findsTheInputs() throws {
    #expect(try ONNXConstants.inputs(of: Self.model()) == ["src", "factor", "shift"])
    // Fields of 8 and of 4 bytes, and a graph in two parts.
    let more =
      TinyONNX.number(99 << 3 | 1) + [UInt8](repeating: 7, count: 8) + TinyONNX.number(98 << 3 | 5) + [1, 2, 3, 4]
    let late = TinyONNX.field(7, TinyONNX.field(11, TinyONNX.field(1, "late")))
    #expect(try ONNXConstants.inputs(of: more + Self.model() + late) == ["src", "factor", "shift", "late"])
    #expect(try ONNXConstants.inputs(of: []).isEmpty)
  }

  @Test func unknownInputsAndDamageAreSaid() throws {
    #expect(throws: BackdropError.self) { try ONNXConstants.adding(["nothing": [1]], to: Self.model()) }
    var random = SeededRandom(seed: 5)
    let whole = Self.model()
    for length in 1..<whole.count where length != 2 {
      let part = Array(whole[..<length])
      // A part that ends with a complete field is a valid message; any other part is an error.
      do throws(BackdropError) { _ = try ONNXConstants.inputs(of: part) } catch { #expect(error.kind == .badData) }
    }
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
      do throws(BackdropError) { _ = try ONNXConstants.inputs(of: bytes) } catch { #expect(error.kind == .badData) }
    }
    for hostile in [
      [0xff], [0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [UInt8](repeating: 0x80, count: 11),
    ] {
      #expect(throws: BackdropError.self) { try ONNXConstants.inputs(of: hostile.map { UInt8($0) }) }
    }
  }

  /// The network computes with the constants, and its only inputs are the others.
  @Test(.enabled(if: NetworkRuntime.isInstalled, NetworkTests.needsRuntime))
  func theNetworkHasThem() throws {
    let folder = TemporaryFolder()
    let file = try folder.write(Self.model(), "sum.onnx")
    for (factor, shift) in [(2, 0.5), (-1, 3)] as [(Float, Float)] {
      let form = Network.Form(constants: ["factor": [factor], "shift": [shift]])
      let network = try Network.load(file, form, cache: CompiledNetworks(folder: folder.file("cache")))
      #expect(network.inputs.map(\.name) == ["src"])
      for index in 0..<4 { network.input()[index] = Float(index) }
      try network.run()
      #expect(Array(network.output()) == (0..<4).map { Float($0) * factor + shift })
    }
    #expect(throws: BackdropError.self) { try Network.load(file, Network.Form(constants: ["other": [1]])) }
  }
}
