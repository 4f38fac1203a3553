import BackdropImaging

extension Look {
  /// The built-in look of that name or, if `name` ends in `.json` or is a pipe that is kept, the look in that file.
  ///
  /// - Throws: `wrongArgument` for an unknown name or a missing file, `badData` for a file without a valid look.
  public static func load(_ name: String) throws(BackdropError) -> Look {
    if let look = named(name) { return look }
    guard name.hasSuffix(".json") || InputPipes.serves(name) else {
      var hint = Hint.known(builtIn.map(\.id), insteadOf: name)
      hint.text += "; to use a look of your own, give a file that ends in .json"
      throw BackdropError(.wrongArgument, "there is no look '\(name)'", hint: hint)
    }
    let bytes = try InputFile.read(name, limit: 1 << 20)
    let look: Look
    let unknown: String?
    do {
      look = try JSONReader.decode(Look.self, from: bytes)
      unknown = surplus(
        in: try JSONReader.decode(JSONShape.self, from: bytes),
        over: try JSONReader.decode(JSONShape.self, from: JSONWriter().encode(look)))
    } catch {
      throw BackdropError(.badData, "this file is not a look (\(reason(error)))", path: name, hint: .startFromLook)
    }
    // Reject unknown keys: a misspelt "through" would draw the whole frame.
    if let unknown { throw BackdropError(.badData, "a look has no \(unknown)", path: name, hint: .compareLook) }
    do {
      try look.check()
    } catch {
      throw error.at(name)
    }
    return look
  }

  /// The first key of `given`, at any depth, that is missing in `known`.
  private static func surplus(in given: JSONShape, over known: JSONShape) -> String? {
    switch (given, known) {
    case (.object(let given), _):
      let known = if case .object(let known) = known { known } else { [String: JSONShape]() }
      for (key, value) in given.sorted(by: { $0.key < $1.key }) where !isNothing(value) {
        guard let counterpart = known[key] else { return "\"\(key)\"" }
        if let found = surplus(in: value, over: counterpart) { return found }
      }
    case (.list(let given), .list(let known)):
      return zip(given, known).lazy.compactMap { surplus(in: $0, over: $1) }.first
    default: break
    }
    return nil
  }

  /// Whether a value is an optional part that is left out.
  private static func isNothing(_ value: JSONShape) -> Bool {
    switch value {
    case .null: true
    case .list(let parts): parts.isEmpty
    case .object, .value: false
    }
  }

  private static func reason(_ error: any Error) -> String {
    func location(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "" : " in " + path.map(\.stringValue).joined(separator: ".")
    }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): return "\"\(key.stringValue)\" is missing" + location(context.codingPath)
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return context.debugDescription + location(context.codingPath)
    case .dataCorrupted(let context): return context.debugDescription + location(context.codingPath)
    default: return "unreadable"
    }
  }
}
