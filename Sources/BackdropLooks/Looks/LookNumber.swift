/// A number in a look: fixed, or the value of one of the look's parameters, written `"$name"` in JSON.
public enum LookNumber: Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  case fixed(Double)
  case parameter(String)

  /// A fixed number.
  public init(floatLiteral value: Double) { self = .fixed(value) }
  /// A fixed number.
  public init(integerLiteral value: Int) { self = .fixed(Double(value)) }
}

extension LookNumber: Codable {
  /// Reads a number or `"$name"`.
  ///
  /// - Throws: `DecodingError` for other data.
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
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .fixed(let number): try container.encode(number)
    case .parameter(let name): try container.encode("$" + name)
    }
  }
}
