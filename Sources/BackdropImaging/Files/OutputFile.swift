import Libc

/// A file that appears under its name only when it is complete.
///
/// Write to ``temporaryPath`` (same folder, same extension), then ``commit()``. If that never happens, by an error, an
/// interruption or because the value went away, the temporary file is removed and the name is untouched.
///
/// A growing file is one of which every part is worth keeping, as of a recording: it lies beside its name (`PartialPlace`), is
/// moved there whatever ends it, and gets a number where the name is taken by then.
public final class OutputFile {
  /// Where the file will be; of a growing file, where it is once it is finished.
  public private(set) var path: String
  /// Where to write now; of a growing file known once it is begun.
  public private(set) var temporaryPath: String
  /// Whether what was written stays, whatever happens.
  package let isGrowing: Bool
  /// Whether a growing file holds something that can be used; without, it is removed as any other.
  package var isWorthKeeping = false
  /// Whether the file is there under ``path``.
  package private(set) var isInPlace = false
  private let overwrite: Bool
  private let permissions: mode_t
  private var descriptor: Int32?
  private var hasBegun = false
  private var isOpen = true

  /// Checks that `path` can be written and picks a temporary name; creates nothing.
  ///
  /// - Parameters:
  ///   - path: the name of the file.
  ///   - overwrite: whether a file that exists may be replaced.
  ///   - permissions: who may read and write the file, less what the process's mask takes from it.
  /// - Throws: `wrongArgument` if the file exists and `overwrite` is false, if it is a folder, if its name is too long, or if its
  ///   folder is missing or not writable.
  public convenience init(_ path: String, overwrite: Bool, permissions: mode_t = 0o666) throws(BackdropError) {
    try self.init(path, overwrite: overwrite, growing: false, permissions: permissions)
  }

  package init(_ path: String, overwrite: Bool, growing: Bool, permissions: mode_t = 0o666) throws(BackdropError) {
    self.permissions = permissions
    self.path = path
    self.overwrite = overwrite
    isGrowing = growing
    let parts = FileName(path)
    let folder = parts.folder
    let name = path.utf8.last == UInt8(ascii: "/") ? "" : parts.whole
    guard !name.isEmpty else {
      throw BackdropError(.wrongArgument, "the output has no file name", path: path, hint: "name a file")
    }
    guard FileKind(folder) == .absent || FileKind(folder) == .folder else {
      throw BackdropError(
        .wrongArgument, "the output folder is a file", path: folder, hint: "choose another name")
    }
    guard FileKind(folder) == .folder else {
      throw BackdropError(
        .wrongArgument, "the output folder does not exist", path: folder, hint: "create it first: mkdir -p '\(folder)'")
    }
    guard FileCalls.mayWrite(folder) else {
      throw BackdropError(
        .system, "you may not write to the output folder", path: folder, hint: "choose another folder")
    }
    let most = FileCalls.longestName(in: folder)
    guard FilePath.bytes(name).count <= most else {
      throw BackdropError(
        .wrongArgument, "the output's name is longer than \(most) bytes", path: path, hint: "choose a shorter one")
    }
    switch FileKind(path) {
    case .folder:
      throw BackdropError(.wrongArgument, "the output is a folder", path: path, hint: "give a file name inside it")
    case .file where !overwrite:
      throw BackdropError(.wrongArgument, "the output already exists", path: path, hint: .replaceOutput)
    case .other:
      throw BackdropError(
        .wrongArgument, "the output is a device or a pipe, not a file", path: path,
        hint: "give a file name, or - for a pipe")
    case .file, .absent: break
    }
    // What is so long is no extension.
    let dot = (1...16).contains(parts.writtenEnding.utf8.count) ? "." + parts.writtenEnding : ""
    // Not to be guessed, and another one for each writer of the same file.
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    temporaryPath = folder + "/" + FileName.fitting(".", name, ".partial-\(getpid())-\(mark)\(dot)", in: folder)
  }

  deinit { abandon() }

