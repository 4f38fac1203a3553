import BackdropImaging

/// How pictures go into a segmentation network and what comes out: all that is needed to use its file.
///
/// A JSON file with these fields makes an unknown network usable.
public struct NetworkDescription: Codable, Sendable, Equatable {
  /// The name it is chosen by.
  public var id: String
  /// What it is, in one line.
  public var summary: String
  /// Licence of the model file.
  public var licence: String
  /// Name of the model file: `.tflite`, `.onnx` or `.xml`; in a JSON file relative to it.
  public var file: String
  /// Size of its input in pixels.
  public var width: Int, height: Int
  /// How the numbers of the input lie in memory.
  public var layout: TensorLayout
  /// Which colour comes first.
  public var order: ChannelOrder
  /// Numbers of the input are (sample − mean) / std, with samples in 0…1, in the order of ``order``.
  public var mean: [Float], std: [Float]
  /// How pictures are scaled down.
  public var scaling: TensorScaling
  /// Name of the picture input; `nil` for the first.
  public var input: String?
  /// Name of the output that is used; `nil` for the first.
  public var output: String?
  /// What the output means.
  public var meaning: Meaning
  /// Outputs that are inputs of the next run, by the name of the input, and zero at first.
  public var states: [String: State]
  /// Inputs that never change.
  public var constants: [String: [Float]]

  /// What the numbers of an output mean.
  public enum Meaning: Codable, Sendable, Equatable {
    /// How likely each pixel is foreground, or how much of it: 0…1.
    case probability
    /// Two numbers per pixel, background first: logits or probabilities.
    case backgroundAndForeground(areLogits: Bool)
    /// One logit per class, with the class names in order; the first is the background.
    case classes([String])
  }

  /// A recurrent state.
  public struct State: Codable, Sendable, Equatable {
    /// The output that it is taken from.
    public var output: String
    /// Its shape.
    public var shape: [Int]

    /// Makes a state.
    public init(output: String, shape: [Int]) {
      self.output = output
      self.shape = shape
    }
  }

  /// Makes a description.
  public init(
    id: String, summary: String, licence: String, file: String, width: Int, height: Int,
    layout: TensorLayout = .heightWidthChannel, order: ChannelOrder = .rgb, mean: [Float] = [0, 0, 0],
    std: [Float] = [1, 1, 1], scaling: TensorScaling = .area, input: String? = nil, output: String? = nil,
    meaning: Meaning = .probability, states: [String: State] = [:], constants: [String: [Float]] = [:]
  ) {
    self.id = id
    self.summary = summary
    self.licence = licence
    self.file = file
    self.width = width
    self.height = height
    self.layout = layout
    self.order = order
    self.mean = mean
    self.std = std
    self.scaling = scaling
    self.input = input
    self.output = output
    self.meaning = meaning
    self.states = states
    self.constants = constants
  }

  /// Shape of the picture input: a batch of one.
  var inputShape: [Int] {
    layout == .heightWidthChannel ? [1, height, width, 3] : [1, 3, height, width]
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, summary, licence, file, width, height, layout, order, mean, std, scaling, input, output, meaning, states
    case constants
  }

  /// Reads a description; all but `file`, `width` and `height` may be left out.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let file = try values.decode(String.self, forKey: .file)
    self.init(
      id: try values.decodeIfPresent(String.self, forKey: .id) ?? file,
      summary: try values.decodeIfPresent(String.self, forKey: .summary) ?? "",
      licence: try values.decodeIfPresent(String.self, forKey: .licence) ?? "unknown", file: file,
      width: try values.decode(Int.self, forKey: .width), height: try values.decode(Int.self, forKey: .height),
      layout: try values.decodeIfPresent(TensorLayout.self, forKey: .layout) ?? .heightWidthChannel,
      order: try values.decodeIfPresent(ChannelOrder.self, forKey: .order) ?? .rgb,
      mean: try values.decodeIfPresent([Float].self, forKey: .mean) ?? [0, 0, 0],
      std: try values.decodeIfPresent([Float].self, forKey: .std) ?? [1, 1, 1],
      scaling: try values.decodeIfPresent(TensorScaling.self, forKey: .scaling) ?? .area,
      input: try values.decodeIfPresent(String.self, forKey: .input),
      output: try values.decodeIfPresent(String.self, forKey: .output),
      meaning: try values.decodeIfPresent(Meaning.self, forKey: .meaning) ?? .probability,
      states: try values.decodeIfPresent([String: State].self, forKey: .states) ?? [:],
      constants: try values.decodeIfPresent([String: [Float]].self, forKey: .constants) ?? [:])
  }
}
