import Libc

/// A growing recording beside its own name, where people look for it, as `talk.partial.mp4` or, for a folder, `walk.partial`.
///
/// A lock protects it while it grows, and the system releases the lock when the process ends. An unfinished recording without a lock was
/// therefore left by a killed process: it is kept, and the next recording grows as `talk.partial-2.mp4`.
package struct PartialOutput {
  package let path: String
  /// The descriptor of the new file or folder; closing it releases the lock.
  package let descriptor: Int32

  /// Creates the file or folder for the growing recording `path`.
  ///
  /// - Throws: `wrongArgument` if another process records to `path`, `system` if it cannot be created.
  package static func claim(_ path: String, isFolder: Bool) throws(BackdropError) -> PartialOutput {
    var claimed: PartialOutput?
    for number in 1...999 {
      let candidate = marked(path, ".partial" + (number == 1 ? "" : "-\(number)"), isFolder: isFolder)
      if claimed == nil, let descriptor = try make(candidate, isFolder: isFolder, for: path) {
        claimed = PartialOutput(path: candidate, descriptor: descriptor)
        continue
      }
      // Higher numbers may exist after a lower one was removed.
      guard FileKind(candidate) != .absent else { break }
      guard !isLocked(candidate) else {
        claimed?.remove(isFolder: isFolder)
        throw BackdropError(
          .wrongArgument, "another recording is writing to this place", path: path, hint: "choose another name")
      }
    }
    guard let claimed else {
      throw BackdropError(
        .system, "too many unfinished recordings have this name", path: path, hint: "move or delete them")
    }
    return claimed
  }

  /// The path with a mark before the extension.
  private static func marked(_ path: String, _ mark: String, isFolder: Bool) -> String {
    let name = FileName(path)
    let (stem, fileExtension) =
      isFolder || name.writtenExtension.isEmpty ? (name.whole, "") : (name.stem, "." + name.writtenExtension)
    return FileName.before(path) + FileName.fitting("", stem, mark + fileExtension, in: name.folder)
  }

  /// Creates and locks it; `nil` if the name is taken.
  private static func make(_ path: String, isFolder: Bool, for output: String) throws(BackdropError) -> Int32? {
    var descriptor: Int32 = -1
    if !isFolder {
      descriptor = FileCalls.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    } else if FileCalls.makeFolder(path) == 0 {
      descriptor = FileCalls.openFile(path, O_RDONLY | O_DIRECTORY)
      if descriptor < 0 {
        let code = errno
        FileCalls.removeFolder(path)
        errno = code
      }
    }
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw BackdropError(.system, "Backdrop cannot write the output (\(systemReason()))", path: output)
    }
    // Other processes hold it only briefly, to check. On file systems without locks nothing is refused.
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
    return descriptor
  }

  private static func isLocked(_ path: String) -> Bool {
    let descriptor = FileCalls.openFile(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private func remove(isFolder: Bool) {
    if isFolder { FileCalls.removeFolder(path) } else { FileCalls.removeFile(path) }
    close(descriptor)
  }

  /// Moves a finished recording from `partial` to `path`, or, if that is taken, to a name with a number: `talk-2.mp4`. Returns its path;
  /// `nil`, with the reason in `errno`, if the move failed.
  package static func move(_ partial: String, to path: String, isFolder: Bool) -> String? {
    for number in 1..<10_000 {
      let candidate = number == 1 ? path : marked(path, "-\(number)", isFolder: isFolder)
      if !isFolder {
        if FileCalls.moveNewFile(partial, to: candidate) == 0 { return candidate }
        guard errno == EEXIST else { return nil }
        continue
      }
      // For a folder, the system replaces only an empty one.
      if FileCalls.moveFile(partial, to: candidate) == 0 { return candidate }
      guard errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR else { return nil }
    }
    return nil
  }
}
