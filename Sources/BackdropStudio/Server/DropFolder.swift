import BackdropImaging
import Foundation
import Synchronization

/// A folder of the studio's own, for what was dropped on the page; it goes when the studio ends.
final class DropFolder: Sendable {
  let path: String
  private let count = Mutex(0)

  init() throws(BackdropError) {
    var template = Array((NSTemporaryDirectory() + "/backdrop-studio-XXXXXX").utf8CString)
    // Only its owner can look inside.
    guard let made = mkdtemp(&template) else {
      throw BackdropError(
        .system, "a temporary folder cannot be made (\(String(cString: strerror(errno))))",
        path: NSTemporaryDirectory(), hint: "set TMPDIR to a folder that can be written to")
    }
    path = String(cString: made)
  }

  /// A name that is not taken, with an ending of letters.
  func name(ending: String) -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let safe = ending.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(5)
    return path + "/\(number)." + (safe.isEmpty ? "bin" : String(safe))
  }

  /// Writes a file there.
  func write(_ data: Data, ending: String) throws(BackdropError) -> String {
    let name = name(ending: ending)
    do {
      try data.write(to: URL(fileURLWithPath: name))
    } catch {
      throw BackdropError(.system, "what was sent cannot be kept", path: path, hint: "free some space")
    }
    return name
  }

  /// Removes a file that is in it; one that is gone already is no matter.
  func remove(_ file: String) {
    guard file.hasPrefix(path + "/") else { return }
    unlink(file)
  }

  func remove() {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      // It is in the folder that systems clear by themselves.
    }
  }
}
