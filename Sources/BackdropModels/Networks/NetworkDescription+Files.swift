import BackdropImaging

extension NetworkDescription {
  /// Reads a JSON file; its model file is expected beside it.
  ///
  /// - Throws: `badData` for other data, an unknown key, or an impossible network.
  package static func load(_ path: String) throws(BackdropError) -> NetworkDescription {
    let bytes = try InputFile.read(path, limit: 1 << 20)
    func unlike(_ reason: String) -> BackdropError {
      BackdropError(.badData, "this file does not describe a network: \(reason)", path: path, hint: keysHint)
    }
    var result: NetworkDescription
    do {
      // A misspelt key would otherwise mean its default.
      if let surplus = try surplus(in: JSONReader.decode(JSONShape.self, from: bytes)) {
        throw unlike("it has no \(surplus)")
      }
      result = try JSONReader.decode(NetworkDescription.self, from: bytes)
    } catch {
      throw error as? BackdropError ?? unlike(reason(error))
    }
    guard result.sizes.count <= 64,
      result.sizes.allSatisfy({ (1...8192).contains($0.width) && (1...8192).contains($0.height) }),
      result.states.values.allSatisfy({ (1...8192).contains($0.channels) && (1...8192).contains($0.divisor) }),
      result.mean.count == 3,
      result.std.count == 3, result.std.allSatisfy({ $0.isFinite && $0 != 0 }), result.mean.allSatisfy(\.isFinite)
    else {
      throw BackdropError(
        .badData, "the description's sizes, states, mean or std are impossible", path: path,
        hint: "use 1…8192 for width, height, channels and divisor, and three numbers for mean and std, std not 0")
    }
    if !result.file.hasPrefix("/") {
      result.file = FilePath.resolved(FileName(path).folder) + "/" + result.file
    }
    return result
  }

  private static let keysHint =
    "it is JSON with \"file\", \"width\" and \"height\"; it may have "
    + CodingKeys.allCases.map(\.rawValue).filter { !["file", "width", "height"].contains($0) }.joined(separator: ", ")

  private static func surplus(in root: JSONShape) -> String? {
    guard case .object(let parts) = root else { return nil }
    return parts.keys.sorted().first { CodingKeys(rawValue: $0) == nil }.map { "\"\($0.prefix(40))\"" }
  }

  /// A decoder's error, with its key.
  private static func reason(_ error: any Error) -> String {
    func key(_ context: DecodingError.Context) -> String {
      context.codingPath.isEmpty ? "it" : "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\""
    }
    switch error as? DecodingError {
    case .keyNotFound(let missing, let context):
      let location = context.codingPath.isEmpty ? "" : " in \(key(context))"
      return "\"\(missing.stringValue)\" is missing\(location)"
    case .typeMismatch(let type, let context):
      return "\(key(context)) is not \(name(of: type))"
    case .valueNotFound(_, let context): return "\(key(context)) has no value"
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return "\(key(context)) has an unknown value"
    default: return "this is not JSON"
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Int.Type: "a whole number"
    case is Float.Type, is Double.Type: "a number"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: "a value of the right kind"
    }
  }
}
