import BackdropDepth
import BackdropImaging

/// A network with its description: pictures in, coarse mattes out. One stream, one network: it may remember earlier frames,
/// and is not safe to call from two threads at once.
public final class PersonNetwork: PersonSegmenting {
  /// What it is.
  public let description: NetworkDescription
  private let network: Network
  private let inputIndex: Int
  private let outputIndex: Int
  private let output: NetworkOutput
  private let states: [(input: Int, output: Int)]
  private var tensor: NetworkTensor
  private var scaler: ImageScaler?
  private var frame: IntegerRect?
  /// The last picture as the network saw it: at the size of its input.
  public private(set) var small: Image
  /// Whether that is a mean of the picture's pixels.
  public var isAveraged: Bool { description.scaling == .area }
  /// Whether it remembers earlier frames.
  public var hasMemory: Bool { !states.isEmpty }
  private let scratch = ScratchMemory()

  /// Opens the network's file.
  ///
  /// - Parameters:
  ///   - path: the model file; `nil` looks for the description's in `store`.
  ///   - classes: which of its classes are foreground, for networks with classes; `nil` for `person`.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file does not go with the description.
  public static func load(
    _ description: NetworkDescription, path: String? = nil, classes: [String]? = nil, threads: Int = 1,
    store: ModelStore = ModelStore()
  ) throws(BackdropError) -> PersonNetwork {
    let file: String
    if let path {
      file = path
    } else if description.file.contains("/") {
      file = description.file
    } else if let found = store.path(of: description.file) {
      file = found
    } else {
      let isDefault = Package.models.members.contains { Package.fileName($0) == description.file }
      throw BackdropError(
        .unsupported, "the model \(description.file) is not installed",
        hint: isDefault
          ? .installNetworks
          : Remedy("put it into \(store.modelsFolder), or into a folder named by BACKDROP_MODELS"))
    }
    try store.refuseDamage(file)
    guard FileKind(file) == .file else { throw Network.missing(file) }
    let chosen = try foreground(description, classes)
    var shapes = description.states.mapValues(\.shape)
    if let input = description.input { shapes[input] = description.inputShape }
    let network = try Network.load(file, threads: threads, shapes: shapes, constants: description.constants)
    do throws(BackdropError) {
      return try fitting(network, description, chosen)
    } catch {
      throw error.at(file)
    }
  }

  private static func foreground(
    _ description: NetworkDescription, _ classes: [String]?
  ) throws(BackdropError) -> [Int] {
    guard case .classes(let names) = description.meaning else {
      guard classes == nil || classes == ["person"] else {
        if classes?.isEmpty == true {
          throw BackdropError(
            .wrongArgument, "no class is named", hint: .leaveClassesOut)
        }
        throw BackdropError(
          .wrongArgument, "the network '\(description.id)' knows persons only",
          hint: .chooseClassNetwork)
      }
      if case .backgroundAndForeground = description.meaning { return [1] }
      return [0]
    }
    var result: [Int] = []
    guard classes?.isEmpty != true else {
      throw BackdropError(
        .wrongArgument, "no class is named", hint: "name some of \(names.dropFirst().joined(separator: ", "))")
    }
    for name in classes ?? ["person"] {
      guard let index = names.firstIndex(of: name), index > 0 else {
        throw BackdropError(
          .wrongArgument, "the network '\(description.id)' has no class '\(name)'",
          hint: "it has \(names.dropFirst().joined(separator: ", "))")
      }
      result.append(index)
    }
    return result
  }

