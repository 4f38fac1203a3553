/// A JSON value, for documents that are written in code.
enum JSONTree: Encodable, Sendable {
  case object([String: JSONTree])
  case list([JSONTree])
  case text(String)
  case number(Double)
  case toggle(Bool)

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let values): try container.encode(values)
    case .list(let values): try container.encode(values)
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .toggle(let isOn): try container.encode(isOn)
    }
  }

  /// The object with more fields; new values replace old ones.
  func merging(_ fields: [String: JSONTree]) -> JSONTree {
    guard case .object(let own) = self else { return self }
    return .object(own.merging(fields) { $1 })
  }
}

extension JSONTree: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral
{
  init(dictionaryLiteral elements: (String, JSONTree)...) { self = .object(Dictionary(uniqueKeysWithValues: elements)) }
  init(arrayLiteral elements: JSONTree...) { self = .list(elements) }
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .toggle(value) }
}
