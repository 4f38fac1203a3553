import Backdrop

/// The file with a user's settings of live sessions.
///
/// It is a JSON object with the fields of ``LiveSettings``; missing fields have their defaults.
package enum LiveConfiguration {
  /// Its path: `$XDG_CONFIG_HOME/backdrop/live.json`, by default under `~/.config`.
  package static var path: String {
    ProcessEnvironment.baseFolder("XDG_CONFIG_HOME", usual: ".config") + "/backdrop/live.json"
  }

  /// The settings in a file; the defaults if there is none.
  package static func load(_ path: String = path) throws(BackdropError) -> LiveSettings {
    guard FileKind(path) != .absent else { return LiveSettings() }
    let bytes = try InputFile.read(path, limit: 1 << 20)
    func bad(_ what: String, _ hint: String) -> BackdropError { BackdropError(.badData, what, path: path, hint: hint) }
    let shape: JSONShape = try JSONReader.decode(
      bytes, failure: bad("the settings file is not JSON", "correct the file, or delete it to use the defaults"))
    guard case .object = shape else {
      throw bad("the settings file is not a JSON object", "write {} for the defaults")
    }
    do {
      let settings = try JSONReader.decode(LiveSettings.self, from: bytes)
      try settings.check(try Look.load(settings.look))
      return settings
    } catch let error as BackdropError {
      throw error.at(path)
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context)
    {
      let field = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw bad("the setting '\(field)' has a value of the wrong kind", "correct it, or remove it to use the default")
    } catch {
      throw bad("Backdrop cannot read the settings file", "correct the file, or delete it to use the defaults")
    }
  }

  /// Writes settings, readable only by their owner, and replaces the whole file.
  package static func save(_ settings: LiveSettings, to path: String = path) throws(BackdropError) {
    let bytes: [UInt8]
    do {
      bytes = try JSONWriter(isPretty: true).encode(settings) + [10]
    } catch {
      throw BackdropError(.system, "Backdrop cannot write the settings (\(error))", path: path)
    }
    try Folder.make(FileName(path).folder)
    try OutputFile(path, overwrite: true, permissions: 0o600).write(bytes.span)
  }
}
