import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The outputs and the identification of networks for square pictures with one number for each pixel.
@Suite struct KnownNetworkTests {
  private let folder = TemporaryFolder()

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try folder.write(bytes, name)
    return folder.file(name)
  }

  private static func tensor(_ name: String, _ shape: [Int?]) -> TensorDescription {
    TensorDescription(name: name, shape: shape, element: "f32")
  }

  private static func logistic(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

  // MARK: - Outputs

  @Test func logitsBecomeProbabilities() throws {
    let logits =
      stride(from: Float(-14), through: 14, by: 0.25).map { $0 } + [-.infinity, .infinity, .nan, -1000, 1000]
    let expected = logits.map { $0.isNaN ? 0 : Self.logistic(Double($0)) * 32768 }
    let reader = try #require(NetworkOutput(.logit, shape: [1, 1, 1, logits.count], chosen: [0]))
    var matte = Matte(constant: 0, width: 1, height: 1)
    logits.withUnsafeBufferPointer { reader.write($0.baseAddress!, into: &matte) }
    #expect(matte.width == logits.count && matte.height == 1)
    for (found, wanted) in zip(matte.q15.samples, expected) {
      #expect(abs(Double(found) - wanted) <= 0.6, "\(found), not \(wanted)")
    }
  }

  @Test func logitsInDescriptions() throws {
    let text = #"{"file": "net.onnx", "width": 4, "height": 4, "meaning": {"logit": {}}}"#
    #expect(try NetworkDescription.load(file("net.json", Array(text.utf8))).meaning == .logit)
  }

  /// Red runs from 0 to 1, and the first output is 4 × red − 2.
  @Test(.enabled(if: NetworkRuntime.isInstalled, NetworkTests.needsRuntime), arguments: [false, true])
  func theFirstOutputIsTaken(isHalf: Bool) throws {
    let side = 16
    let path = try file(
      "net.onnx",
      TinyONNX.square(
        side, input: "in",
        [
          TinyONNX.Output(name: "first", scale: 4, shift: -2, isHalf: isHalf),
          TinyONNX.Output(name: "second", scale: -1, shift: 7), TinyONNX.Output(name: "third", shift: -7, isHalf: true),
        ]))
    var image = Image(.bgra8, width: side, height: side)
    for y in 0..<side {
      var row = image.mutableRow(y)
      for x in 0..<side { (row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]) = (90, UInt8(y * side + x), 255) }
    }
    for meaning in [NetworkDescription.Meaning.logit, .probability] {
      let description = NetworkDescription(
        id: "tiny", summary: "", licence: "", file: path, width: side, height: side, layout: .channelHeightWidth,
        meaning: meaning)
      let network = try PersonNetwork(description)
      var matte = Matte(constant: 0, width: 1, height: 1)
      try network.update(&matte, from: image)
      #expect(matte.width == side && matte.height == side)
      for (index, found) in matte.q15.samples.enumerated() {
        let number = 4 * Double(index) / 255 - 2
        let wanted = meaning == .logit ? Self.logistic(number) : min(max(number, 0), 1)
        // 16-bit numbers have a relative precision of 2⁻¹¹.
        #expect(abs(Double(found) / 32768 - wanted) < (isHalf ? 5e-4 : 1e-4), "\(index): \(found)")
      }
    }
  }

  // MARK: - Which they are

  /// Names and shapes from the files; those of BiRefNet from its authors' notebook.
  @Test(arguments: [
    ("input.1", 320, "1959", 7, "u2netp"), ("input_image", 1024, "output_image", 12, "isnet"),
    ("input_image", 1024, "output_image", 1, "birefnet-general"), ("input.1", 1024, "17728", 1, "ben2"),
    ("input_image", 1024, "output_image", 2, nil), ("input_image", 512, "output_image", 1, nil),
    ("input", 1024, "output", 1, nil), ("input.1", 1024, "1959", 7, nil), ("input.1", 320, "1959", 1, nil),
  ])
  func toldByInputsAndOutputs(input: String, side: Int, output: String, outputs: Int, id: String?) {
    let first = Self.tensor(output, [1, 1, side, side])
    let others = (1..<outputs).map { Self.tensor("\($0)", [1, 1, side, side]) }
    func told(_ inputs: [TensorDescription], _ outputs: [TensorDescription]) -> String? {
      NetworkDescription.recognised(inputs: inputs, outputs: outputs)?.id
    }
    let picture = Self.tensor(input, [1, 3, side, side])
    #expect(told([picture], [first] + others) == id)
    // Channels last, an open size, more channels, another input, half the size, none.
    #expect(told([Self.tensor(input, [1, side, side, 3])], [first] + others) == nil)
    #expect(told([Self.tensor(input, [1, 3, nil, nil])], [first] + others) == nil)
    #expect(told([picture], [Self.tensor(output, [1, 4, side, side])] + others) == nil)
    #expect(told([picture, picture], [first] + others) == nil)
    #expect(told([picture], [Self.tensor(output, [1, 1, side / 2, side / 2])] + others) == nil)
    #expect(told([picture], []) == nil)
  }

  @Test(.enabled(if: NetworkRuntime.isInstalled, NetworkTests.needsRuntime))
  func filesUnderOtherNames() throws {
    let outputs = (1959...1965).map { TinyONNX.Output(name: "\($0)") }
    let path = try file("mine.onnx", TinyONNX.square(320, input: "input.1", outputs))
    var expected = NetworkDescription.salientObjects
    expected.file = path
    #expect(try PersonMatteMaker.description(path) == expected)
    // A file's name counts before its content.
    let named = try file("u2net_human_seg.onnx", InputFile.read(path))
    #expect(try PersonMatteMaker.description(named).id == "u2net-human")
  }

  /// Backdrop refuses files that it cannot identify: other networks may have the same names and sizes.
  @Test(.enabled(if: NetworkRuntime.isInstalled, NetworkTests.needsRuntime))
  func whatIsNotCertainIsRefused() throws {
    let path = try file("model.onnx", TinyONNX.square(96, input: "input", [TinyONNX.Output(name: "output")]))
    let many = try file(
      "many.onnx", TinyONNX.square(96, input: "in", (1...5).map { TinyONNX.Output(name: "o\($0)") }))
    for (path, says) in [
      (path, "takes 'input' 1×3×96×96 and gives 'output' 1×1×96×96"),
      (many, "takes 'in' 1×3×96×96 and gives 'o1' 1×1×96×96, 'o2' 1×1×96×96, 'o3' 1×1×96×96 and 2 more"),
    ] {
      let error = refusal { try PersonMatteMaker.description(path) }
      #expect(error?.message == "Backdrop does not know this network, which " + says)
      let hint = error?.hint?.text ?? ""
      #expect(hint.hasSuffix(#""width": 96, "height": 96, "layout": "channelHeightWidth"}"#), "\(hint)")
    }
  }

  @Test func whatCannotBeReadIsRefused() throws {
    let path = try file("mine.onnx", [1])
    #expect(refusal { try PersonMatteMaker.description(path) }?.message == "Backdrop does not know this network")
  }
}
