/// One thing that a person can turn, of a look or of the engine: what a flag, a slider, a setting and a line of documentation
/// are made from.
public struct Parameter: Sendable, Equatable {
  /// The name, as in `--radius`, `"radius": 8` and `"$radius"`: lower-case letters, digits and hyphens.
  public var name: String
  /// Its label, such as `Edge shift`; by default its name in words.
  public var title: String
  /// Its description, in one line without a full stop.
  public var summary: String
  /// Which values it takes.
  public var kind: Kind
  /// The value unless another is set; `nil` where only the engine can tell, as ``automatic`` says.
  public var `default`: ParameterValue?
  /// What the engine takes unless a value is set, in a few words: `subject` for a focus that follows the subject; `nil`
  /// for parameters that are simply at their default.
  public var automatic: String?
  /// Its group.
  public var group: ParameterGroup
  /// Whether a live session takes it from its start on and cannot change it while it runs.
  public var isFixedAtStart: Bool
  /// Where it is shown beside the places that show all parameters of its group.
  public var places: Set<Place> = []
  /// Whether its text is a list, with spaces between, that may also be given in pieces: `--keep 320,200 --keep 910,240`.
  public var isRepeatable = false

  /// A place that shows some parameters.
  public enum Place: String, Codable, Sendable, CaseIterable {
    /// The studio's photos.
    case photo
    /// With a photo's background there.
    case photoBackground = "photo-background"
    /// Photos that are to look alike have one value of it.
    case alikePhotos = "alike-photos"
  }

  /// Which values a parameter takes.
  public enum Kind: Sendable, Equatable {
    /// A number of this range; the unit is empty for plain numbers, and whole numbers have no fractions.
    case number(ClosedRange<Double>, unit: String, isWhole: Bool)
    /// On or off.
    case toggle
    /// One of these.
    case choice([Choice])
    /// A colour.
    case color
    /// A file; the text says of what, as in "a picture".
    case file(String)
    /// A text; its form, such as `WIDTHxHEIGHT`, or empty where any will do.
    case text(String)
  }

  /// A value among several.
  public struct Choice: Codable, Sendable, Equatable {
    /// Its name.
    public var name: String
    /// A short description.
    public var summary: String

    /// Makes a choice.
    public init(_ name: String, _ summary: String) {
      self.name = name
      self.summary = summary
    }
  }

  /// Makes a parameter; it has a default, or is automatic, or both.
  public init(
    _ name: String, _ summary: String, _ kind: Kind, default value: ParameterValue?, automatic: String? = nil,
    group: ParameterGroup = .look, isFixedAtStart: Bool = false
  ) {
    self.name = name
    title = Self.title(name)
    self.summary = summary
    self.kind = kind
    self.default = value
    self.automatic = automatic
    self.group = group
    self.isFixedAtStart = isFixedAtStart
  }

  /// Makes a number of a look.
  public init(
    _ name: String, _ summary: String, unit: String, in range: ClosedRange<Double>, default value: Double,
    automatic: String? = nil
  ) {
    self.init(
      name, summary, .number(range, unit: unit, isWhole: false), default: .number(value), automatic: automatic)
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
  /// Where a matte ends, and how softly.
  case edges
  /// The light on the subject.
  case light
  /// Depth, and what is made from it.
  case depth
  /// How one frame follows from those before.
  case time
  /// The background.
  case background
  /// Where pictures come from.
  case camera
  /// Which part of a video is taken, and how.
  case part
  /// Where pictures go.
  case output

  /// The heading above them.
  public var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
