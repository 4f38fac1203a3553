import BackdropImaging
import COpenVINO
import Libc

/// Models as the runtime reads them from files, with their inputs and outputs.
extension Network {
  /// Reads the bytes of a file, with the necessary changes.
  static func read(
    _ runtime: NetworkRuntime, _ bytes: [UInt8], _ path: String, _ form: Form
  ) throws(BackdropError) -> UnsafeMutableRawPointer {
    guard path.hasSuffix(".tflite") else {
      guard !form.constants.isEmpty else { return try read(runtime, path, named: path) }
      return try read(runtime, try ONNXConstants.adding(form.constants, to: bytes), named: path)
    }
    return try withTemporaryFile(try TFLiteRewrite.replacingCustomOperations(bytes)) { (file) throws(BackdropError) in
      do throws(BackdropError) {
        return try read(runtime, file, named: path)
      } catch {
        // The runtime's message names the file that it read.
        throw BackdropError(
          error.kind, error.message.replacing(file, with: "the file"), path: error.path, hint: error.hint)
      }
    }
  }

  /// Writes a temporary file and passes its path to `body`, because the runtime reads TensorFlow Lite only from files.
  static func withTemporaryFile<R>(
    _ bytes: [UInt8], _ body: (String) throws(BackdropError) -> R
  ) throws(BackdropError) -> R {
    let folder = FileName.withoutSlashes(ProcessEnvironment.temporaryFolder)
    // The name is unpredictable, and different for each loaded network.
    let mark = String(UInt64.random(in: .min ... .max), radix: 36)
    let path = "\(folder)/backdrop-\(mark).tflite"
    let descriptor = FileCalls.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    func failure(_ code: Int32) -> BackdropError {
      BackdropError(
        .system, "Backdrop cannot write a temporary file (\(systemReason(code)))", path: path,
        hint: "set TMPDIR to a folder you can write to")
    }
    guard descriptor >= 0 else { throw failure(errno) }
    defer { FileCalls.removeFile(path) }
    let written = FileDescriptor(descriptor).write(bytes.span)
    let isClosed = close(descriptor) == 0
    guard written == 0 && isClosed else { throw failure(written != 0 ? written : errno) }
    return try body(path)
  }

  static func read(
    _ runtime: NetworkRuntime, _ file: String, named name: String
  ) throws(BackdropError) -> UnsafeMutableRawPointer {
    try read(runtime, named: name) { core, model in
      FilePath.withBytes(file) { runtime.functions.ov_core_read_model(core, $0, nil, &model) }
    }
  }

  static func read(
    _ runtime: NetworkRuntime, _ bytes: [UInt8], named name: String
  ) throws(BackdropError) -> UnsafeMutableRawPointer {
    try read(runtime, named: name) { core, model in
      bytes.withUnsafeBytes {
        runtime.functions.ov_core_read_model_from_memory_buffer(
          core, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, nil, &model)
      }
    }
  }

  private static func read(
    _ runtime: NetworkRuntime, named name: String,
    _ call: (_ core: UnsafeMutableRawPointer?, _ model: inout UnsafeMutableRawPointer?) -> Int32
  ) throws(BackdropError) -> UnsafeMutableRawPointer {
    var model: UnsafeMutableRawPointer?
    guard call(UnsafeMutableRawPointer(bitPattern: runtime.core), &model) == 0, let model else {
      throw BackdropError(
        .badData, "OpenVINO cannot read this network: \(NetworkRuntime.lastError(runtime.functions, -1))", path: name,
        hint: "give a .tflite, .onnx or .xml file")
    }
    return model
  }

  /// Sets the sizes of inputs, all at once, because each call recomputes everything after them.
  static func reshape(
    _ runtime: NetworkRuntime, _ model: UnsafeMutableRawPointer, _ shapes: [String: [Int]], _ name: String
  ) throws(BackdropError) {
    let f = runtime.functions
    let wanted = shapes.sorted { $0.key < $1.key }
    var partial: [bd_ov_partial_shape] = []
    defer { for index in partial.indices { f.ov_partial_shape_free(&partial[index]) } }
    for (_, shape) in wanted {
      var made = bd_ov_partial_shape()
      let dims = shape.map(Int64.init)
      guard f.ov_partial_shape_create_static(Int64(dims.count), dims, &made) == 0 else {
        throw BackdropError(.wrongArgument, "a tensor cannot have the shape \(shape)", path: name)
      }
      partial.append(made)
    }
    let names = wanted.map { strdup($0.key) }
    defer { for text in names { free(text) } }
    var texts = names.map { UnsafePointer($0) }
    let status = f.ov_model_reshape(model, &texts, partial, partial.count)
    guard status == 0 else {
      let sizes = wanted.map { "'\($0.key)' \($0.value.map(String.init).joined(separator: "×"))" }
      throw BackdropError(
        .badData,
        "the network does not accept inputs of \(sizes.joined(separator: ", ")): \(NetworkRuntime.lastError(f, status))",
        path: name)
    }
  }

  /// Gets a port or a tensor by its index.
  typealias Getter =
    @convention(c) (UnsafeRawPointer?, Int, UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32

  typealias Ports = (inputs: [TensorDescription], outputs: [TensorDescription])

  static func ports(_ runtime: NetworkRuntime, of model: UnsafeMutableRawPointer) throws(BackdropError) -> Ports {
    let f = runtime.functions
    return (
      try ports(runtime, f.ov_model_inputs_size, f.ov_model_const_input_by_index, of: model),
      try ports(runtime, f.ov_model_outputs_size, f.ov_model_const_output_by_index, of: model)
    )
  }

  static func ports(
    _ runtime: NetworkRuntime, _ size: @convention(c) (UnsafeRawPointer?, UnsafeMutablePointer<Int>?) -> Int32,
    _ get: Getter, of network: UnsafeMutableRawPointer?
  ) throws(BackdropError) -> [TensorDescription] {
    let f = runtime.functions
    var count = 0
    guard size(network, &count) == 0, count <= 1000 else {
      throw BackdropError(.badData, "OpenVINO does not list the network's inputs and outputs")
    }
    var result: [TensorDescription] = []
    for index in 0..<count {
      var port: UnsafeMutableRawPointer?
      guard get(network, index, &port) == 0, let port else {
        throw BackdropError(.badData, "OpenVINO does not describe the network's inputs and outputs")
      }
      defer { f.ov_output_const_port_free(port) }
      var name: UnsafeMutablePointer<CChar>?
      var shape = bd_ov_partial_shape()
      var type: Int32 = 0
      // A port may have no name.
      let text = f.ov_port_get_any_name(port, &name) == 0 ? name.map { String(cString: $0) } ?? "" : ""
      if let name { f.ov_free(name) }
      var dims: [Int?] = []
      if f.ov_port_get_partial_shape(port, &shape) == 0 {
        if shape.rank.min == shape.rank.max, let list = shape.dims {
          dims = (0..<Int(shape.rank.min)).map { list[$0].min == list[$0].max ? Int(list[$0].min) : nil }
        }
        f.ov_partial_shape_free(&shape)
      }
      _ = f.ov_port_get_element_type(port, &type)
      let names = [BD_OV_F32: "f32", BD_OV_F16: "f16", BD_OV_I32: "i32", BD_OV_I64: "i64", BD_OV_U8: "u8"]
      result.append(TensorDescription(name: text, shape: dims, element: names[Int(type)] ?? "other"))
    }
    return result
  }
}