  /// Makes the temporary file, unless that is done; ``commit()``, ``abandon()`` and ``discard()`` close it.
  ///
  /// - Throws: `system` if it cannot be made; `wrongArgument` if it grows, and another process records to its name.
  package func begin() throws(BackdropError) -> FileDescriptor {
    if let descriptor { return FileDescriptor(descriptor) }
    let number: Int32
    if isGrowing {
      let place = try PartialPlace.claim(path, isFolder: false)
      (temporaryPath, number) = (place.path, place.descriptor)
    } else {
      number = FileCalls.openFile(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: permissions)
      guard number >= 0 else { throw failure(errno) }
    }
    (descriptor, hasBegun) = (number, true)
    return FileDescriptor(number)
  }

  /// Moves the finished file into place.
  ///
  /// - Throws: `system` if it could not be written or moved.
  public func commit() throws(BackdropError) {
    guard isOpen else { return }
    let code = closeFile()
    guard code == 0 else {
      abandon()
      throw failure(code)
    }
    guard moveIntoPlace() else {
      let reason = String(cString: strerror(errno))
      let place = isGrowing ? temporaryPath : path
      if !isGrowing { discard() }
      isOpen = false
      throw BackdropError(
        .system, "Backdrop wrote the output but could not move it into place (\(reason))", path: place)
    }
    isOpen = false
  }

  private func moveIntoPlace() -> Bool {
    if isGrowing && !overwrite {
      guard let place = PartialPlace.move(temporaryPath, to: path, isFolder: false) else { return false }
      path = place
      isInPlace = true
      return true
    }
    // Without --force a file that appeared meanwhile is not replaced: link() fails where rename() would not.
    isInPlace =
      overwrite
      ? FileCalls.moveFile(temporaryPath, to: path) == 0
      : FileCalls.linkFile(temporaryPath, to: path) == 0 && FileCalls.removeFile(temporaryPath) == 0
    if !isInPlace && !overwrite && errno != EEXIST { isInPlace = FileCalls.moveFile(temporaryPath, to: path) == 0 }
    return isInPlace
  }

  /// Ends a file that will not be complete: one that grows is moved into place as far as it got, any other is removed.
  package func abandon() {
    guard isOpen else { return }
    guard isGrowing && isWorthKeeping else { return discard() }
    _ = closeFile()
    // Where it cannot be moved it is still in its temporary place, and that is said where it began.
    _ = moveIntoPlace()
    isOpen = false
  }

  /// Removes what was written so far.
  public func discard() {
    guard isOpen else { return }
    isOpen = false
    // Until it is begun, a growing file's name is nobody's, or another's.
    if hasBegun || !isGrowing { FileCalls.removeFile(temporaryPath) }
    _ = closeFile()
  }

  /// Takes away what was written last, of a file that is open.
  package func cut(to byteCount: Int) {
    guard let descriptor else { return }
    // A file that cannot be made shorter keeps what nobody can use.
    _ = ftruncate(descriptor, off_t(byteCount))
    lseek(descriptor, off_t(byteCount), SEEK_SET)
  }

  /// Writes `bytes` as the whole file and commits it.
  ///
  /// - Throws: as ``stage(_:)`` and ``commit()``.
  public func write(_ bytes: Span<UInt8>) throws(BackdropError) {
    try stage(bytes)
    try commit()
  }

  /// Writes `bytes` as the whole file, to be seen under its name after ``commit()``.
  ///
  /// - Throws: `system` if it cannot be written; nothing is left then.
  public func stage(_ bytes: Span<UInt8>) throws(BackdropError) {
    let code = try begin().write(bytes)
    let closed = closeFile()
    guard code == 0 && closed == 0 else {
      discard()
      throw failure(code != 0 ? code : closed)
    }
  }

  /// Why it cannot be written, for a number of the system's.
  package func failure(_ code: Int32) -> BackdropError {
    BackdropError(
      .system, "Backdrop cannot write the output (\(String(cString: strerror(code))))", path: path,
      hint: code == ENOSPC ? "free some space, or choose another place" : nil)
  }

  /// 0, or the system's number for what was not written after all.
  private func closeFile() -> Int32 {
    guard let number = descriptor else { return 0 }
    descriptor = nil
    return close(number) == 0 ? 0 : errno
  }
}
