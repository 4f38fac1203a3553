/// JSON without its values, to find unknown keys in a file.
package indirect enum JSONShape: Decodable {
  case object([String: JSONShape])
  case list([JSONShape])
  case null
  /// A text, a number or a truth value.
  case value

  package init(from decoder: any Decoder) throws {
    // Decoders refuse containers of another kind, which reveals the kind.
    if let object = try? decoder.container(keyedBy: AnyKey.self) {
      var parts: [String: JSONShape] = [:]
      for key in object.allKeys { parts[key.stringValue] = try object.decode(JSONShape.self, forKey: key) }
      self = .object(parts)
    } else if var list = try? decoder.unkeyedContainer() {
      var parts: [JSONShape] = []
      while !list.isAtEnd { parts.append(try list.decode(JSONShape.self)) }
      self = .list(parts)
    } else {
      self = try decoder.singleValueContainer().decodeNil() ? .null : .value
    }
  }
}
