import CBackdropKernels
import Libc

/// The system calls that take file names.
///
/// No other file makes these calls, since the system must get a name's own bytes (``FilePath``), not the UTF-8 of its text. Returned
/// numbers, and `errno`, are the system's.
package enum FileCalls {
  /// `open`; the mode applies to a new file.
  package static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0o666) -> Int32 {
    FilePath.withBytes(path) { open($0, flags | O_CLOEXEC, mode) }
  }

  /// `stat`; `nil` if the file does not exist or `stat` fails.
  package static func status(_ path: String) -> stat? {
    var info = stat()
    return FilePath.withBytes(path) { stat($0, &info) } == 0 ? info : nil
  }

  /// `lstat`: the status of a link itself.
  package static func linkStatus(_ path: String) -> stat? {
    var info = stat()
    return FilePath.withBytes(path) { lstat($0, &info) } == 0 ? info : nil
  }

  /// `rename`: replaces a file of the new name.
  package static func moveFile(_ path: String, to other: String) -> Int32 {
    FilePath.withBytes(path) { from in FilePath.withBytes(other) { rename(from, $0) } }
  }

  /// `renameat2` with `RENAME_EXCHANGE`: swaps the files of two names; -1 if the system does not support it.
  package static func exchange(_ path: String, _ other: String) -> Int32 {
    FilePath.withBytes(path) { from in FilePath.withBytes(other) { bd_exchange(from, $0) } }
  }

  /// Moves a file to a name that must be free; fails with `EEXIST` if it is taken, also since a moment ago.
  package static func moveNewFile(_ path: String, to other: String) -> Int32 {
    if FilePath.withBytes(path, { from in FilePath.withBytes(other) { bd_rename_new(from, $0) } }) == 0 { return 0 }
    guard errno != EEXIST else { return -1 }
    // Some systems and file systems do not know that call, and some have no links.
    if FilePath.withBytes(path, { from in FilePath.withBytes(other) { link(from, $0) } }) == 0 {
      removeFile(path)
      return 0
    }
    guard errno != EEXIST, linkStatus(other) == nil else {
      errno = EEXIST
      return -1
    }
    return moveFile(path, to: other)
  }

  @discardableResult package static func removeFile(_ path: String) -> Int32 { FilePath.withBytes(path) { unlink($0) } }

  package static func makeFolder(_ path: String, mode: mode_t = 0o777) -> Int32 {
    FilePath.withBytes(path) { mkdir($0, mode) }
  }

  /// `rmdir`: removes an empty folder.
  @discardableResult package static func removeFolder(_ path: String) -> Int32 {
    FilePath.withBytes(path) { rmdir($0) }
  }

  package static func mayWrite(_ folder: String) -> Bool { FilePath.withBytes(folder) { access($0, W_OK) } == 0 }

  package static func mayRun(_ path: String) -> Bool {
    guard let info = status(path), info.st_mode & S_IFMT == S_IFREG else { return false }
    return FilePath.withBytes(path) { access($0, X_OK) } == 0
  }

  /// `realpath`; `nil` for a missing file.
  package static func realPath(_ path: String) -> String? {
    guard let resolved = FilePath.withBytes(path, { realpath($0, nil) }) else { return nil }
    defer { free(resolved) }
    return FilePath.text(resolved)
  }

  /// The maximum number of bytes in a folder's file names.
  package static func longestName(in folder: String) -> Int {
    let most = FilePath.withBytes(folder) { pathconf($0, Int32(_PC_NAME_MAX)) }
    return most > 0 ? most : 255
  }

  /// The names in a folder; `nil` if it cannot be listed.
  static func names(in folder: String) -> [String]? {
    guard let entries = FilePath.withBytes(folder, { opendir($0) }) else { return nil }
    defer { closedir(entries) }
    var result: [String] = []
    while let entry = readdir(entries) {
      // A long name extends past its declared field.
      let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!  // It is a stored property.
      result.append(FilePath.text(name.assumingMemoryBound(to: CChar.self)))
    }
    return result
  }
}
