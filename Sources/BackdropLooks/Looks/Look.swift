import BackdropImaging
import BackdropMatting

/// An effect as a value: a matte recipe and a stack of layers, described well enough that flags, sliders, documentation
/// and files all come from it.
///
/// The first layer lies at the bottom and covers everything; each further one is laid over it through the matte.
public struct Look: Codable, Sendable, Equatable, Identifiable {
  /// The name it is chosen by.
  public var id: String
  /// What it looks like, in one line.
  public var summary: String
  /// What can be turned.
  public var parameters: [Parameter]
  /// How the matte is made.
  public var matte: Matte
  /// What is drawn, from the bottom to the top.
  public var layers: [Layer]

  /// Makes a look.
  public init(id: String, summary: String, parameters: [Parameter], matte: Matte, layers: [Layer]) {
    self.id = id
    self.summary = summary
    self.parameters = parameters
    self.matte = matte
    self.layers = layers
  }

  /// How a matte is made, with parameters still open.
  public enum Matte: Codable, Sendable, Equatable {
    /// From depth: see ``DepthMatteRecipe``.
    case depth(cutoff: Value, margin: Value, sigma: Value, gamma: Value)
  }

  /// One thing that is drawn.
  public struct Layer: Codable, Sendable, Equatable {
    /// Where its picture comes from.
    public var source: Source
    /// Standard deviation of a Gaussian blur of that picture, in pixels of the frame; absent or 0: sharp.
    public var blur: Value?
    /// Where it covers what is below it.
    public var through: Coverage

    /// Makes a layer.
    public init(_ source: Source, blur: Value? = nil, through: Coverage = .everything) {
      self.source = source
      self.blur = blur
      self.through = through
    }

    private enum CodingKeys: String, CodingKey { case source, blur, through }

    /// Reads a layer; what is left out has its default.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      source = try container.decode(Source.self, forKey: .source)
      blur = try container.decodeIfPresent(Value.self, forKey: .blur)
      through = try container.decodeIfPresent(Coverage.self, forKey: .through) ?? .everything
    }
  }

  /// Where a layer's picture comes from.
  public enum Source: Sendable, Equatable {
    /// The frame itself.
    case frame
    /// The background that the person chose; black if none.
    case background
    /// One colour everywhere.
    case color(RGBColor)
  }

  /// Where a layer covers what is below it.
  public enum Coverage: String, Codable, Sendable {
    /// Everywhere.
    case everything
    /// Where the matte is 1.
    case matte
    /// Where the matte is 0.
    case inverse
  }
}

extension Look.Source: Codable {
  /// Reads `frame`, `background` or `#RRGGBB`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    switch text {
    case "frame": self = .frame
    case "background": self = .background
    default:
      guard text.hasPrefix("#"), let color = RGBColor(hex: text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "expected \"frame\", \"background\" or \"#RRGGBB\", found \"\(text)\"")
      }
      self = .color(color)
    }
  }

  /// Writes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .frame: try container.encode("frame")
    case .background: try container.encode("background")
    case .color(let color): try container.encode(color.hex)
    }
  }
}
