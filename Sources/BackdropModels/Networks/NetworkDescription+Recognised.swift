import BackdropImaging

extension NetworkDescription {
  /// The names of the input and of the first output of catalogue networks, and the number of outputs, if they are unique.
  ///
  /// One network stands for all that need the same processing, such as the sizes of U²-Net and those of BiRefNet. Names such as `input`
  /// and `output` identify nothing: RMBG 1.4, MODNet and many others have them.
  private static let telling: [(network: NetworkDescription, input: String, output: String, outputs: Int)] = [
    (salientObjects, "input.1", "1959", 7), (isNet, "input_image", "output_image", 12),
    (biRefNet, "input_image", "output_image", 1), (ben2, "input.1", "17728", 1),
  ]

  /// The only network of the catalogue with these inputs and outputs; `nil` if there is none.
  static func recognised(inputs: [TensorDescription], outputs: [TensorDescription]) -> NetworkDescription? {
    guard inputs.count == 1, let first = outputs.first else { return nil }
    let fitting = telling.filter { ports in
      let size = ports.network.sizes[0]
      let reader = NetworkOutput(ports.network.meaning, shape: first.shape.compactMap { $0 }, chosen: [0])
      return inputs[0].name == ports.input && inputs[0].shape == ports.network.inputShape(size).map(Optional.some)
        && outputs.count == ports.outputs && first.name == ports.output && reader?.width == size.width
        && reader?.height == size.height
    }
    return fitting.count == 1 ? fitting[0].network : nil
  }

  /// The description of a file with an unknown name, recognized by its inputs and outputs.
  ///
  /// - Throws: `wrongArgument` if they do not identify the network.
  static func recognised(_ path: String) throws(BackdropError) -> NetworkDescription {
    var ports: Network.Ports = ([], [])
    // An unreadable file, or one without the runtime, cannot be recognized; using a description reports the reason.
    do throws(BackdropError) { ports = try Network.ports(of: path) } catch {}
    if let known = recognised(inputs: ports.inputs, outputs: ports.outputs) { return known }
    let isEmpty = ports.inputs.isEmpty || ports.outputs.isEmpty
    let described = isEmpty ? "" : ", which takes \(list(ports.inputs)) and gives \(list(ports.outputs))"
    let (size, isPlanar) = pictureSize(ports.inputs)
    let layout = isPlanar ? ", \"layout\": \"channelHeightWidth\"" : ""
    let fields = "\"width\": \(size.width), \"height\": \(size.height)" + layout
    throw BackdropError(
      .wrongArgument, "Backdrop does not know this network\(described)", path: path,
      hint: "give a JSON description with file, width and height, such as "
        + "{\"file\": \"\(FileName(path).whole)\", \(fields)}")
  }

  /// Names and shapes of inputs or outputs, the first few.
  private static func list(_ ports: [TensorDescription]) -> String {
    let most = 3
    let texts = ports.prefix(most).map { "'\($0.name.prefix(40))' \($0.shapeText)" }
    return texts.joined(separator: ", ") + (ports.count > most ? " and \(ports.count - most) more" : "")
  }

  /// The size of the first input of three channels, and whether those come first; an example if none is known.
  private static func pictureSize(_ inputs: [TensorDescription]) -> (Size, isPlanar: Bool) {
    for input in inputs where input.shape.count == 4 {
      let isPlanar = input.shape[1] == 3
      guard isPlanar || input.shape[3] == 3 else { continue }
      return (Size(input.shape[isPlanar ? 3 : 2] ?? 256, input.shape[isPlanar ? 2 : 1] ?? 256), isPlanar)
    }
    return (Size(256, 256), false)
  }
}
