import BackdropImaging

extension Network {
  /// Opens a network that `backdrop models install` installs.
  ///
  /// - Parameters:
  ///   - file: the name of its model file.
  ///   - path: the model file; `nil` uses `file` in `store`.
  /// - Returns: the network, and its path.
  /// - Throws: `unsupported` without a runtime or the file; `badData` for an unreadable file.
  static func installed(
    _ file: String, path: String?, threads: Int, store: ModelStore
  ) throws(BackdropError) -> (network: Network, path: String) {
    // Report a missing runtime first: the same command installs both.
    _ = try NetworkRuntime.shared()
    let path = if let path { path } else { try store.installed(file) }
    return (try Network.load(path, threads: threads, store: store), path)
  }

  /// The error for a network of the wrong kind.
  ///
  /// - Parameter shapes: the expected shapes.
  func unlike(_ shapes: String, file: String, path: String) -> BackdropError {
    let found = (inputs + outputs).map { "\($0.shapeText) \($0.element)" }
    return BackdropError(
      .badData, "expected a network from \(shapes) in f32, found \(found.joined(separator: ", "))", path: path,
      hint: "give MediaPipe's \(file)")
  }
}

extension ModelStore {
  /// The path of a model that `backdrop models install` installs.
  ///
  /// - Throws: `unsupported` if it is missing.
  func installed(_ file: String) throws(BackdropError) -> String {
    if let path = path(of: file) { return path }
    throw BackdropError(.unsupported, "the model \(file) is not installed", hint: .installNetworks)
  }
}
