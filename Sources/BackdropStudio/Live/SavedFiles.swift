import BackdropImaging
import Synchronization

/// Snapshots and recordings requested by pages. Pages can fetch only names that the studio chose itself.
final class SavedFiles: Sendable {
  private let folder: String
  private let paths = Mutex<[String: String]>([:])

  init(folder: String) { self.folder = folder }

  /// An unused name with the current time.
  func name(fileExtension: String) -> String {
    let stem = folder + "/backdrop-" + LocalTime.stamp
    var path = stem + "." + fileExtension
    for number in 2..<100 where FileKind(path) != .absent { path = "\(stem)-\(number).\(fileExtension)" }
    return path
  }

  func add(_ path: String) { paths.withLock { $0[FileName(path).whole] = path } }

  var names: [String] { paths.withLock { $0.keys.sorted() } }

  func path(_ title: String) -> String? { paths.withLock { $0[title] } }
}