  /// Checks that the network's inputs and outputs are as described.
  private static func fitting(
    _ network: Network, _ description: NetworkDescription, _ chosen: [Int]
  ) throws(BackdropError) -> PersonNetwork {
    func index(_ name: String?, _ list: [TensorDescription], _ kind: String) throws(BackdropError) -> Int {
      guard let name else {
        guard !list.isEmpty else { throw BackdropError(.badData, "the network has no \(kind)") }
        return 0
      }
      guard let found = list.firstIndex(where: { $0.name == name }) else {
        throw BackdropError(
          .badData, "the network has no \(kind) '\(name)', but \(list.map(\.name).joined(separator: ", "))")
      }
      return found
    }
    let input = try index(description.input, network.inputs, "input")
    let output = try index(description.output, network.outputs, "output")
    let wanted = description.inputShape
    guard network.inputs[input].shape.compactMap({ $0 }) == wanted else {
      throw BackdropError(
        .badData,
        "expected an input of \(wanted.map(String.init).joined(separator: "×")), found \(network.inputs[input].shapeText)",
        hint: "correct the description")
    }
    let reader = NetworkOutput(
      description.meaning, shape: network.outputs[output].shape.compactMap { $0 }, chosen: chosen)
    guard let reader, network.output(output).count == reader.count else {
      let channels = NetworkOutput.channelCount(description.meaning)
      throw BackdropError(
        .badData,
        "expected an output of 1×H×W×\(channels) or 1×\(channels)×H×W in f32, found \(network.outputs[output].shapeText) in \(network.outputs[output].element)",
        hint: "correct the description")
    }
    // Not too exact: some networks round their sides up.
    let aspect = Double(reader.width * description.height) / Double(reader.height * description.width)
    guard aspect > 0.9 && aspect < 1.1 else {
      throw BackdropError(
        .badData,
        "expected an output of the input's shape, \(description.width)×\(description.height), found "
          + "\(reader.width)×\(reader.height)", hint: "choose a network that marks people in a picture")
    }
    var states: [(input: Int, output: Int)] = []
    for (name, state) in description.states.sorted(by: { $0.key < $1.key }) {
      let from = try index(state.output, network.outputs, "output")
      let to = try index(name, network.inputs, "input")
      guard network.output(from).count == network.input(to).count else {
        throw BackdropError(
          .badData,
          "the state '\(name)' is \(network.inputs[to].shapeText), but comes from \(network.outputs[from].shapeText)")
      }
      states.append((to, from))
    }
    let result = PersonNetwork(
      description, network, input: input, output: output, reader: reader, states: states)
    result.reset()
    return result
  }

  private init(
    _ description: NetworkDescription, _ network: Network, input: Int, output: Int,
    reader: NetworkOutput, states: [(input: Int, output: Int)]
  ) {
    self.description = description
    self.network = network
    inputIndex = input
    outputIndex = output
    self.output = reader
    self.states = states
    tensor = NetworkTensor(
      from: (description.width, description.height), width: description.width, height: description.height,
      layout: description.layout, order: description.order, mean: description.mean, std: description.std)
    small = Image(.bgra8, width: description.width, height: description.height)
  }

  /// Forgets earlier frames, where the network remembers any.
  public func reset() {
    for state in states { network.input(state.input).update(repeating: 0) }
  }

  /// Takes in an upright picture, or a part of it: ``small`` shows it as the network will see it.
  public func look(at image: Image, frame: IntegerRect? = nil) throws(BackdropError) {
    // Scaled in its own format, in which there is less to read, then converted.
    if scaler?.sourceWidth != image.width || scaler?.sourceHeight != image.height || scaler?.format != image.format
      || self.frame != frame
    {
      let region = frame.map {
        Rect(x: Double($0.x), y: Double($0.y), width: Double($0.width), height: Double($0.height))
      }
      scaler = try ImageScaler(
        image.format, sourceWidth: image.width, sourceHeight: image.height, region: region, width: description.width,
        height: description.height, filter: description.scaling == .area ? .area : .bilinear)
      self.frame = frame
      if small.format != image.format {
        small = Image(image.format, width: description.width, height: description.height, color: image.color)
      }
    }
    try scaler?.apply(image, into: &small, scratch: scratch)
  }

  /// Finds the people in what was taken in last; the matte covers that part of the picture.
  public func run(into matte: inout Matte) throws(BackdropError) {
    // An input of the right size, so it is not empty.
    tensor.fill(network.input(inputIndex).baseAddress!, from: small)
    try network.run()
    for state in states {
      let from = network.output(state.output)
      let to = network.input(state.input)
      guard from.count == to.count else {
        throw BackdropError(.badData, "the network's memory has changed its size", path: description.file)
      }
      _ = to.update(fromContentsOf: from)
    }
    guard network.output(outputIndex).count == output.count, let numbers = network.output(outputIndex).baseAddress
    else {
      throw BackdropError(.badData, "the network's output has changed its size", path: description.file)
    }
    output.write(numbers, into: &matte)
  }
}
