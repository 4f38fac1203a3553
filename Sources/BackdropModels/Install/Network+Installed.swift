import BackdropImaging

extension Network {
  /// Opens a network that `backdrop models install` installs, by the name of its model file.
  ///
  /// - Throws: `unsupported` without a runtime or the file; `badData` for an unreadable file.
  static func installed(_ file: String, threads: Int, store: ModelStore) throws(BackdropError) -> Network {
    // Report a missing runtime first: the same command installs both.
    _ = try NetworkRuntime.shared()
    return try Network.load(try store.installed(file), Form(threads: threads), store: store)
  }

  /// The error for a network of the wrong kind, with the expected shapes.
  func unlike(_ shapes: String, file: String, _ store: ModelStore) -> BackdropError {
    let found = (inputs + outputs).map { "\($0.shapeText) \($0.element)" }
    return BackdropError(
      .badData, "expected a network from \(shapes) in f32, found \(found.joined(separator: ", "))",
      path: store.path(of: file), hint: "give MediaPipe's \(file)")
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
