import BackdropImaging
import COpenVINO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A method below has the same name.
private let posixFree: @Sendable (UnsafeMutableRawPointer?) -> Void = { free($0) }

/// A network ready to run on the processor in single precision; its inputs and outputs stay in place between runs.
///
/// For one thread at a time. Runs allocate nothing of ours.
public final class Network {
  /// Inputs and outputs, with the sizes they were compiled for.
  public let inputs: [TensorDescription], outputs: [TensorDescription]
  private let runtime: NetworkRuntime
  private var handles: Handles

  /// What has to be given back.
  private struct Handles {
    var compiled: UnsafeMutableRawPointer?
    /// What a network was opened from: its weights stay there.
    var source: [UInt8] = []
    var request: UnsafeMutableRawPointer?
    var inputs: [Tensor] = []
    var outputs: [Tensor] = []
    /// Outputs whose size only a run tells: they may move with every run.
    var openOutputs: [Int] = []
  }

  private struct Tensor {
    var handle: UnsafeMutableRawPointer
    var values: UnsafeMutableBufferPointer<Float>
    var shape: [Int]
    /// What `values`, which are our own then, are converted from after each run.
    var halves: UnsafePointer<Float16>?

    func free(_ runtime: NetworkRuntime) {
      if halves != nil { values.deallocate() }
      runtime.functions.ov_tensor_free(handle)
    }

    func convert() {
      guard let halves else { return }
      for index in values.indices { values[index] = Float(halves[index]) }
    }
  }

  private init(
    _ runtime: NetworkRuntime, _ handles: Handles, inputs: [TensorDescription], outputs: [TensorDescription]
  ) {
    self.runtime = runtime
    self.handles = handles
    self.inputs = inputs
    self.outputs = outputs
  }

  deinit { Self.free(handles, runtime) }

  private static func free(_ handles: Handles, _ runtime: NetworkRuntime) {
    for tensor in handles.inputs + handles.outputs { tensor.free(runtime) }
    if let request = handles.request { runtime.functions.ov_infer_request_free(request) }
    if let compiled = handles.compiled { runtime.functions.ov_compiled_model_free(compiled) }
  }

  /// Reads a `.tflite`, `.onnx` or `.xml` file and compiles it, or opens what was compiled before (`CompiledNetworks`).
  ///
  /// Custom operations of MediaPipe's networks are replaced on the way (see ``TFLiteRewrite``), and constants of ONNX files become a
  /// part of the network.
  ///
  /// - Parameters:
  ///   - path: the name of the file.
  ///   - threads: that a run uses; 0 for one a processor.
  ///   - precision: of what it computes with.
  ///   - shapes: sizes to fix, by the input's name.
  ///   - constants: numbers of inputs that the caller will not write, by the input's name.
  ///   - store: where networks are installed: what is no longer as it was installed is refused.
  /// - Throws: `unsupported` without a runtime; `badData` for a file that it cannot read, that is damaged, or that does not go
  ///   with the shapes and constants.
  public static func load(
    _ path: String, threads: Int = 1, precision: NetworkDescription.Precision = .f32, shapes: [String: [Int]] = [:],
    constants: [String: [Float]] = [:], store: ModelStore = ModelStore()
  ) throws(BackdropError) -> Network {
    try load(
      path, Form(threads: threads, precision: precision, shapes: shapes, constants: constants),
      cache: CompiledNetworks(), store: store)
  }

  /// How a network is compiled.
  struct Form {
    var threads = 1
    var precision = NetworkDescription.Precision.f32
    var shapes: [String: [Int]] = [:]
    var constants: [String: [Float]] = [:]

    /// What tells it from other forms of a network with these bytes, and from those of other machines and runtimes.
    func name(_ content: UInt64, _ runtime: NetworkRuntime) -> UInt64 {
      let shapes = self.shapes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let constants = self.constants.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.map(\.bitPattern))" }
      let text =
        "\(content) \(properties) \(shapes) \(constants) \(runtime.build) \(NetworkSpeeds.processor)"
      return Checksum.words(Array(text.utf8))
    }

