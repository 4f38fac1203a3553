/// A file system's identity of a file or folder, independent of its name.
package struct FileNumber: Hashable, Sendable {
  private let device: UInt64, number: UInt64

  /// `nil` if the file does not exist.
  package init?(_ path: String) {
    guard let info = FileCalls.status(path) else { return nil }
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
  }

  /// Whether both names lead to one existing file.
  package static func areSame(_ path: String, _ other: String) -> Bool {
    FileNumber(path).map { $0 == FileNumber(other) } ?? false
  }
}
