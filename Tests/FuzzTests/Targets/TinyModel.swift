import BackdropImaging

@testable import BackdropModels

/// The smallest model with the custom operation: four tensors (picture, weights, bias, output), one operator.
enum TinyModel {
  static func bytes(name: String = TFLiteRewrite.customName, optionBytes: [Int] = [1, 2, 2]) -> [UInt8] {
    var gap = FlatBufferGap()
    let model = gap.table([.integer(3), .reference, .reference, nil, .reference])
    let codes = gap.references(1)
    gap.point(model.fields[1], to: codes.position)
    let code = gap.table([.byte(32), .reference, .integer(1), .integer(32)])
    gap.point(codes.entries[0], to: code.position)
    gap.point(code.fields[1], to: gap.string(name))
    let graphs = gap.references(1)
    gap.point(model.fields[2], to: graphs.position)
    let graph = gap.table([.reference, .reference, .reference, .reference])
    gap.point(graphs.entries[0], to: graph.position)
    let tensors = gap.references(4)
    gap.point(graph.fields[0], to: tensors.position)
    for (k, shape) in [[1, 8, 8, 16], [1, 2, 2, 16], [1], [1, 16, 16, 1]].enumerated() {
      let tensor = gap.table([.reference, .byte(0), .integer(0)])
      gap.point(tensors.entries[k], to: tensor.position)
      gap.point(tensor.fields[0], to: gap.integers(shape))
    }
    gap.point(graph.fields[1], to: gap.integers([0]))
    gap.point(graph.fields[2], to: gap.integers([3]))
    let operations = gap.references(1)
    gap.point(graph.fields[3], to: operations.position)
    let operation = gap.table([.integer(0), .reference, .reference, nil, nil, .reference])
    gap.point(operations.entries[0], to: operation.position)
    gap.point(operation.fields[1], to: gap.integers([0, 1, 2]))
    gap.point(operation.fields[2], to: gap.integers([3]))
    // A vector of bytes: its length counts bytes.
    gap.point(operation.fields[5], to: gap.constant(optionBytes))
    let buffers = gap.references(1)
    gap.point(model.fields[4], to: buffers.position)
    let buffer = gap.table([])
    gap.point(buffers.entries[0], to: buffer.position)
    return gap.inserted(
      into: [0, 0, 0, 0] + Array("TFL3".utf8) + [UInt8](repeating: 0, count: 8), root: model.position)
  }
}
