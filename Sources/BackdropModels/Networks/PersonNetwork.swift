import BackdropImaging
import BackdropMatting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A network with its description: pictures in, coarse mattes out. One stream, one network: it may remember earlier frames,
/// and is not safe to call from two threads at once.
public final class PersonNetwork: PersonSegmenting {
  /// What it is.
  public let description: NetworkDescription
  private let network: Network
  private let inputIndex: Int
  private let outputIndex: Int
  private let outputWidth: Int, outputHeight: Int
  /// Numbers from a pixel of the output to the next, and from a channel to the next.
  private let pixelStep: Int, channelStep: Int
  /// Channels that count as foreground.
  private let chosen: [Int]
  private let states: [(input: Int, output: Int)]
  private var tensor: NetworkTensor
  private var scaler: ImageScaler?
  /// The last picture as the network saw it: at the size of its input.
  public private(set) var small: Image
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
          ? "run: backdrop models install"
          : "put it into \(store.modelsFolder), or into a folder named by BACKDROP_MODELS")
    }
    let chosen = try foreground(description, classes)
    var shapes = description.states.mapValues(\.shape)
    if let input = description.input {
      shapes[input] =
        description.layout == .heightWidthChannel
        ? [1, description.height, description.width, 3] : [1, 3, description.height, description.width]
    }
    let network = try Network.load(file, threads: threads, shapes: shapes)
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
        throw BackdropError(
          .wrongArgument, "the network '\(description.id)' knows persons only",
          hint: "choose one with classes: --model deeplab-257")
      }
      if case .backgroundAndForeground = description.meaning { return [1] }
      return [0]
    }
    var result: [Int] = []
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
    let wanted =
      description.layout == .heightWidthChannel
      ? [1, description.height, description.width, 3] : [1, 3, description.height, description.width]
    guard network.inputs[input].shape.compactMap({ $0 }) == wanted else {
      throw BackdropError(
        .badData,
        "expected an input of \(wanted.map(String.init).joined(separator: "×")), found \(network.inputs[input].shapeText)",
        hint: "correct the description")
    }
    let channels =
      switch description.meaning {
      case .probability: 1
      case .backgroundAndForeground: 2
      case .classes(let names): names.count
      }
    let found = network.outputs[output].shape.compactMap { $0 }
    // Channels last or channels second, a batch of one, and for a single channel neither.
    var size: (height: Int, width: Int, pixel: Int, channel: Int)?
    if found.count == 4, found[0] == 1, found[3] == channels {
      size = (found[1], found[2], channels, 1)
    } else if found.count == 4, found[0] == 1, found[1] == channels {
      size = (found[2], found[3], 1, found[2] * found[3])
    } else if found.count == 3, found[0] == 1, channels == 1 {
      size = (found[1], found[2], 1, 1)
    }
    guard let size, size.width > 0 && size.height > 0,
      network.output(output).count == size.width * size.height * channels
    else {
      throw BackdropError(
        .badData,
        "expected an output of 1×H×W×\(channels) or 1×\(channels)×H×W in f32, found \(network.outputs[output].shapeText) in \(network.outputs[output].element)",
        hint: "correct the description")
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
    for (name, values) in description.constants {
      let buffer = network.input(try index(name, network.inputs, "input"))
      guard buffer.count == values.count else {
        throw BackdropError(.badData, "expected \(values.count) numbers for '\(name)', found room for \(buffer.count)")
      }
      for i in values.indices { buffer[i] = values[i] }
    }
    let result = PersonNetwork(
      description, network, input: input, output: output, size: size, chosen: chosen, states: states)
    result.reset()
    return result
  }

  private init(
    _ description: NetworkDescription, _ network: Network, input: Int, output: Int,
    size: (height: Int, width: Int, pixel: Int, channel: Int), chosen: [Int], states: [(input: Int, output: Int)]
  ) {
    self.description = description
    self.network = network
    inputIndex = input
    outputIndex = output
    outputWidth = size.width
    outputHeight = size.height
    pixelStep = size.pixel
    channelStep = size.channel
    self.chosen = chosen
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

  /// Finds the people (or the chosen classes) in an upright picture.
  public func update(_ matte: inout Matte, from image: Image) throws(BackdropError) {
    // Scaled in its own format, in which there is less to read, then converted.
    if scaler?.sourceWidth != image.width || scaler?.sourceHeight != image.height || scaler?.format != image.format {
      scaler = try ImageScaler(
        image.format, sourceWidth: image.width, sourceHeight: image.height, width: description.width,
        height: description.height, filter: description.scaling == .area ? .area : .bilinear)
      small = Image(image.format, width: description.width, height: description.height, color: image.color)
    }
    try scaler?.apply(image, into: &small, scratch: scratch)
    // An input of the right size, so it is not empty.
    tensor.fill(network.input(inputIndex).baseAddress!, from: small)
    try network.run()
    for state in states {
      let from = network.output(state.output)
      let to = network.input(state.input)
      for i in from.indices { to[i] = from[i] }
    }
    if matte.width != outputWidth || matte.height != outputHeight {
      matte.q15 = Plane(uninitializedWidth: outputWidth, height: outputHeight)
    }
    read(into: &matte)
  }

  private func read(into matte: inout Matte) {
    // As many numbers as the size says.
    let values = network.output(outputIndex).baseAddress!
    let stride = matte.q15.stride
    matte.q15.withUnsafeMutablePointer { target in
      for y in 0..<outputHeight {
        let row = values + y * outputWidth * pixelStep
        let to = target + y * stride
        switch description.meaning {
        case .probability:
          for x in 0..<outputWidth { to[x] = Self.q15(row[x * pixelStep]) }
        case .backgroundAndForeground(let areLogits):
          for x in 0..<outputWidth {
            let (back, front) = (row[x * pixelStep], row[x * pixelStep + channelStep])
            to[x] = Self.q15(areLogits ? 1 / (1 + exp(back - front)) : front)
          }
        case .classes(let names):
          for x in 0..<outputWidth { to[x] = Self.q15(share(row + x * pixelStep, names.count)) }
        }
      }
    }
  }

  /// The part of the chosen classes in a softmax over all.
  private func share(_ logits: UnsafePointer<Float>, _ count: Int) -> Float {
    var largest = -Float.infinity
    for c in 0..<count { largest = max(largest, logits[c * channelStep]) }
    var sum: Float = 0
    for c in 0..<count { sum += exp(logits[c * channelStep] - largest) }
    var part: Float = 0
    for c in chosen { part += exp(logits[c * channelStep] - largest) }
    return part / sum
  }

  /// NaN counts as background.
  private static func q15(_ value: Float) -> UInt16 { UInt16((value > 0 ? min(value, 1) : 0) * 32768 + 0.5) }
}
