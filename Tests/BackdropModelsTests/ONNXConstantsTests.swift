import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct ONNXConstantsTests {
  private static func number(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7)
  }
  private static func field(_ index: Int, _ value: Int) -> [UInt8] { number(index << 3) + number(value) }
  private static func field(_ index: Int, _ content: [UInt8]) -> [UInt8] {
    number(index << 3 | 2) + number(content.count) + content
  }
  private static func field(_ index: Int, _ text: String) -> [UInt8] { field(index, Array(text.utf8)) }

  /// `out = src × factor + shift`, with a field of each kind that is skipped.
  private static func model() -> [UInt8] {
    func value(_ name: String, _ shape: [Int]) -> [UInt8] {
      let sides = shape.flatMap { field(1, field(1, $0)) }
      return field(1, name) + field(2, field(1, field(1, 1) + field(2, sides)))
    }
    func node(_ kind: String, _ inputs: [String], _ output: String) -> [UInt8] {
      inputs.flatMap { field(1, $0) } + field(2, output) + field(4, kind)
    }
    let graph =
      field(1, node("Mul", ["src", "factor"], "product")) + field(1, node("Add", ["product", "shift"], "out"))
      + field(2, "graph") + field(11, value("src", [1, 4])) + field(11, value("factor", [1]))
      + field(11, value("shift", [1])) + field(12, value("out", [1, 4]))
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))
  }

  @Test func findsTheInputs() throws {
    #expect(try ONNXConstants.inputs(of: Self.model()) == ["src", "factor", "shift"])
    // Fields of 8 and of 4 bytes, and a graph in two parts.
    let more = Self.number(99 << 3 | 1) + [UInt8](repeating: 7, count: 8) + Self.number(98 << 3 | 5) + [1, 2, 3, 4]
    let late = Self.field(7, Self.field(11, Self.field(1, "late")))
    #expect(try ONNXConstants.inputs(of: more + Self.model() + late) == ["src", "factor", "shift", "late"])
    #expect(try ONNXConstants.inputs(of: []).isEmpty)
  }

  @Test func unknownInputsAndDamageAreSaid() throws {
    #expect(throws: BackdropError.self) { try ONNXConstants.adding(["nothing": [1]], to: Self.model()) }
    var random = SeededRandom(seed: 5)
    let whole = Self.model()
    for length in 1..<whole.count where length != 2 {
      let part = Array(whole[..<length])
      // A part that ends with a field is a message of its own; any other is told.
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

  /// The network computes with the numbers and asks for the rest only.
  @Test(.enabled(if: NetworkRuntime.isInstalled, NetworkTests.needsRuntime))
  func theNetworkHasThem() throws {
    let folder = TemporaryFolder()
    let file = folder.file("sum.onnx")
    try Data(Self.model()).write(to: URL(fileURLWithPath: file))
    for (factor, shift) in [(2, 0.5), (-1, 3)] as [(Float, Float)] {
      let form = Network.Form(constants: ["factor": [factor], "shift": [shift]])
      let network = try Network.load(file, form, cache: CompiledNetworks(folder: folder.file("cache")))
      #expect(network.inputs.map(\.name) == ["src"])
      for index in 0..<4 { network.input()[index] = Float(index) }
      try network.run()
      #expect(Array(network.output()) == (0..<4).map { Float($0) * factor + shift })
    }
    #expect(throws: BackdropError.self) { try Network.load(file, constants: ["other": [1]]) }
  }
}
