import BackdropImaging

/// Describes how pictures enter a segmentation network and what its outputs mean: everything needed to use its file.
///
/// A JSON file with these fields makes an unknown network usable.
package struct NetworkDescription: Codable, Sendable, Equatable {
  /// The name by which users choose it.
  package var id: String
  package var summary: String
  package var licence: String
  /// Name of the model file: `.tflite`, `.onnx` or `.xml`; in a JSON file relative to it.
  package var file: String
  package var width: Int, height: Int
  /// Further input sizes, of other shapes or smaller; see ``size(for:maximumPixels:)``.
  package var otherSizes: [Size] = []
  package var precision = Precision.f32
  package var layout = TensorLayout.heightWidthChannel
  package var order = ChannelOrder.rgb
  /// Input values are (sample − mean) / std, with samples in 0…1, in the order of ``order``.
  package var mean: [Float] = [0, 0, 0], std: [Float] = [1, 1, 1]
  package var scaling = TensorScaling.area
  /// Name of the picture input; `nil` for the first.
  package var input: String?
  /// Name of the output to use; `nil` for the first.
  package var output: String?
  package var meaning = Meaning.probability
  /// Outputs that become inputs of the next run, by the input's name, initially zero.
  package var states: [String: State] = [:]
  /// Inputs that never change.
  package var constants: [String: [Float]] = [:]

  package enum Meaning: Codable, Sendable, Equatable {
    /// The probability of foreground in each pixel, or the fraction of foreground in it: 0…1.
    case probability
    /// One number per pixel, whose logistic function is the probability of foreground.
    case logit
    /// Two numbers per pixel, background first: logits or probabilities.
    case backgroundAndForeground(areLogits: Bool)
    /// One logit per class, with the class names in order; the first is the background.
    case classes([String])
  }

  /// A recurrent state: 1 × channels × height × width, whose sides are the input's divided by a number, rounded up.
  package struct State: Codable, Sendable, Equatable {
    package var output: String
    package var channels: Int
    /// The input's side divided by the state's side.
    package var divisor: Int

    func shape(_ size: Size) -> [Int] {
      [1, channels, (size.height + divisor - 1) / divisor, (size.width + divisor - 1) / divisor]
    }
  }

  package struct Size: Codable, Sendable, Hashable {
    package var width: Int, height: Int

    package init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    var pixels: Int { width * height }

    /// The ratio of the two scale factors that bring a picture to this size, 1 or more; 1 for the same shape.
    func stretch(of picture: (width: Int, height: Int)) -> Double {
      let ratio = Double(width * max(1, picture.height)) / Double(max(1, height * picture.width))
      return max(ratio, 1 / ratio)
    }
  }

  package enum Precision: String, Sendable, Codable, CaseIterable {
    case f32
    /// bfloat16, if the processor has it: twice as fast, and visible in the mattes of some networks.
    case bf16
  }

  package var sizes: [Size] { [Size(width, height)] + otherSizes }

  /// The size for processing a picture, or a part of it, of this width and height: among those with the nearest shape, since stretching
  /// costs a network more quality than reducing, the largest of at most `maximumPixels`, if given, or the smallest if none is allowed.
  package func size(for picture: (width: Int, height: Int), maximumPixels: Int? = nil) -> Size {
    let allowed = sizes.filter { $0.pixels <= maximumPixels ?? .max }
    let smallest = sizes.map(\.pixels).min()
    let candidates = allowed.isEmpty ? sizes.filter { $0.pixels == smallest } : allowed
    let least = candidates.map { $0.stretch(of: picture) }.min() ?? 1
    // Sizes of one shape differ by rounding.
    let fitting = candidates.filter { $0.stretch(of: picture) <= least * 1.02 }
    return fitting.max { $0.pixels < $1.pixels } ?? Size(width, height)
  }

  /// Shape of the picture input: a batch of one.
  func inputShape(_ size: Size) -> [Int] {
    layout == .heightWidthChannel ? [1, size.height, size.width, 3] : [1, 3, size.height, size.width]
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, summary, licence, file, width, height, otherSizes, precision, layout, order, mean, std, scaling, input,
      output, meaning, states, constants
  }
}

extension NetworkDescription {
  /// Reads a description; all fields except `file`, `width` and `height` are optional.
  ///
  /// - Throws: `DecodingError` for other data.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys, or usual: Value) throws -> Value {
      try values.decodeIfPresent(Value.self, forKey: key) ?? usual
    }
    let file = try values.decode(String.self, forKey: .file)
    self.init(
      id: try value(.id, or: file), summary: try value(.summary, or: ""), licence: try value(.licence, or: "unknown"),
      file: file, width: try values.decode(Int.self, forKey: .width),
      height: try values.decode(Int.self, forKey: .height))
    otherSizes = try value(.otherSizes, or: otherSizes)
    precision = try value(.precision, or: precision)
    layout = try value(.layout, or: layout)
    order = try value(.order, or: order)
    mean = try value(.mean, or: mean)
    std = try value(.std, or: std)
    scaling = try value(.scaling, or: scaling)
    input = try values.decodeIfPresent(String.self, forKey: .input)
    output = try values.decodeIfPresent(String.self, forKey: .output)
    meaning = try value(.meaning, or: meaning)
    states = try value(.states, or: states)
    constants = try value(.constants, or: constants)
  }
}
