import BackdropImaging

/// The operations of a TensorFlow Lite model.
package enum TFLiteLayers {
  /// The operations with their numbers of occurrences, most frequent first: builtin ones by their number in the schema
  /// (`BuiltinOperator`), custom ones by name.
  ///
  /// - Throws: `badData` if the bytes are not a valid model.
  package static func count(_ bytes: [UInt8]) throws(BackdropError) -> [(name: String, count: Int)] {
    let (reader, model) = try FlatBufferReader.model(bytes)
    var names: [String] = []
    for at in try reader.tables(model, 1) {
      let code = try reader.table(at)
      let old = if let field = try reader.field(code, 0) { Int(try reader.u8(field)) } else { 0 }
      let new = if let field = try reader.field(code, 3) { try reader.i32(field) } else { 0 }
      let number = max(old, new)
      if number == 32, let custom = try reader.string(code, 1) {
        names.append(custom.text)
      } else {
        names.append(builtin[number] ?? "builtin operator \(number)")
      }
    }
    var counts: [String: Int] = [:]
    for at in try reader.tables(model, 2) {
      for operation in try reader.tables(try reader.table(at), 3) {
        let table = try reader.table(operation)
        let index = if let field = try reader.field(table, 0) { try reader.u32(field) } else { 0 }
        guard names.indices.contains(index) else { throw FlatBufferReader.damaged("an operation has no code") }
        counts[names[index], default: 0] += 1
      }
    }
    return counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
      .map { (name: $0.key, count: $0.value) }
  }

  /// The names of operations in vision networks.
  private static let builtin: [Int: String] = [
    0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 6: "DEQUANTIZE",
    9: "FULLY_CONNECTED", 14: "LOGISTIC", 17: "MAX_POOL_2D", 18: "MUL", 19: "RELU", 21: "RELU6", 22: "RESHAPE",
    23: "RESIZE_BILINEAR", 25: "SOFTMAX", 28: "TANH", 34: "PAD", 40: "MEAN", 41: "SUB", 42: "DIV", 45: "STRIDED_SLICE",
    54: "PRELU", 67: "TRANSPOSE_CONV", 74: "SUM", 114: "QUANTIZE", 117: "HARD_SWISH",
  ]
}
