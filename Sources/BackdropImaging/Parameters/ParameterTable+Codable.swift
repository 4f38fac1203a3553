extension ParameterTable {
  /// Writes the set values as an object of names and values.
  package func encode(_ root: Root, to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: AnyKey.self)
    for (name, value) in values(of: root) { try object.encode(value, forKey: AnyKey(stringValue: name)) }
  }

  /// Sets the values of an object, in the form of ``encode(_:to:)``; missing and `null` values get their defaults.
  ///
  /// - Parameter others: names in the object that belong to other readers.
  /// - Throws: `badData` for an unknown name, or an invalid value.
  package func decode(from decoder: any Decoder, besides others: [String] = []) throws -> Root {
    var root = Root()
    let object = try decoder.container(keyedBy: AnyKey.self)
    for key in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) where !others.contains(key.stringValue) {
      let name = key.stringValue
      guard self[name] != nil else {
        throw BackdropError(
          .badData, "Backdrop has no setting '\(name)'", hint: .known(parameters.map(\.name) + others, insteadOf: name))
      }
      do {
        try set(name, to: try object.decodeIfPresent(ParameterValue.self, forKey: key), in: &root)
      } catch let error as BackdropError {
        throw BackdropError(.badData, error.message, hint: error.hint)
      } catch {
        throw BackdropError(
          .badData, "\(name) is not a number, true, false or a text", hint: "remove it to use the default")
      }
    }
    return root
  }
}
