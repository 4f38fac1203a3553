import BackdropImaging

/// An effect as a value: a matte recipe and a stack of layers. Flags, sliders, documentation and files all derive from its description.
///
/// The first layer is at the bottom and covers everything; each further layer covers it through the matte.
public struct Look: Codable, Sendable, Equatable, Identifiable {
  /// The name for choosing it.
  public var id: String
  /// Its description, in one line.
  public var summary: String
  /// Its parameters.
  public var parameters: [Parameter]
  /// How to make the matte.
  public var matte: MatteRecipe
  /// Its layers, from bottom to top.
  public var layers: [Layer]
  /// The parameter that moves in a video of a single picture; `nil` for none.
  public var motion: Motion?

  /// Makes a look.
  public init(
    id: String, summary: String, parameters: [Parameter], matte: MatteRecipe, layers: [Layer], motion: Motion? = nil
  ) {
    self.id = id
    self.summary = summary
    self.parameters = parameters
    self.matte = matte
    self.layers = layers
    self.motion = motion
  }

  /// A parameter that runs through its range once and then starts again.
  public struct Motion: Codable, Sendable, Equatable {
    /// The parameter's name.
    public var parameter: String
    /// The duration of one round.
    public var seconds: Double

    /// Makes a motion.
    public init(_ parameter: String, seconds: Double) {
      self.parameter = parameter
      self.seconds = seconds
    }
  }

  /// How to make a matte, with parameters still open.
  public enum MatteRecipe: Codable, Sendable, Equatable {
    /// From depth: see ``/BackdropMatting/DepthMatteRecipe``.
    case depth(cutoff: LookNumber, margin: LookNumber, sigma: LookNumber, gamma: LookNumber)
    /// Round a distance: see `FocusMask`.
    case focus(focus: LookNumber, slope: LookNumber, width: LookNumber)
    /// The nearest part, by a percentile: see `HistogramMask`. Radius and sigma are in pixels of a 12 MP photo.
    case histogram(percentile: LookNumber, close: LookNumber, feather: LookNumber)
    /// The person or thing in front: the photo's portrait matte, else the person network's, else the near part. `feather` is the standard
    /// deviation of an added soft edge, in pixels of a 12 MP photo.
    case subject(feather: LookNumber)
    /// Haze that thickens with the distance: see `HazeMask`.
    case haze(density: LookNumber, start: LookNumber)
    /// 1 everywhere, for looks without a matte.
    case everything
  }

  /// The source of a layer's picture.
  public enum Source: Sendable, Equatable {
    /// The frame itself.
    case frame
    /// The frame without the area under the matte, which is filled in from its surroundings.
    case realBackground
    /// The chosen background; black if none.
    case background
    /// One colour everywhere.
    case color(RGBColor)
  }

  /// The area that a layer covers.
  public enum Coverage: String, Codable, Sendable {
    /// Everywhere.
    case everything
    /// Pixels with a matte of 1.
    case matte
    /// Pixels with a matte of 0.
    case inverse
  }
}

extension Look.Source: Codable {
  /// Reads `frame`, `room`, `background` or a colour, as `#RRGGBB` or by its name in CSS.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    switch text {
    case "frame": self = .frame
    case "room": self = .realBackground
    case "background": self = .background
    default:
      guard let read = ColorText(text), read.opacity == 1 else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription:
            "expected \"frame\", \"room\", \"background\" or a colour such as \"#RRGGBB\", found \"\(text)\"")
      }
      self = .color(read.color)
    }
  }

  /// Writes what ``init(from:)`` reads.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .frame: try container.encode("frame")
    case .realBackground: try container.encode("room")
    case .background: try container.encode("background")
    case .color(let color): try container.encode(color.hex)
    }
  }
}
