import BackdropDepth
import BackdropImaging

/// A person network compiled for one size of its input, with its memory of earlier frames.
final class NetworkForm {
  let size: NetworkDescription.Size
  private let network: Network
  private let inputIndex: Int
  private let outputIndex: Int
  private let output: NetworkOutput
  private let states: [(input: Int, output: Int)]
  private var tensor: NetworkTensor

  /// Compiles the file for that size.
  ///
  /// - Throws: as ``PersonNetwork/init(_:classes:threads:device:store:)``.
  static func load(
    _ file: String, _ description: NetworkDescription, _ chosen: [Int], size: NetworkDescription.Size, threads: Int,
    device: NetworkDevice, store: ModelStore
  ) throws(BackdropError) -> NetworkForm {
    var shapes = description.states.mapValues { $0.shape(size) }
    if let input = description.input { shapes[input] = description.inputShape(size) }
    let form = Network.Form(
      threads: threads, precision: description.precision, shapes: shapes, constants: description.constants,
      device: device)
    let network = try Network.load(file, form, store: store)
    do throws(BackdropError) {
      return try NetworkForm(network, description, chosen, size)
    } catch {
      throw error.at(file)
    }
  }

  /// Checks that the network's inputs and outputs match the description.
  private init(
    _ network: Network, _ description: NetworkDescription, _ chosen: [Int], _ size: NetworkDescription.Size
  ) throws(BackdropError) {
    func index(_ name: String?, _ list: [TensorDescription], _ kind: String) throws(BackdropError) -> Int {
      guard let name else {
        guard !list.isEmpty else { throw BackdropError(.badData, "the network has no \(kind)") }
        return 0
      }
      guard let found = list.firstIndex(where: { $0.name == name }) else {
        throw BackdropError(
          .badData, "the network has no \(kind) '\(name)'; it has \(list.map(\.name).joined(separator: ", "))")
      }
      return found
    }
    let input = try index(description.input, network.inputs, "input")
    let output = try index(description.output, network.outputs, "output")
    let wanted = description.inputShape(size)
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
    // Allow a tolerance, because some networks round their sides up.
    let aspect = Double(reader.width * size.height) / Double(reader.height * size.width)
    guard aspect > 0.9 && aspect < 1.1 else {
      throw BackdropError(
        .badData,
        "expected an output as large as the input, \(size.width)×\(size.height), found "
          + "\(reader.width)×\(reader.height)", hint: "choose a network that segments people")
    }
    var states: [(input: Int, output: Int)] = []
    for (name, state) in description.states.sorted(by: { $0.key < $1.key }) {
      let from = try index(state.output, network.outputs, "output")
      let to = try index(name, network.inputs, "input")
      guard network.output(from).count == network.input(to).count else {
        throw BackdropError(
          .badData,
          "the state '\(name)' is \(network.inputs[to].shapeText), but the output that feeds it is \(network.outputs[from].shapeText)"
        )
      }
      states.append((to, from))
    }
    (self.size, self.network, self.states) = (size, network, states)
    (inputIndex, outputIndex, self.output) = (input, output, reader)
    tensor = NetworkTensor(
      width: size.width, height: size.height, layout: description.layout, order: description.order,
      mean: description.mean, std: description.std)
    reset()
  }

  /// Forgets earlier frames, if the network remembers any.
  func reset() {
    for state in states { network.input(state.input).update(repeating: 0) }
  }

  /// The milliseconds of a run, including all threads: the shortest of several, because other programs can only lengthen one.
  func milliseconds() throws(BackdropError) -> Double {
    let clock = ContinuousClock()
    var best = Double.infinity
    // The first run warms up the others.
    for _ in 0..<6 {
      let start = clock.now
      try network.run()
      best = min(best, (clock.now - start) / .milliseconds(1))
    }
    return best
  }

  /// Processes a picture of its size. The result has no effect until ``read(into:)``.
  func see(_ picture: Image) throws(BackdropError) {
    // An input of the right size, so it is not empty.
    tensor.fill(network.input(inputIndex).baseAddress!, from: picture)
    try network.run()
  }

  /// Finds the people in the last processed picture, and remembers it.
  func read(into matte: inout Matte) throws(BackdropError) {
    for state in states {
      let from = network.output(state.output)
      let to = network.input(state.input)
      guard from.count == to.count else {
        throw BackdropError(.badData, "the network's memory changed its size")
      }
      _ = to.update(fromContentsOf: from)
    }
    guard network.output(outputIndex).count == output.count, let numbers = network.output(outputIndex).baseAddress
    else {
      throw BackdropError(.badData, "the network's output changed its size")
    }
    output.write(numbers, into: &matte)
  }
}
