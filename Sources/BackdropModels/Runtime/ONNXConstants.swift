import BackdropImaging
import Libc

/// Turns inputs of ONNX networks into constants.
///
/// The compiler evaluates everything that depends only on constants. If they determine sizes, as a scale does, those are known too: Robust
/// Video Matting takes a sixth less time with its scale as a constant.
enum ONNXConstants {
  /// Fields of `ModelProto`, `GraphProto`, `ValueInfoProto` and `TensorProto`
  /// ([onnx.proto](https://github.com/onnx/onnx/blob/main/onnx/onnx.proto)).
  private enum Field {
    static let graph: UInt64 = 7, initializer: UInt64 = 5, input: UInt64 = 11, nameOfInput: UInt64 = 1
    static let size: UInt64 = 1, type: UInt64 = 2, nameOfTensor: UInt64 = 8, bytes: UInt64 = 9
  }
  private static let float: UInt64 = 1

  /// A network with some of its inputs turned into constants.
  ///
  /// Consecutive messages of Protocol Buffers form one message
  /// ([encoding](https://protobuf.dev/programming-guides/encoding/#last-one-wins)), so a file's bytes stay unchanged, and the values follow
  /// them, as initializers of the graph.
  ///
  /// - Throws: `badData` for a file that is not such a message, or has no input of that name.
  static func adding(_ constants: [String: [Float]], to model: [UInt8]) throws(BackdropError) -> [UInt8] {
    let known = try inputs(of: model)
    var graph: [UInt8] = []
    for (name, values) in constants.sorted(by: { $0.key < $1.key }) {
      guard known.contains(name) else {
        throw BackdropError(.badData, "the network has no input '\(name)'; it has \(known.joined(separator: ", "))")
      }
      var tensor = number(Field.size, UInt64(values.count)) + number(Field.type, float)
      tensor += message(Field.nameOfTensor, Array(name.utf8))
      tensor += message(
        Field.bytes, values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
      )
      graph += message(Field.initializer, tensor)
    }
    return model + message(Field.graph, graph)
  }

  /// Whether a network may have numbers in other files: `location` is the key of their names, in messages of any depth
  /// (`TensorProto.external_data`).
  static func hasOtherFiles(_ model: [UInt8]) -> Bool {
    let key = Array("location".utf8)
    return model.withUnsafeBytes { bytes in
      guard bytes.count >= key.count, var start = bytes.baseAddress else { return false }
      let end = start + (bytes.count - key.count + 1)
      while start < end, let found = memchr(start, Int32(key[0]), end - start) {
        if memcmp(found, key, key.count) == 0 { return true }
        start = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }

  /// The names of a network's inputs.
  ///
  /// - Throws: `badData` for a file that is not such a message.
  static func inputs(of model: [UInt8]) throws(BackdropError) -> [String] {
    var result: [String] = []
    for graph in try fields(Field.graph, of: model[...]) {
      for input in try fields(Field.input, of: graph) {
        for name in try fields(Field.nameOfInput, of: input) { result.append(String(decoding: name, as: UTF8.self)) }
      }
    }
    return result
  }

  /// The contents of all fields of that number that are messages or texts.
  private static func fields(
    _ number: UInt64, of message: ArraySlice<UInt8>
  ) throws(BackdropError) -> [ArraySlice<UInt8>] {
    let fault = BackdropError(.badData, "this is not an ONNX file, or it is damaged", hint: "give a whole .onnx file")
    var (result, rest): ([ArraySlice<UInt8>], _) = ([], message)
    func read(_ count: UInt64) throws(BackdropError) -> ArraySlice<UInt8> {
      guard count <= UInt64(rest.count) else { throw fault }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }
    func integer() throws(BackdropError) -> UInt64 {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 7) {
        guard let byte = rest.popFirst() else { throw fault }
        value |= UInt64(byte & 127) << UInt64(shift)
        if byte < 128 { return value }
      }
      throw fault
    }
    while !rest.isEmpty {
      let tag = try integer()
      switch tag & 7 {
      case 0: _ = try integer()
      case 1: _ = try read(8)
      case 2:
        let content = try read(try integer())
        if tag >> 3 == number { result.append(content) }
      case 5: _ = try read(4)
      default: throw fault
      }
    }
    return result
  }

  private static func integer(_ value: UInt64) -> [UInt8] {
    var (result, rest): ([UInt8], _) = ([], value)
    while rest > 127 {
      result.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return result + [UInt8(rest)]
  }

  private static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] { integer(field << 3) + integer(value) }

  private static func message(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
    integer(field << 3 | 2) + integer(UInt64(content.count)) + content
  }
}
