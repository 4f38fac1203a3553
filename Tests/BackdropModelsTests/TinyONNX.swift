/// Small ONNX models, written field by field ([onnx.proto](https://github.com/onnx/onnx/blob/main/onnx/onnx.proto)).
enum TinyONNX {
  static func number(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7)
  }
  static func field(_ index: Int, _ value: Int) -> [UInt8] { number(index << 3) + number(value) }
  static func field(_ index: Int, _ content: [UInt8]) -> [UInt8] {
    number(index << 3 | 2) + number(content.count) + content
  }
  static func field(_ index: Int, _ text: String) -> [UInt8] { field(index, Array(text.utf8)) }

  /// An input or output; types are 1 for f32 and 10 for f16.
  static func value(_ name: String, _ shape: [Int], type: Int = 1) -> [UInt8] {
    let sides = shape.flatMap { field(1, field(1, $0)) }
    return field(1, name) + field(2, field(1, field(1, type) + field(2, sides)))
  }

  static func node(_ kind: String, _ inputs: [String], _ output: String, attribute: [UInt8] = []) -> [UInt8] {
    inputs.flatMap { field(1, $0) } + field(2, output) + field(4, kind) + (attribute.isEmpty ? [] : field(5, attribute))
  }

  static func constant(_ name: String, _ shape: [Int], _ values: [Float]) -> [UInt8] {
    let bytes = values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
    return shape.flatMap { field(1, $0) } + field(2, 1) + field(8, name) + field(9, bytes)
  }

  static func model(graph: [UInt8]) -> [UInt8] { field(1, 7) + field(7, graph) + field(8, field(2, 13)) }

  /// One number for each pixel of a square picture: `scale` × red + `shift`.
  struct Output {
    let name: String
    var scale: Float = 1
    var shift: Float = 0
    var isHalf = false
  }

  /// A network with such outputs.
  static func square(_ side: Int, input: String, _ outputs: [Output]) -> [UInt8] {
    var graph = field(2, "graph") + field(11, value(input, [1, 3, side, side]))
    for output in outputs {
      let (weights, bias, wide) = (output.name + ".w", output.name + ".b", output.name + ".f32")
      graph +=
        field(5, constant(weights, [1, 3, 1, 1], [output.scale, 0, 0])) + field(5, constant(bias, [1], [output.shift]))
      graph += field(1, node("Conv", [input, weights, bias], output.isHalf ? wide : output.name))
      if output.isHalf {
        let type = field(1, "to") + field(3, 10) + field(20, 2)
        graph += field(1, node("Cast", [wide], output.name, attribute: type))
      }
      graph += field(12, value(output.name, [1, 1, side, side], type: output.isHalf ? 10 : 1))
    }
    return model(graph: graph)
  }
}
