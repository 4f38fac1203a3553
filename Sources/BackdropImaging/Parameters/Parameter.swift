/// A parameter of a look or of the engine: the source of a flag, a slider, a setting and a line of documentation.
public struct Parameter: Sendable, Equatable {
  /// The name, as in `--radius`, `"radius": 8` and `"$radius"`: lower-case letters, digits and hyphens.
  public var name: String
  /// Its label, such as `Edge shift`; by default its name in words.
  public var title: String
  /// Its description, in one line without a full stop.
  public var summary: String
  /// The kind of its values.
  public var kind: Kind
  /// The default value; `nil` if the engine chooses it, as ``automatic`` says.
  public var `default`: ParameterValue?
  /// The engine's choice if no value is given, in a few words: `subject` for a focus that follows the subject; `nil` for parameters with a
  /// plain default.
  public var automatic: String?
  /// Its group.
  public var group: ParameterGroup
  /// Whether a live session uses it from its start and cannot change it later.
  public var isFixedAtStart = false
  /// The places that show it, besides those with all parameters of its group.
  public var places: Set<Place> = []
  /// Whether its text is a list, separated by spaces, that can also be given in pieces: `--keep 320,200 --keep 910,240`.
  public var isRepeatable = false

  /// A place that shows some parameters.
  public enum Place: String, Codable, Sendable, CaseIterable {
    /// The studio's photos.
    case photo
    /// The studio's controls for a photo's background.
    case photoBackground = "photo-background"
    /// The studio's controls with one value for all photos that should look alike.
    case alikePhotos = "alike-photos"
  }

  /// The values of a parameter.
  public enum Kind: Sendable, Equatable {
    /// A number in this range; the unit is empty for plain numbers, and whole numbers have no fractions.
    case number(ClosedRange<Double>, unit: String, isWhole: Bool)
    /// On or off.
    case toggle
    /// One of these.
    case choice([Choice])
    /// A colour.
    case color
    /// A file; the text describes its contents, such as "a picture".
    case file(String)
    /// A text; its form, such as `WIDTHxHEIGHT`, or empty for any text.
    case text(String)
  }

  /// A value among several.
  public struct Choice: Codable, Sendable, Equatable {
    /// Its name.
    public var name: String
    /// A short description.
    public var summary: String

    /// Makes a choice.
    public init(_ name: String, _ summary: String) { (self.name, self.summary) = (name, summary) }
  }

  /// Makes a parameter; it has a default, or is automatic, or both.
  public init(
    _ name: String, _ summary: String, _ kind: Kind, default value: ParameterValue?, automatic: String? = nil,
    group: ParameterGroup = .look
  ) {
    (self.name, title, self.summary, self.kind) = (name, Self.title(name), summary, kind)
    (self.default, self.automatic, self.group) = (value, automatic, group)
  }

  /// Makes a number of a look.
  public init(
    _ name: String, _ summary: String, unit: String, in range: ClosedRange<Double>, default value: Double,
    automatic: String? = nil
  ) {
    self.init(name, summary, .number(range, unit: unit, isWhole: false), default: .number(value), automatic: automatic)
  }
}

extension Parameter {
  /// A name in words: `light-wrap` is `Light wrap`.
  static func title(_ name: String) -> String {
    let words = name.split(separator: "-").map { $0 == "color" ? "colour" : String($0) }.joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

/// The group of a parameter: a section of a page, of documentation and of a list.
public enum ParameterGroup: String, Sendable, Codable, CaseIterable {
  /// The look's own.
  case look
  /// The source of mattes.
  case mattes
  /// The edge of a matte, and its softness.
  case edges
  /// The light on the subject.
  case light
  /// Depth, and maps made from it.
  case depth
  /// How a frame depends on earlier ones.
  case time
  case background
  /// The source of pictures.
  case camera
  /// The part of a video, and how to take it.
  case part
  /// The output of pictures.
  case output

  /// The heading of the group.
  public var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
