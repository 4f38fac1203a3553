import BackdropImaging
import COpenVINO

extension Network {
  /// Gets the memory of inputs and outputs.
  static func bind(
    _ runtime: NetworkRuntime, _ handles: inout Handles, _ inputs: [TensorDescription],
    _ outputs: inout [TensorDescription], _ constants: [String: [Float]], _ name: String
  ) throws(BackdropError) {
    let f = runtime.functions
    for (index, input) in inputs.enumerated() {
      guard input.element == "f32" else {
        throw BackdropError(
          .unsupported, "the network's input '\(input.name)' holds \(input.element), not f32", path: name)
      }
      let tensor = try tensor(runtime, handles.request, f.ov_infer_request_get_input_tensor_by_index, index, name)
      handles.inputs.append(tensor)
      // The initial value of a state or picture, which the runtime leaves undefined.
      tensor.values.update(repeating: 0)
    }
    for (input, values) in constants {
      guard let index = inputs.firstIndex(where: { $0.name == input }) else {
        throw BackdropError(
          .badData, "the network has no input '\(input)'; it has \(inputs.map(\.name).joined(separator: ", "))",
          path: name)
      }
      let buffer = handles.inputs[index].values
      guard buffer.count == values.count else {
        throw BackdropError(
          .badData, "expected \(values.count) numbers for '\(input)', found room for \(buffer.count)", path: name)
      }
      _ = buffer.update(fromContentsOf: values)
    }
    handles.openOutputs = outputs.indices.filter { outputs[$0].shape.contains(nil) || outputs[$0].shape.isEmpty }
    // Only a run determines their sizes.
    if !handles.openOutputs.isEmpty {
      let status = f.ov_infer_request_infer(handles.request)
      guard status == 0 else {
        throw BackdropError(.badData, "the network failed to run: \(NetworkRuntime.lastError(f, status))", path: name)
      }
    }
    for (index, output) in outputs.enumerated() {
      // Fix the address, because the runtime's own memory may move in the first run.
      if !handles.openOutputs.contains(index), ["f32", "f16"].contains(output.element) {
        handles.outputs.append(try give(runtime, handles.request, index, output, name))
        continue
      }
      let tensor = try tensor(runtime, handles.request, f.ov_infer_request_get_output_tensor_by_index, index, name)
      handles.outputs.append(tensor)
      if !tensor.shape.isEmpty { outputs[index].shape = tensor.shape }
    }
  }

  /// Gives an output memory with a fixed address.
  static func give(
    _ runtime: NetworkRuntime, _ request: UnsafeMutableRawPointer?, _ index: Int, _ output: TensorDescription,
    _ name: String
  ) throws(BackdropError) -> Tensor {
    let f = runtime.functions
    var handle: UnsafeMutableRawPointer?
    let shape = output.shape.compactMap { $0 }
    let dims = shape.map(Int64.init)
    var made = bd_ov_shape()
    guard f.ov_shape_create(Int64(dims.count), dims, &made) == 0 else {
      throw BackdropError(.badData, "an output cannot have the shape \(shape)", path: name)
    }
    defer { _ = f.ov_shape_free(&made) }
    let type = output.element == "f16" ? BD_OV_F16 : BD_OV_F32
    guard f.ov_tensor_create(Int32(type), made, &handle) == 0, let handle else {
      throw BackdropError(.system, "the network's output of \(shape) has no memory", path: name)
    }
    let status = f.ov_infer_request_set_output_tensor_by_index(request, index, handle)
    guard status == 0, let tensor = content(f, handle) else {
      f.ov_tensor_free(handle)
      throw BackdropError(
        .badData, "the network does not accept memory for its output: \(NetworkRuntime.lastError(f, status))",
        path: name)
    }
    return tensor
  }

  /// A tensor and its memory, which is empty if it holds neither f32 nor f16.
  static func tensor(
    _ runtime: NetworkRuntime, _ request: UnsafeMutableRawPointer?, _ get: Getter, _ index: Int, _ name: String
  ) throws(BackdropError) -> Tensor {
    let f = runtime.functions
    var handle: UnsafeMutableRawPointer?
    guard get(request, index, &handle) == 0, let handle else {
      throw BackdropError(.badData, "the network has no tensor \(index)", path: name)
    }
    guard let tensor = content(f, handle) else {
      f.ov_tensor_free(handle)
      throw BackdropError(.badData, "the network's tensor \(index) has no memory", path: name)
    }
    return tensor
  }

  static func content(_ f: bd_openvino, _ handle: UnsafeMutableRawPointer) -> Tensor? {
    var type: Int32 = 0
    guard f.ov_tensor_get_element_type(handle, &type) == 0 else { return nil }
    guard [Int(BD_OV_F32), Int(BD_OV_F16)].contains(Int(type)) else {
      return Tensor(handle: handle, values: UnsafeMutableBufferPointer(start: nil, count: 0), shape: [])
    }
    var shape = bd_ov_shape()
    guard f.ov_tensor_get_shape(handle, &shape) == 0 else { return nil }
    defer { _ = f.ov_shape_free(&shape) }
    let sizes = (0..<Int(shape.rank)).map { Int(shape.dims[$0]) }
    var count = 1
    for size in sizes {
      let (product, overflows) = count.multipliedReportingOverflow(by: size)
      guard !overflows, product >= 0 else { return nil }
      count = product
    }
    var data: UnsafeMutableRawPointer?
    guard f.ov_tensor_data(handle, &data) == 0, let data else { return nil }
    guard Int(type) == Int(BD_OV_F32) else {
      let values = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
      values.initialize(repeating: 0)
      return Tensor(
        handle: handle, values: values, shape: sizes, halves: UnsafePointer(data.assumingMemoryBound(to: Float16.self)))
    }
    return Tensor(
      handle: handle, values: UnsafeMutableBufferPointer(start: data.assumingMemoryBound(to: Float.self), count: count),
      shape: sizes)
  }
}
