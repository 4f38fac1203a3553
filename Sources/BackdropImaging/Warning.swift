/// A warning or note that did not stop the work: one line, and a hint.
public struct Warning: Sendable, Hashable, CustomStringConvertible {
  /// The event, in one line.
  public var text: String
  /// The hint.
  public var hint: Hint?

  /// A warning of that text.
  public init(_ text: String, hint: Hint? = nil) { (self.text, self.hint) = (text, hint) }

  /// A warning from an error, with the path last.
  public init(_ error: BackdropError) { self.init(error.description, hint: error.hint) }

  /// The whole warning in one line, with the program's wording of the hint.
  public func line(_ wording: (Hint) -> String = \.text) -> String {
    text + (hint.map { "; " + wording($0) } ?? "")
  }

  /// The whole warning in one line.
  public var description: String { line() }
}

extension Warning {
  /// Warnings for people: equal ones merged, with their count, and at most 20 lines, the last of which counts the rest.
  public static func folded(_ warnings: [Warning]) -> [Warning] {
    var (order, counts): ([Warning], [Warning: Int]) = ([], [:])
    for warning in warnings {
      if counts[warning] == nil { order.append(warning) }
      counts[warning, default: 0] += 1
    }
    let most = order.count > 20 ? 19 : 20
    var result = order.prefix(most).map { warning in
      let count = counts[warning, default: 1]
      return count == 1 ? warning : Warning("\(warning.text) (\(count) times)", hint: warning.hint)
    }
    if order.count > most { result.append("there are \(order.count - most) more warnings") }
    return result
  }
}

extension Warning: ExpressibleByStringInterpolation {
  /// A warning of that text.
  public init(stringLiteral text: String) { self.init(text) }
}

extension Warning: Codable {
  /// Reads the line.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the line, with the hint in the encoder's wording (``Hint/wordingKey``).
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    let wording = encoder.userInfo[Hint.wordingKey] as? Hint.Wording
    var container = encoder.singleValueContainer()
    try container.encode(line(wording ?? \.text))
  }
}
