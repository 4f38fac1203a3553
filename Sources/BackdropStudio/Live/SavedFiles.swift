import BackdropImaging
import Synchronization

/// Snapshots and recordings requested by pages. Pages can fetch only names that the studio chose itself.
final class SavedFiles: Sendable {
  private let folder: String
  private let paths = Mutex<[String: String]>([:])

  init(folder: String) { self.folder = folder }

  /// An unused name with the current time.
  func name(fileExtension: String) -> String {
    folder + "/"
      + Self.unused("backdrop-\(LocalTime.stamp).\(fileExtension)") { FileKind(folder + "/" + $0) != .absent }
  }

  /// The name itself if it is not taken, else one with a number before its extension.
  static func unused(_ name: String, _ isTaken: (String) -> Bool) -> String {
    guard isTaken(name) else { return name }
    let stem = name.prefix { $0 != "." }
    let fileExtension = name.dropFirst(stem.count)
    return (2...10_000).lazy.map { "\(stem)-\($0)\(fileExtension)" }.first { !isTaken($0) } ?? name
  }

  func add(_ path: String) { paths.withLock { $0[FileName(path).whole] = path } }

  var names: [String] { paths.withLock { $0.keys.sorted() } }

  func path(_ title: String) -> String? { paths.withLock { $0[title] } }
}
