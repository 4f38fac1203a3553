import Libc

/// Where a recording grows: beside its own name, where people look for it, as `talk.partial.mp4` or, for a folder, `walk.partial`.
///
/// It is locked while it grows, and a lock ends with its process, however that ends. So an unfinished recording without a lock was
/// left by a process that was killed: it is kept, and the next one grows as `talk.partial-2.mp4`.
package struct PartialPlace {
  package let path: String
  /// Of the file, which is new, or of the folder; whoever closes it gives the lock up.
  package let descriptor: Int32

  /// Makes the file or folder in which the recording `path` is to grow.
  ///
  /// - Throws: `wrongArgument` if another process records to `path`, `system` if it cannot be made.
  package static func claim(_ path: String, isFolder: Bool) throws(BackdropError) -> PartialPlace {
    var claimed: PartialPlace?
    for number in 1...999 {
      let candidate = name(path, number, isFolder: isFolder)
      if claimed == nil, let descriptor = try make(candidate, isFolder: isFolder, for: path) {
        claimed = PartialPlace(path: candidate, descriptor: descriptor)
        continue
      }
      // Numbers behind the own one may have been given before one was removed.
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

  private static func name(_ path: String, _ number: Int, isFolder: Bool) -> String {
    let name = FileName(path)
    let mark = ".partial" + (number == 1 ? "" : "-\(number)")
    let (stem, ending) =
      isFolder || name.writtenEnding.isEmpty ? (name.whole, "") : (name.stem, "." + name.writtenEnding)
    return FileName.before(path) + FileName.fitting("", stem, mark + ending, in: name.folder)
  }

  /// Makes and locks it; `nil` if the name is taken.
  private static func make(_ path: String, isFolder: Bool, for output: String) throws(BackdropError) -> Int32? {
    var descriptor: Int32 = -1
    if !isFolder {
      descriptor = FileCalls.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    } else if FileCalls.makeFolder(path) == 0 {
      descriptor = FileCalls.openFile(path, O_RDONLY | O_DIRECTORY)
    }
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw BackdropError(
        .system, "Backdrop cannot write the output (\(String(cString: strerror(errno))))", path: output)
    }
    // Others hold it for a moment at most, to look. Some file systems have no locks; nobody is refused there.
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

  /// Moves a finished recording from `place` to `path`, or, where that is taken, to one with a number: `talk-2.mp4`.
  ///
  /// - Returns: where it is; `nil`, with the reason in `errno`, if it is still in its place.
  package static func move(_ place: String, to path: String, isFolder: Bool) -> String? {
    let name = FileName(path)
    let (stem, ending) =
      isFolder || name.writtenEnding.isEmpty ? (name.whole, "") : (name.stem, "." + name.writtenEnding)
    for number in 1..<10_000 {
      let candidate =
        number == 1 ? path : FileName.before(path) + FileName.fitting("", stem, "-\(number)" + ending, in: name.folder)
      if !isFolder {
        // A file that appears this very moment is not replaced: link() fails where rename() would not.
        if FileCalls.linkFile(place, to: candidate) == 0 {
          FileCalls.removeFile(place)
          return candidate
        }
        // Some file systems have no links.
        if errno == EEXIST || FileCalls.linkStatus(candidate) != nil { continue }
      }
      // For a folder the system replaces an empty one and nothing else.
      if FileCalls.moveFile(place, to: candidate) == 0 { return candidate }
      guard errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR else { return nil }
    }
    return nil
  }
}
