import BackdropImaging

/// Makes MediaPipe's selfie networks readable by other runtimes.
///
/// They use an operation known only to MediaPipe's own runtime, `Convolution2DTransposeBias`: a transposed convolution with a bias as third
/// input. TensorFlow Lite has the same builtin since version 3 of `TRANSPOSE_CONV`: inputs are the output's shape, the weights, the picture
/// and the bias. See the schema, `tensorflow/compiler/mlir/lite/schema/schema.fbs`.
package enum TFLiteRewrite {
  static let customName = "Convolution2DTransposeBias"
  private static let longestFile = 1 << 29

  /// The positions of the schema's fields in use.
  private enum Slot {
    static let modelOperatorCodes = 1, modelSubgraphs = 2, modelBuffers = 4, modelFields = 8
    static let graphTensors = 0, graphOperators = 3, graphFields = 5
    static let tensorShape = 0
    static let operatorCode = 0, operatorInputs = 1, operatorOutputs = 2, operatorCustomOptions = 5
    static let codeName = 1
  }

  /// Numbers of the schema's enumerations.
  private enum Number {
    static let transposeConv = 67, transposeConvOptions: UInt8 = 49, int32: UInt8 = 2
  }

  /// The model with each such operation replaced by the builtin one; unchanged if there is none.
  ///
  /// - Throws: `badData` if the bytes are not a valid TensorFlow Lite model, `overLimit` above 512 MB.
  package static func replacingCustomOperations(_ bytes: [UInt8]) throws(BackdropError) -> [UInt8] {
    guard bytes.count <= longestFile else {
      throw BackdropError(.overLimit, "the model has \(bytes.count) bytes; the limit is \(longestFile)")
    }
    let (reader, model) = try FlatBufferReader.model(bytes)
    let codes = try reader.tables(model, Slot.modelOperatorCodes)
    var custom: Set<Int> = []
    var names: [Int] = []
    for (index, code) in codes.enumerated() {
      if let name = try reader.string(try reader.table(code), Slot.codeName), name.text == customName {
        custom.insert(index)
        names.append(name.first)
      }
    }
    guard !custom.isEmpty else { return bytes }
    var old = bytes
    // Runtimes also examine unused names.
    for first in names { old[first] = UInt8(ascii: "_") }
    return try rewritten(reader, old, model, codes, custom)
  }

  private struct Replacement {
    let inputs: [Int], output: Int, shape: [Int], isSame: Bool, strideWidth: Int, strideHeight: Int
  }

  private static func replacement(
    _ reader: FlatBufferReader, _ operation: FlatBufferReader.Table, _ tensors: [Int]
  ) throws(BackdropError) -> Replacement {
    let inputs = try reader.integers(operation, Slot.operatorInputs)
    let outputs = try reader.integers(operation, Slot.operatorOutputs)
    guard inputs.count == 3, outputs.count == 1, tensors.indices.contains(outputs[0]),
      inputs.allSatisfy(tensors.indices.contains)
    else {
      throw FlatBufferReader.damaged(
        "\(customName) has \(inputs.count) inputs and \(outputs.count) outputs, not 3 and 1")
    }
    let shape = try reader.integers(try reader.table(tensors[outputs[0]]), Slot.tensorShape)
    guard shape.count == 4, shape.allSatisfy({ (1...65_536).contains($0) }) else {
      throw FlatBufferReader.damaged("the output of \(customName) has the shape \(shape)")
    }
    guard let at = try reader.reference(operation, Slot.operatorCustomOptions) else {
      throw FlatBufferReader.damaged("\(customName) has no options")
    }
    let options = try reader.vector(at, elementSize: 1)
    guard options.count >= 12 else {
      throw FlatBufferReader.damaged("\(customName) has options of \(options.count) bytes, not 12")
    }
    let (width, height) = (try reader.i32(options.first + 4), try reader.i32(options.first + 8))
    guard (1...64).contains(width), (1...64).contains(height) else {
      throw FlatBufferReader.damaged("\(customName) has strides \(width)×\(height)")
    }
    return Replacement(
      inputs: inputs, output: outputs[0], shape: shape, isSame: try reader.i32(options.first) == 1,
      strideWidth: width, strideHeight: height)
  }

  private static func rewritten(
    _ reader: FlatBufferReader, _ old: [UInt8], _ model: FlatBufferReader.Table, _ codes: [Int], _ custom: Set<Int>
  ) throws(BackdropError) -> [UInt8] {
    var gap = FlatBufferGap()
    let root = try copy(reader, model, fields: Slot.modelFields, scalars: [0], into: &gap)
    let graphs = try reader.tables(model, Slot.modelSubgraphs)
    let buffers = try reader.tables(model, Slot.modelBuffers)
    let newCode = codes.count
    var constants: [[Int]] = []

    let graphList = gap.references(graphs.count)
    try point(&gap, root.fields[Slot.modelSubgraphs], to: graphList.position)
    for (index, position) in graphs.enumerated() {
      let graph = try reader.table(position)
      let tensors = try reader.tables(graph, Slot.graphTensors)
      let operations = try reader.tables(graph, Slot.graphOperators)
      var replacements: [Int: Replacement] = [:]
      for (number, at) in operations.enumerated() {
        let operation = try reader.table(at)
        let code = if let field = try reader.field(operation, Slot.operatorCode) { try reader.u32(field) } else { 0 }
        if custom.contains(code) { replacements[number] = try replacement(reader, operation, tensors) }
      }
      guard !replacements.isEmpty else {
        gap.point(graphList.entries[index], toOld: position)
        continue
      }
      let copied = try copy(reader, graph, fields: Slot.graphFields, scalars: [], into: &gap)
      gap.point(graphList.entries[index], to: copied.position)
      let order = replacements.keys.sorted()
      let tensorList = gap.references(tensors.count + order.count)
      try point(&gap, copied.fields[Slot.graphTensors], to: tensorList.position)
      for (k, tensor) in tensors.enumerated() { gap.point(tensorList.entries[k], toOld: tensor) }
      let operationList = gap.references(operations.count)
      try point(&gap, copied.fields[Slot.graphOperators], to: operationList.position)
      for (k, operation) in operations.enumerated() where replacements[k] == nil {
        gap.point(operationList.entries[k], toOld: operation)
      }
      for (k, number) in order.enumerated() {
        // `order` holds the keys of `replacements`.
        let change = replacements[number]!
        let shapeTensor = tensors.count + k
        let tensor = gap.table([
          .reference, .byte(Number.int32), .integer(buffers.count + constants.count), .reference,
        ])
        gap.point(tensorList.entries[shapeTensor], to: tensor.position)
        gap.point(tensor.fields[0], to: gap.integers([4]))
        gap.point(tensor.fields[3], to: gap.string("output_shape_\(index)_\(number)"))
        constants.append(change.shape)
        let operation = gap.table([
          .integer(newCode), .reference, .reference, .byte(Number.transposeConvOptions), .reference,
        ])
        gap.point(operationList.entries[number], to: operation.position)
        gap.point(
          operation.fields[1], to: gap.integers([shapeTensor, change.inputs[1], change.inputs[0], change.inputs[2]]))
        gap.point(operation.fields[2], to: gap.integers([change.output]))
        let options = gap.table([
          .byte(change.isSame ? 0 : 1), .integer(change.strideWidth), .integer(change.strideHeight),
        ])
        gap.point(operation.fields[4], to: options.position)
      }
    }

    let codeList = gap.references(codes.count + 1)
    try point(&gap, root.fields[Slot.modelOperatorCodes], to: codeList.position)
    for (k, code) in codes.enumerated() { gap.point(codeList.entries[k], toOld: code) }
    let code = gap.table([.byte(UInt8(Number.transposeConv)), nil, .integer(3), .integer(Number.transposeConv)])
    gap.point(codeList.entries[newCode], to: code.position)

    let bufferList = gap.references(buffers.count + constants.count)
    try point(&gap, root.fields[Slot.modelBuffers], to: bufferList.position)
    for (k, buffer) in buffers.enumerated() { gap.point(bufferList.entries[k], toOld: buffer) }
    for (k, values) in constants.enumerated() {
      let buffer = gap.table([.reference])
      gap.point(bufferList.entries[buffers.count + k], to: buffer.position)
      gap.point(buffer.fields[0], to: gap.constant(values))
    }
    return gap.inserted(into: old, root: root.position)
  }

  /// Redirects a field of the old table; a valid model has it.
  private static func point(_ gap: inout FlatBufferGap, _ field: Int?, to target: Int) throws(BackdropError) {
    guard let field else { throw FlatBufferReader.damaged("a list is missing") }
    gap.point(field, to: target)
  }

  /// A copy of an old table in the gap, whose references have the old targets.
  private static func copy(
    _ reader: FlatBufferReader, _ table: FlatBufferReader.Table, fields: Int, scalars: Set<Int>,
    into gap: inout FlatBufferGap
  ) throws(BackdropError) -> (position: Int, fields: [Int?]) {
    var values: [FlatBufferGap.Field?] = []
    for slot in 0..<fields {
      guard let at = try reader.field(table, slot) else {
        values.append(nil)
        continue
      }
      values.append(scalars.contains(slot) ? .integer(try reader.u32(at)) : .reference)
    }
    let made = gap.table(values)
    for slot in 0..<fields {
      if case .reference? = values[slot], let target = try reader.reference(table, slot) {
        gap.point(made.fields[slot], toOld: target)
      }
    }
    return (made.position, values.indices.map { values[$0] == nil ? nil : made.fields[$0] })
  }
}
