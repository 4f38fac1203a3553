import BackdropImaging
import Libc

/// Files that appear in a folder together, when all are complete.
///
/// Writes files to a hidden folder inside; ``commit()`` moves them out. If that never happens, removes the hidden folder, and also the
/// folder if it was created here.
package final class StagedFolder {
  package let path: String
  private let staging: String
  private let overwrite: Bool
  private let madeFolder: Bool
  private var names: [String] = []
  private var isOpen = true

  /// Prepares the folder, creating it if only its last part is missing.
  ///
  /// - Throws: `wrongArgument` if `path` is a file or its parent is missing, `system` if it cannot be written to.
  package init(_ path: String, overwrite: Bool) throws(BackdropError) {
    let path = FileName.withoutSlashes(path)
    (self.path, self.overwrite) = (path, overwrite)
    let base = (path == "/" ? "" : path) + "/.backdrop-partial-\(getpid())"
    var madeFolder = false
    var attempt = 0
    while true {
      madeFolder = try Self.make(path) || madeFolder
      // A dead process with the same number may have left a folder of that name, which this process must not remove.
      let candidate = attempt == 0 ? base : "\(base)-\(attempt)"
      if FileCalls.makeFolder(candidate) == 0 {
        staging = candidate
        break
      }
      let code = errno
      attempt += 1
      // Another process that made the folder may have removed it.
      guard code == EEXIST || code == ENOENT, attempt < 100 else {
        if madeFolder { FileCalls.removeFolder(path) }
        throw BackdropError(.system, "Backdrop cannot write to the output folder (\(systemReason(code)))", path: path)
      }
    }
    self.madeFolder = madeFolder
  }

  /// Creates the folder if it is missing; returns whether it was.
  private static func make(_ path: String) throws(BackdropError) -> Bool {
    switch FileKind(path) {
    case .folder: return false
    case .file, .other:
      throw BackdropError(.wrongArgument, "the output folder is a file", path: path, hint: "choose another name")
    case .absent: break
    }
    if FileCalls.makeFolder(path) == 0 { return true }
    let code = errno
    // Another process made it first.
    guard code != EEXIST || FileKind(path) != .folder else { return false }
    let missing = code == ENOENT
    throw BackdropError(
      missing ? .wrongArgument : .system, "Backdrop cannot create the output folder (\(systemReason(code)))",
      path: path, hint: missing ? "create it first: mkdir -p '\(path)'" : nil)
  }

  deinit { discard() }

  /// Writes a file that will appear as `name` in the folder.
  ///
  /// - Throws: `wrongArgument` if the name is invalid, exists (and `overwrite` is false) or was given before; `system` if it cannot be
  ///   written.
  package func stage(_ name: String, _ bytes: Span<UInt8>) throws(BackdropError) {
    guard isOpen else { throw BackdropError(.wrongArgument, "the folder is already finished", path: path) }
    guard !name.isEmpty, name.utf8.first != UInt8(ascii: "."), !name.utf8.contains(UInt8(ascii: "/")),
      !name.unicodeScalars.contains("\0")
    else { throw BackdropError(.wrongArgument, "“\(name)” is not a plain file name", path: path) }
    try refuseExisting(name)
    guard FileKind(staging + "/" + name) == .absent else {
      throw BackdropError(.wrongArgument, "the file “\(name)” was written twice", path: path)
    }
    do { try OutputFile(staging + "/" + name, overwrite: false).write(bytes) } catch {
      var shown = error
      shown.path = path + "/" + name
      throw shown
    }
    names.append(name)
  }

  /// Moves all files into place.
  ///
  /// - Throws: `wrongArgument` if one of them exists by then (and none is moved), `system`.
  package func commit() throws(BackdropError) {
    guard isOpen else { return }
    try checkNames()
    var moved: [String] = []
    for name in names {
      guard move(name) else {
        let reason = systemReason()
        // Replaced files are lost; new ones can be removed.
        if !overwrite { for name in moved { FileCalls.removeFile(path + "/" + name) } }
        discard()
        try refuseExisting(name)
        throw BackdropError(
          .system, "Backdrop wrote a file but could not move it into place (\(reason))", path: path + "/" + name)
      }
      moved.append(name)
    }
    isOpen = false
    FileCalls.removeFolder(staging)
  }

  /// Removes the written files.
  package func discard() {
    guard isOpen else { return }
    isOpen = false
    for name in names { FileCalls.removeFile(staging + "/" + name) }
    FileCalls.removeFolder(staging)
    if madeFolder { FileCalls.removeFolder(path) }
  }

  private func move(_ name: String) -> Bool {
    let (from, to) = (staging + "/" + name, path + "/" + name)
    return (overwrite ? FileCalls.moveFile(from, to: to) : FileCalls.moveNewFile(from, to: to)) == 0
  }

  /// Refuses names that another program has taken meanwhile.
  package func checkNames() throws(BackdropError) { for name in names { try refuseExisting(name) } }

  private func refuseExisting(_ name: String) throws(BackdropError) {
    switch FileKind(path + "/" + name) {
    case .absent where overwrite || FileCalls.linkStatus(path + "/" + name) == nil: return
    case .file where overwrite: return
    case .folder: throw BackdropError(.wrongArgument, "the output is a folder", path: path + "/" + name)
    case .absent, .file, .other: throw OutputFile.exists(path + "/" + name)
    }
  }
}
