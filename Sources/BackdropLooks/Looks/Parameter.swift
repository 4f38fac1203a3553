/// One thing about a look that a person can turn: what a flag, a slider and a line of documentation are made from.
public struct Parameter: Codable, Sendable, Equatable {
  /// The name, as in `--radius` and `"$radius"`: lower-case letters, digits and hyphens.
  public var name: String
  /// What it does, in one line.
  public var summary: String
  /// What it is counted in; empty for plain numbers.
  public var unit: String
  /// Smallest and largest value.
  public var minimum, maximum: Double
  /// The value unless one is given, or where ``automatic`` finds none.
  public var `default`: Double
  /// How the value is found in each scene unless one is given; `nil` for ``default``.
  public var automatic: Automatic?

  /// Where a value comes from that follows the scene.
  public enum Automatic: String, Codable, Sendable {
    /// The normalized disparity of what the picture is about.
    case subject
    /// The percentile that parts what is near from what is behind (``HistogramMask/separating(_:)``).
    case separation
  }

  /// Makes a parameter.
  public init(
    _ name: String, _ summary: String, unit: String, in range: ClosedRange<Double>, default value: Double,
    automatic: Automatic? = nil
  ) {
    self.name = name
    self.summary = summary
    self.unit = unit
    minimum = range.lowerBound
    maximum = range.upperBound
    self.default = value
    self.automatic = automatic
  }
}

/// A number in a look: fixed, or the value of one of the look's parameters, written `"$name"` in JSON.
public enum Value: Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Always this.
  case fixed(Double)
  /// Whatever that parameter is set to.
  case parameter(String)

  /// A fixed number.
  public init(floatLiteral value: Double) { self = .fixed(value) }
  /// A fixed number.
  public init(integerLiteral value: Int) { self = .fixed(Double(value)) }
}

extension Value: Codable {
  /// Reads a number or `"$name"`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      self = .fixed(number)
      return
    }
    let text = try container.decode(String.self)
    guard text.hasPrefix("$"), text.count > 1 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a number or \"$parameter\", found \"\(text)\"")
    }
    self = .parameter(String(text.dropFirst()))
  }

  /// Writes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .fixed(let number): try container.encode(number)
    case .parameter(let name): try container.encode("$" + name)
    }
  }
}
