import BackdropImaging
import Foundation

/// The secret in the page's address: whoever has it may do everything.
///
/// It is kept in a file that only its owner can read, so that a bookmark, and a page that is open while the studio is started
/// anew, stay good.
public enum StudioToken {
  /// A new one: 128 bits.
  public static func random() -> String {
    var source = SystemRandomNumberGenerator()
    let digits = Array("abcdefghijkmnpqrstuvwxyz23456789")
    return String((0..<26).map { _ in digits[Int(source.next() % UInt64(digits.count))] })
  }

  /// Whether a text can be one: letters and digits, 20 to 64 of them.
  static func isPossible(_ text: String) -> Bool {
    (20...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || (65...90).contains($0) }
  }

  /// The one that is kept, or a new one that is kept from now on.
  ///
  /// - Parameter isNew: whether the one that is kept is given up.
  /// - Throws: `system` if it cannot be kept.
  public static func kept(in folder: String? = nil, isNew: Bool = false) throws(BackdropError) -> String {
    let folder = folder ?? stateFolder
    let path = folder + "/studio-token"
    if !isNew, FileKind(path) == .file {
      let text = String(decoding: try InputFile.read(path, limit: 4096), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      if isPossible(text) { return text }
    }
    let token = random()
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      // Made with its permissions, not given them afterwards.
      let temporary = path + ".\(getpid())"
      let made = FileManager.default.createFile(
        atPath: temporary, contents: Data((token + "\n").utf8), attributes: [.posixPermissions: 0o600])
      guard made, rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      throw BackdropError(
        .system, "the studio's token cannot be kept", path: path, hint: "make the folder, or set XDG_STATE_HOME")
    }
    return token
  }

  /// Where programs keep what is neither data nor settings (XDG Base Directory Specification).
  private static var stateFolder: String {
    let environment = ProcessInfo.processInfo.environment
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/backdrop" }
    return NSHomeDirectory() + "/.local/state/backdrop"
  }
}
