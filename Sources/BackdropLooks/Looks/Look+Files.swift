import BackdropImaging
import Foundation

extension Look {
  /// The built-in look of that name or, where `name` ends in `.json`, the look in that file.
  ///
  /// - Throws: `wrongArgument` for an unknown name or a missing file, `badData` for a file that holds no sound look.
  public static func load(_ name: String) throws(BackdropError) -> Look {
    if let look = named(name) { return look }
    guard name.hasSuffix(".json") else {
      throw BackdropError(
        .wrongArgument, "there is no look '\(name)'",
        hint: "there are \(builtIn.map(\.id).joined(separator: ", ")); a look of your own is a file that ends in .json")
    }
    let bytes = try InputFile.read(name, limit: 1 << 20)
    let look: Look
    let unknown: String?
    do {
      look = try JSONDecoder().decode(Look.self, from: Data(bytes))
      unknown = surplus(
        in: try JSONSerialization.jsonObject(with: Data(bytes)),
        over: try JSONSerialization.jsonObject(with: JSONEncoder().encode(look)))
    } catch {
      throw BackdropError(
        .badData, "this is not a look (\(Look.reason(error)))", path: name,
        hint: .startFromLook)
    }
    // A misspelt "through" would otherwise draw the whole room.
    if let unknown {
      throw BackdropError(
        .badData, "a look has no \(unknown)", path: name, hint: .compareLook)
    }
    do {
      try look.check()
    } catch {
      throw error.at(name)
    }
    return look
  }

  /// The first key of `given`, at any depth, that `known` does not have.
  private static func surplus(in given: Any, over known: Any?) -> String? {
    if let given = given as? [String: Any] {
      let known = known as? [String: Any] ?? [:]
      for (key, value) in given.sorted(by: { $0.key < $1.key }) where !isNothing(value) {
        guard let counterpart = known[key] else { return "\"\(key)\"" }
        if let found = surplus(in: value, over: counterpart) { return found }
      }
    } else if let given = given as? [Any], let known = known as? [Any] {
      for (value, counterpart) in zip(given, known) {
        if let found = surplus(in: value, over: counterpart) { return found }
      }
    }
    return nil
  }

  /// What may be left out as well.
  private static func isNothing(_ value: Any) -> Bool { value is NSNull || (value as? [Any])?.isEmpty == true }

  private static func reason(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "" : " in " + path.map(\.stringValue).joined(separator: ".")
    }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): return "\"\(key.stringValue)\" is missing" + place(context.codingPath)
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return context.debugDescription + place(context.codingPath)
    case .dataCorrupted(let context): return context.debugDescription + place(context.codingPath)
    default: return "unreadable"
    }
  }
}
