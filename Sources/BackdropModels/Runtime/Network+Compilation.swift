import BackdropImaging
import COpenVINO
import Libc

/// Compiled networks, made ready to run.
extension Network {
  /// Compiles a model, and frees it; `keep` receives the compiled network, and the names of inputs and outputs.
  static func compile(
    _ runtime: NetworkRuntime, _ model: UnsafeMutableRawPointer, named name: String, _ form: Form,
    keep: (UnsafeMutableRawPointer, [String]) -> Void = { _, _ in }
  ) throws(BackdropError) -> Network {
    let f = runtime.functions
    defer { f.ov_model_free(model) }
    if !form.shapes.isEmpty { try reshape(runtime, model, form.shapes, name) }
    let known = try ports(runtime, of: model)
    let names = (known.inputs + known.outputs).map(\.name)
    let keys = form.properties.map { strdup($0.key) }
    let values = form.properties.map { strdup($0.value) }
    defer { for text in keys + values { free(text) } }
    let properties = zip(keys, values).map { bd_ov_property(key: $0, value: $1) }
    let core = UnsafeMutableRawPointer(bitPattern: runtime.core)
    var compiled: UnsafeMutableRawPointer?
    let status = f.ov_core_compile_model_props(core, model, form.device.name, properties.count, properties, &compiled)
    guard status == 0, let compiled else {
      let reason = NetworkRuntime.lastError(f, status)
      throw form.device == .cpu
        ? BackdropError(.badData, "OpenVINO cannot compile this network: \(reason)", path: name)
        : BackdropError(.unsupported, "\(form.device) cannot run the person network: \(reason)", path: name)
    }
    let network = try ready(runtime, Handles(compiled: compiled), names, form, name)
    keep(compiled, names)
    return network
  }

  /// Opens a network that the runtime compiled and wrote earlier.
  static func opening(
    _ runtime: NetworkRuntime, _ bytes: [UInt8], _ names: [String], named name: String, _ form: Form
  ) throws(BackdropError) -> Network {
    let f = runtime.functions
    let core = form.device == .cpu ? try runtime.core(form.properties) : runtime.core
    var compiled: UnsafeMutableRawPointer?
    let status = bytes.withUnsafeBytes {
      f.ov_core_import_model(
        UnsafeMutableRawPointer(bitPattern: core), $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count,
        form.device.name, &compiled)
    }
    guard status == 0, let compiled else {
      throw BackdropError(
        .badData, "this is not a compiled network: \(NetworkRuntime.lastError(f, status))", path: name)
    }
    return try ready(runtime, Handles(compiled: compiled, source: bytes), names, form, name)
  }

  /// Makes the network with its memory in place; frees it on failure. `names` are the model's for its inputs and outputs, because a port
  /// may have several and a compiled network returns any of them.
  static func ready(
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
        throw BackdropError(.badData, "this compiled network has other inputs and outputs", path: name)
      }
      for index in inputs.indices { inputs[index].name = names[index] }
      for index in outputs.indices { outputs[index].name = names[inputs.count + index] }
      for input in inputs where input.shape.contains(nil) {
        throw BackdropError(
          .unsupported, "the network does not fix the size of its input '\(input.name)': \(input.shapeText)",
          path: name, hint: .describeInputSize)
      }
      let made = f.ov_compiled_model_create_infer_request(opened.compiled, &handles.request)
      guard made == 0 else {
        throw BackdropError(.system, "the network failed to run: \(NetworkRuntime.lastError(f, made))", path: name)
      }
      // An ONNX file's constants have become a part of the network.
      try bind(runtime, &handles, inputs, &outputs, name.hasSuffix(".onnx") ? [:] : form.constants, name)
      return Network(runtime, handles, inputs: inputs, outputs: outputs)
    } catch {
      release(handles, runtime)
      throw error
    }
  }
}