    /// What the runtime is told: its own choice of precision is bfloat16 on processors that have it, which visibly changes mattes of
    /// small networks. Left to itself it also ties each run to the first processors, where the networks of all programs then wait for each
    /// other, and for whatever else the system has put there.
    var properties: [(key: String, value: String)] {
      [
        ("INFERENCE_PRECISION_HINT", precision.rawValue), ("PERFORMANCE_HINT", "LATENCY"),
        ("INFERENCE_NUM_THREADS", "\(threads)"), ("ENABLE_CPU_PINNING", "NO"),
      ]
    }
  }

  static func load(
    _ path: String, _ form: Form, cache: CompiledNetworks, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> Network {
    try StageClock.shared.measure(.load) { () throws(BackdropError) in try open(path, form, cache, store) }
  }

  private static func open(
    _ path: String, _ form: Form, _ cache: CompiledNetworks, _ store: ModelStore
  ) throws(BackdropError) -> Network {
    let runtime = try NetworkRuntime.shared()
    guard FileKind(path) == .file else { throw missing(path) }
    let isLite = path.hasSuffix(".tflite")
    let bytes = isLite || path.hasSuffix(".onnx") ? try InputFile.read(path) : []
    let sum = Checksum.words(bytes)
    try store.refuseDamage(path, sum: sum)
    // Those of other formats have weights in other files, which a sum of this one does not cover.
    guard isLite || !bytes.isEmpty && !ONNXConstants.hasOtherFiles(bytes) else {
      return try compile(runtime, try read(runtime, path, named: path), named: path, form)
    }
    let name = form.name(sum, runtime)
    if let kept = cache.network(name) {
      do throws(BackdropError) {
        return try opening(runtime, kept.network, kept.names, named: path, form)
      } catch {
        cache.drop(name)
      }
    }
    do throws(BackdropError) {
      let model = try read(runtime, bytes, path, form)
      return try compile(runtime, model, named: path, form) { network, names in
        cache.keep(name, names) { file in
          FilePath.withBytes(file) { runtime.functions.ov_compiled_model_export_model(network, $0) } == 0
        }
      }
    } catch {
      throw error.at(path)
    }
  }

  /// What goes into a network and comes out, without compiling it.
  ///
  /// - Throws: `unsupported` without a runtime; `badData` for a file that it cannot read.
  static func ports(
    of path: String
  ) throws(BackdropError) -> (inputs: [TensorDescription], outputs: [TensorDescription]) {
    let runtime = try NetworkRuntime.shared()
    guard FileKind(path) == .file else { throw missing(path) }
    let model = try read(runtime, path.hasSuffix(".tflite") ? try InputFile.read(path) : [], path, Form())
    defer { runtime.functions.ov_model_free(model) }
    return (try ports(runtime, inputsOf: model), try ports(runtime, outputsOf: model))
  }

  static func missing(_ path: String) -> BackdropError {
    FileKind(path) == .absent
      ? BackdropError(
        .wrongArgument, "no such model file", path: path,
        hint: .listNetworks)
      : BackdropError(
        .wrongArgument, "this is not a model file", path: path, hint: "give a .tflite, .onnx or .xml file")
  }

  /// Reads the bytes of a file, with what has to change in them.
  private static func read(
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
        // The runtime speaks of the file that it was given.
        throw BackdropError(
          error.kind, error.message.replacing(file, with: "the file"), path: error.path, hint: error.remedy)
      }
    }
  }

  /// The runtime reads TensorFlow Lite from files only.
  private static func withTemporaryFile<R>(
    _ bytes: [UInt8], _ body: (String) throws(BackdropError) -> R
  ) throws(BackdropError) -> R {
    var folder = ProcessEnvironment["TMPDIR"] ?? ""
    while folder.hasSuffix("/") { folder.removeLast() }
    // Not to be guessed, and another one for each network that is loaded.
    let mark = String(UInt64.random(in: .min ... .max), radix: 36)
    let path = "\(folder.isEmpty ? "/tmp" : folder)/backdrop-\(mark).tflite"
    let descriptor = FileCalls.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    guard descriptor >= 0 else {
      throw BackdropError(.system, "a temporary file cannot be written", path: path, hint: "set TMPDIR")
    }
    defer { FileCalls.removeFile(path) }
    let failure = FileDescriptor(descriptor).write(bytes.span)
    guard close(descriptor) == 0 && failure == 0 else {
      throw BackdropError(.system, "a temporary file cannot be written", path: path, hint: "set TMPDIR")
    }
    return try body(path)
  }

  private static func read(
    _ runtime: NetworkRuntime, _ file: String, named name: String
  ) throws(BackdropError) -> UnsafeMutableRawPointer {
    let f = runtime.functions
    let core = UnsafeMutableRawPointer(bitPattern: runtime.core)
    var model: UnsafeMutableRawPointer?
    let status = FilePath.withBytes(file) { f.ov_core_read_model(core, $0, nil, &model) }
    guard status == 0, let model else { throw unreadable(runtime, name) }
    return model
  }

  private static func read(
    _ runtime: NetworkRuntime, _ bytes: [UInt8], named name: String
  ) throws(BackdropError) -> UnsafeMutableRawPointer {
    let f = runtime.functions
    let core = UnsafeMutableRawPointer(bitPattern: runtime.core)
    var model: UnsafeMutableRawPointer?
    let status = bytes.withUnsafeBytes {
      f.ov_core_read_model_from_memory_buffer(
        core, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, nil, &model)
    }
    guard status == 0, let model else { throw unreadable(runtime, name) }
    return model
  }

  private static func unreadable(_ runtime: NetworkRuntime, _ name: String) -> BackdropError {
    BackdropError(
      .badData, "not a network that can be read: \(NetworkRuntime.lastError(runtime.functions, -1))", path: name,
      hint: "give a .tflite, .onnx or .xml file")
  }

  /// Compiles a model that was read, and gives it back.
  ///
  /// - Parameter keep: takes what was compiled, and the names of inputs and outputs.
  private static func compile(
    _ runtime: NetworkRuntime, _ model: UnsafeMutableRawPointer, named name: String, _ form: Form,
    keep: (UnsafeMutableRawPointer, [String]) -> Void = { _, _ in }
  ) throws(BackdropError) -> Network {
    let f = runtime.functions
    defer { f.ov_model_free(model) }
    if !form.shapes.isEmpty { try reshape(runtime, model, form.shapes, name) }
    let names = try (ports(runtime, inputsOf: model) + ports(runtime, outputsOf: model)).map(\.name)
    let keys = form.properties.map { strdup($0.key) }
    let values = form.properties.map { strdup($0.value) }
    defer { for text in keys + values { posixFree(text) } }
    let properties = zip(keys, values).map { bd_ov_property(key: $0, value: $1) }
    let core = UnsafeMutableRawPointer(bitPattern: runtime.core)
    var compiled: UnsafeMutableRawPointer?
    let status = f.ov_core_compile_model_props(core, model, "CPU", properties.count, properties, &compiled)
    guard status == 0, let compiled else {
      throw BackdropError(
        .badData, "the network cannot be compiled: \(NetworkRuntime.lastError(f, status))", path: name)
    }
    let network = try ready(runtime, Handles(compiled: compiled), names, form, name)
    keep(compiled, names)
    return network
  }

  /// Opens what the runtime compiled and wrote before.
  private static func opening(
    _ runtime: NetworkRuntime, _ bytes: [UInt8], _ names: [String], named name: String, _ form: Form
  ) throws(BackdropError) -> Network {
    let f = runtime.functions
    let core = try runtime.core(form.properties)
    var compiled: UnsafeMutableRawPointer?
    let status = bytes.withUnsafeBytes {
      f.ov_core_import_model(
        UnsafeMutableRawPointer(bitPattern: core), $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, "CPU",
        &compiled)
    }
    guard status == 0, let compiled else {
      throw BackdropError(.badData, "not a compiled network: \(NetworkRuntime.lastError(f, status))", path: name)
    }
    return try ready(runtime, Handles(compiled: compiled, source: bytes), names, form, name)
  }

  /// The network with its memory in place; gives it back if that fails.
  ///
  /// - Parameter names: of its inputs and outputs, as the model has them: a port may have several, and what is compiled tells any.
  private static func ready(
    _ runtime: NetworkRuntime, _ opened: Handles, _ names: [String], _ form: Form, _ name: String
  ) throws(BackdropError) -> Network {
    let f = runtime.functions
    var handles = opened
    do throws(BackdropError) {
      var inputs = try ports(
        runtime, f.ov_compiled_model_inputs_size, f.ov_compiled_model_input_by_index, of: opened.compiled)
      var outputs = try ports(
        runtime, f.ov_compiled_model_outputs_size, f.ov_compiled_model_output_by_index, of: opened.compiled)
      guard names.count == inputs.count + outputs.count else {
        throw BackdropError(.badData, "the network was compiled with other inputs and outputs", path: name)
      }
      for index in inputs.indices { inputs[index].name = names[index] }
      for index in outputs.indices { outputs[index].name = names[inputs.count + index] }
      for input in inputs where input.shape.contains(nil) {
        throw BackdropError(
          .unsupported, "the network leaves the size of its input '\(input.name)' open: \(input.shapeText)", path: name,
          hint: .describeInputSize)
      }
      let made = f.ov_compiled_model_create_infer_request(opened.compiled, &handles.request)
      guard made == 0 else {
        throw BackdropError(.system, "the network cannot run: \(NetworkRuntime.lastError(f, made))", path: name)
      }
      // Those of ONNX files have become a part of the network.
      try take(runtime, &handles, inputs, &outputs, name.hasSuffix(".onnx") ? [:] : form.constants, name)
      return Network(runtime, handles, inputs: inputs, outputs: outputs)
    } catch {
      free(handles, runtime)
      throw error
    }
  }

  /// Fixes the sizes of inputs, all at once: what follows is worked out anew each time.
  private static func reshape(
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
        throw BackdropError(.wrongArgument, "a shape of \(shape) is not possible", path: name)
      }
      partial.append(made)
    }
    let names = wanted.map { strdup($0.key) }
    defer { for text in names { posixFree(text) } }
    var texts = names.map { UnsafePointer($0) }
    let status = f.ov_model_reshape(model, &texts, partial, partial.count)
    guard status == 0 else {
      let sizes = wanted.map { "'\($0.key)' \($0.value.map(String.init).joined(separator: "×"))" }
      throw BackdropError(
        .badData,
        "the network's inputs cannot be \(sizes.joined(separator: ", ")): \(NetworkRuntime.lastError(f, status))",
        path: name)
    }
  }

  /// Takes hold of the memory of inputs and outputs.
  private static func take(
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
      // What a state or a picture is before the first run; the runtime leaves it open.
      tensor.values.update(repeating: 0)
    }
    for (input, values) in constants {
      guard let index = inputs.firstIndex(where: { $0.name == input }) else {
        throw BackdropError(
          .badData, "the network has no input '\(input)', but \(inputs.map(\.name).joined(separator: ", "))", path: name
        )
      }
      let buffer = handles.inputs[index].values
      guard buffer.count == values.count else {
        throw BackdropError(
          .badData, "expected \(values.count) numbers for '\(input)', found room for \(buffer.count)", path: name)
      }
      _ = buffer.update(fromContentsOf: values)
    }
    handles.openOutputs = outputs.indices.filter { outputs[$0].shape.contains(nil) || outputs[$0].shape.isEmpty }
    // Only a run tells their sizes.
    if !handles.openOutputs.isEmpty {
      let status = f.ov_infer_request_infer(handles.request)
      guard status == 0 else {
        throw BackdropError(.badData, "the network does not run: \(NetworkRuntime.lastError(f, status))", path: name)
      }
    }
    for (index, output) in outputs.enumerated() {
      // The runtime's own memory may move with the first run.
      if !handles.openOutputs.contains(index), ["f32", "f16"].contains(output.element) {
        handles.outputs.append(try give(runtime, handles.request, index, output, name))
        continue
      }
      let tensor = try tensor(runtime, handles.request, f.ov_infer_request_get_output_tensor_by_index, index, name)
      handles.outputs.append(tensor)
      if !tensor.shape.isEmpty { outputs[index].shape = tensor.shape }
    }
  }

  /// Gives an output memory that stays in place.
  private static func give(
    _ runtime: NetworkRuntime, _ request: UnsafeMutableRawPointer?, _ index: Int, _ output: TensorDescription,
    _ name: String
  ) throws(BackdropError) -> Tensor {
    let f = runtime.functions
    var handle: UnsafeMutableRawPointer?
    let shape = output.shape.compactMap { $0 }
    let dims = shape.map(Int64.init)
    var made = bd_ov_shape()
    guard f.ov_shape_create(Int64(dims.count), dims, &made) == 0 else {
      throw BackdropError(.badData, "an output of \(shape) is not possible", path: name)
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
        .badData, "the network does not take its output's memory: \(NetworkRuntime.lastError(f, status))", path: name)
    }
    return tensor
  }

  private typealias TensorGetter =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32

  /// A tensor and its memory; that is empty if it holds neither f32 nor f16.
  private static func tensor(
    _ runtime: NetworkRuntime, _ request: UnsafeMutableRawPointer?, _ get: TensorGetter, _ index: Int, _ name: String
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

  private static func content(_ f: bd_openvino, _ handle: UnsafeMutableRawPointer) -> Tensor? {
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

  private typealias PortGetter =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32

  private static func ports(
    _ runtime: NetworkRuntime, inputsOf model: UnsafeMutableRawPointer
  ) throws(BackdropError) -> [TensorDescription] {
    try ports(
      runtime, runtime.functions.ov_model_inputs_size, runtime.functions.ov_model_const_input_by_index, of: model)
  }

  private static func ports(
    _ runtime: NetworkRuntime, outputsOf model: UnsafeMutableRawPointer
  ) throws(BackdropError) -> [TensorDescription] {
    try ports(
      runtime, runtime.functions.ov_model_outputs_size, runtime.functions.ov_model_const_output_by_index, of: model)
  }

  private static func ports(
    _ runtime: NetworkRuntime,
    _ size: @convention(c) (UnsafeRawPointer?, UnsafeMutablePointer<Int>?) -> Int32, _ get: PortGetter,
    of network: UnsafeMutableRawPointer?
  ) throws(BackdropError) -> [TensorDescription] {
    let f = runtime.functions
    var count = 0
    guard size(network, &count) == 0, count <= 1000 else {
      throw BackdropError(.badData, "the network's inputs and outputs cannot be counted")
    }
    var result: [TensorDescription] = []
    for index in 0..<count {
      var port: UnsafeMutableRawPointer?
      guard get(network, index, &port) == 0, let port else {
        throw BackdropError(.badData, "the network's inputs and outputs cannot be told")
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
      let element: String =
        switch Int(type) {
        case Int(BD_OV_F32): "f32"
        case Int(BD_OV_F16): "f16"
        case Int(BD_OV_I32): "i32"
        case Int(BD_OV_I64): "i64"
        case Int(BD_OV_U8): "u8"
        default: "other"
        }
      result.append(TensorDescription(name: text, shape: dims, element: element))
    }
    return result
  }

  /// The numbers of an input, to be written before ``run()``.
  public func input(_ index: Int = 0) -> UnsafeMutableBufferPointer<Float> { handles.inputs[index].values }

  /// The numbers of an output after ``run()``; empty if they are neither f32 nor f16.
  public func output(_ index: Int = 0) -> UnsafeBufferPointer<Float> {
    UnsafeBufferPointer(handles.outputs[index].values)
  }

  /// Runs the network on what is in its inputs.
  ///
  /// - Throws: `system` if it does not run.
  public func run() throws(BackdropError) {
    let status = StageClock.shared.measure(.network) { runtime.functions.ov_infer_request_infer(handles.request) }
    guard status == 0 else {
      throw BackdropError(
        .system, "the network did not run: \(NetworkRuntime.lastError(runtime.functions, status))")
    }
    for index in handles.openOutputs {
      let tensor = try Self.tensor(
        runtime, handles.request, runtime.functions.ov_infer_request_get_output_tensor_by_index, index, "")
      handles.outputs[index].free(runtime)
      handles.outputs[index] = tensor
    }
    for output in handles.outputs { output.convert() }
  }
}
