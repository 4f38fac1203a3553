import BackdropImaging
import COpenVINO

/// A network ready to run. The memory of its inputs and outputs does not move between runs.
///
/// Use it from one thread at a time. Runs allocate no memory of Backdrop's own.
package final class Network {
  /// Inputs and outputs, with their compiled sizes.
  package let inputs: [TensorDescription], outputs: [TensorDescription]
  private let runtime: NetworkRuntime
  private var handles: Handles

  /// Resources to release.
  struct Handles {
    var compiled: UnsafeMutableRawPointer?
    /// The bytes of a network opened in its compiled form, which hold its weights.
    var source: [UInt8] = []
    var request: UnsafeMutableRawPointer?
    var inputs: [Tensor] = []
    var outputs: [Tensor] = []
    /// Outputs whose size only a run determines: they may move with every run.
    var openOutputs: [Int] = []
  }

  struct Tensor {
    var handle: UnsafeMutableRawPointer
    var values: UnsafeMutableBufferPointer<Float>
    var shape: [Int]
    /// The runtime's memory if it holds f16. `values` is then Backdrop's own memory, and each run converts to it.
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

  init(_ runtime: NetworkRuntime, _ handles: Handles, inputs: [TensorDescription], outputs: [TensorDescription]) {
    (self.runtime, self.handles, self.inputs, self.outputs) = (runtime, handles, inputs, outputs)
  }

  deinit { Self.release(handles, runtime) }

  static func release(_ handles: Handles, _ runtime: NetworkRuntime) {
    for tensor in handles.inputs + handles.outputs { tensor.free(runtime) }
    if let request = handles.request { runtime.functions.ov_infer_request_free(request) }
    if let compiled = handles.compiled { runtime.functions.ov_compiled_model_free(compiled) }
  }

  /// Reads and compiles a `.tflite`, `.onnx` or `.xml` file, or opens its compiled form (`CompiledNetworks`).
  ///
  /// Custom operations of MediaPipe's networks are replaced (see ``TFLiteRewrite``), and constants of ONNX files become a part of the
  /// network.
  ///
  /// - Throws: `unsupported` without a runtime; `badData` for a file that is unreadable, damaged, or incompatible with the shapes and
  ///   constants.
  package static func load(_ path: String, threads: Int = 1) throws(BackdropError) -> Network {
    try load(path, Form(threads: threads))
  }

  /// The parameters of a compilation.
  struct Form {
    /// The threads of a run on the processor; 0 for one per processor.
    var threads = 1
    var precision = NetworkDescription.Precision.f32
    /// Sizes to set, by the input's name.
    var shapes: [String: [Int]] = [:]
    /// Values of inputs that the caller will not write, by the input's name.
    var constants: [String: [Float]] = [:]
    var device = NetworkDevice.cpu

    /// A name that distinguishes it from other forms of a network with these bytes, and from those of other machines and runtimes.
    func name(_ content: UInt64, _ runtime: NetworkRuntime) -> UInt64 {
      let shapes = self.shapes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let constants = self.constants.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.map(\.bitPattern))" }
      let text =
        "\(content) \(device.name) \(properties) \(shapes) \(constants) \(runtime.build) \(NetworkSpeeds.processor)"
      return Checksum.words(Array(text.utf8))
    }

    /// The runtime's settings. Its own default precision is bfloat16 on processors that have it, which visibly changes mattes of small
    /// networks. By default it also binds each run to the first processors, where the networks of all programs then wait for each other and
    /// for other work.
    var properties: [(key: String, value: String)] {
      let everywhere = [("INFERENCE_PRECISION_HINT", precision.rawValue), ("PERFORMANCE_HINT", "LATENCY")]
      guard device == .cpu else { return everywhere }
      return everywhere + [("INFERENCE_NUM_THREADS", "\(threads)"), ("ENABLE_CPU_PINNING", "NO")]
    }
  }

  /// - Parameter store: where networks are installed; it refuses damaged files of its own.
  static func load(
    _ path: String, _ form: Form, cache: CompiledNetworks = CompiledNetworks(), store: ModelStore = ModelStore()
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
    // Other formats keep weights in other files, which this file's checksum does not cover.
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

  /// The inputs and outputs of a network, without compiling it.
  ///
  /// - Throws: `unsupported` without a runtime; `badData` for an unreadable file.
  static func ports(of path: String) throws(BackdropError) -> Ports {
    let runtime = try NetworkRuntime.shared()
    guard FileKind(path) == .file else { throw missing(path) }
    let model = try read(runtime, path.hasSuffix(".tflite") ? try InputFile.read(path) : [], path, Form())
    defer { runtime.functions.ov_model_free(model) }
    return try ports(runtime, of: model)
  }

  static func missing(_ path: String) -> BackdropError {
    FileKind(path) == .absent
      ? BackdropError(.wrongArgument, "no such model file", path: path, hint: .listNetworks)
      : BackdropError(
        .wrongArgument, "this is not a model file", path: path, hint: "give a .tflite, .onnx or .xml file")
  }

  /// The values of an input; write them before ``run()``.
  package func input(_ index: Int = 0) -> UnsafeMutableBufferPointer<Float> { handles.inputs[index].values }

  /// The values of an output after ``run()``; empty if they are neither f32 nor f16.
  package func output(_ index: Int = 0) -> UnsafeBufferPointer<Float> {
    UnsafeBufferPointer(handles.outputs[index].values)
  }

  /// Runs the network on its inputs.
  ///
  /// - Throws: `system` if it fails to run.
  package func run() throws(BackdropError) {
    let status = StageClock.shared.measure(.network) { runtime.functions.ov_infer_request_infer(handles.request) }
    guard status == 0 else {
      throw BackdropError(.system, "the network failed to run: \(NetworkRuntime.lastError(runtime.functions, status))")
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
