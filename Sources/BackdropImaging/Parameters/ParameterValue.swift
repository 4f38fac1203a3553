/// The value of a parameter. In JSON it is a number, `true` or `false`, or a string.
public enum ParameterValue: Sendable, Hashable {
  /// A number, in the parameter's unit.
  case number(Double)
  /// On or off.
  case toggle(Bool)
  /// The name of a choice, a colour as `#RRGGBB`, a path, or any other text.
  case text(String)

  /// The number, if it is one.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }
  /// Whether it is on, if it is on or off.
  public var isOn: Bool? { if case .toggle(let isOn) = self { isOn } else { nil } }
  /// The text, if it is one.
  public var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension ParameterValue: CustomStringConvertible {
  /// The notation for people: `8`, `on`, `#00FF00`. ``Parameter/value(parsing:)`` reads it.
  public var description: String {
    switch self {
    case .number(let number): brief(number)
    case .toggle(let isOn): isOn ? "on" : "off"
    case .text(let text): text
    }
  }
}

extension ParameterValue: Codable {
  /// Reads a number, a truth value or a string.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let isOn = try? container.decode(Bool.self) {
      self = .toggle(isOn)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  /// Writes what ``init(from:)`` reads.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .toggle(let isOn): try container.encode(isOn)
    case .text(let text): try container.encode(text)
    }
  }
}

extension ParameterValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByStringLiteral
{
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// A number.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  /// On or off.
  public init(booleanLiteral value: Bool) { self = .toggle(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
}

/// A number in its usual notation: `5`, not `5.0`.
package func brief(_ number: Double) -> String {
  number == number.rounded() && abs(number) < 1e9 ? String(Int(number)) : String(number)
}
