import Libc

/// A file that appears under its name only when complete.
///
/// Write to ``temporaryPath`` (same folder, same extension), then call ``commit()``. Without a commit (after an error, an interruption or
/// the object's release) it removes the temporary file and leaves the name untouched.
///
/// A growing file, such as a recording, is worth keeping even if incomplete. It is written beside its final name (`PartialOutput`), moves
/// there however the writing ends, and gets a number if the name is taken by then.
public final class OutputFile {
  /// The file's final path; for a growing file, its actual path once finished.
  public private(set) var path: String
  /// The path for writing; for a growing file, valid once it has begun.
  public private(set) var temporaryPath: String
  /// Whether an incomplete file is kept.
  package let isGrowing: Bool
  /// Whether a growing file contains anything usable; if not, it is removed like any other.
  package var isWorthKeeping = false
  /// Whether the file exists under ``path``.
  package private(set) var isInPlace = false
  private var overwrite: Bool
  private let permissions: mode_t
  private var descriptor: Int32?
  private var hasBegun = false
  private var isOpen = true

  /// Checks that `path` can be written and chooses a temporary name; creates nothing.
  ///
  /// - Parameters:
  ///   - path: the name of the file.
  ///   - overwrite: whether to replace an existing file.
  ///   - permissions: the file's permissions, before the process's mask.
  /// - Throws: `wrongArgument` if the file exists and `overwrite` is false, if it is a folder, if its name is too long, or if its
  ///   folder is missing or not writable.
  public convenience init(_ path: String, overwrite: Bool, permissions: mode_t = 0o666) throws(BackdropError) {
    try self.init(path, overwrite: overwrite, growing: false, permissions: permissions)
  }

  package init(_ path: String, overwrite: Bool, growing: Bool, permissions: mode_t = 0o666) throws(BackdropError) {
    (self.permissions, self.path, self.overwrite) = (permissions, path, overwrite)
    isGrowing = growing
    let parts = FileName(path)
    let folder = parts.folder
    let name = path.utf8.last == UInt8(ascii: "/") ? "" : parts.whole
    guard !name.isEmpty else {
      throw BackdropError(.wrongArgument, "the output has no file name", path: path, hint: "name a file")
    }
    switch try FileKind(of: folder) {
    case .folder: break
    case .absent:
      throw BackdropError(
        .wrongArgument, "the output folder does not exist", path: folder, hint: "create it first: mkdir -p '\(folder)'")
    case .file, .other:
      throw BackdropError(.wrongArgument, "the output folder is a file", path: folder, hint: "choose another name")
    }
    guard FileCalls.mayWrite(folder) else {
      throw BackdropError(
        .system, "Backdrop cannot write to the output folder (\(systemReason()))", path: folder,
        hint: "choose another folder")
    }
    let most = FileCalls.longestName(in: folder)
    guard FilePath.bytes(name).count <= most else {
      throw BackdropError(
        .wrongArgument, "the output's name is longer than \(most) bytes", path: path, hint: "choose a shorter one")
    }
    try Self.refuseTaken(path, overwrite: overwrite)
    // A longer one is not an extension.
    let dot = (1...16).contains(parts.writtenExtension.utf8.count) ? "." + parts.writtenExtension : ""
    // Unpredictable, and different for each writer of the same file.
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    temporaryPath = folder + "/" + FileName.fitting(".", name, ".partial-\(getpid())-\(mark)\(dot)", in: folder)
  }

  deinit { abandon() }

  package static func exists(_ path: String) -> BackdropError {
    BackdropError(.wrongArgument, "the output already exists", path: path, hint: .replaceOutput)
  }

  private static func refuseTaken(_ path: String, overwrite: Bool) throws(BackdropError) {
    switch try FileKind(of: path) {
    case .folder:
      throw BackdropError(.wrongArgument, "the output is a folder", path: path, hint: "give a file name inside it")
    case .file where !overwrite: throw exists(path)
    case .other:
      throw BackdropError(
        .wrongArgument, "the output is a device or a pipe, not a file", path: path,
        hint: "give a file name, or - for a pipe")
    // A link that leads nowhere has the name too.
    case .absent where !overwrite && FileCalls.linkStatus(path) != nil: throw exists(path)
    case .file, .absent: break
    }
  }

  /// Refuses a name that another program has taken meanwhile; a growing file would get a number then.
  package func checkName() throws(BackdropError) {
    if !isGrowing { try Self.refuseTaken(path, overwrite: overwrite) }
  }

  /// Creates the temporary file if necessary; ``commit()``, ``abandon()`` and ``discard()`` close it.
  ///
  /// - Throws: `system` if it cannot be created; `wrongArgument` if it is a growing file and another process records to its name.
  package func begin() throws(BackdropError) -> FileDescriptor {
    if let descriptor { return FileDescriptor(descriptor) }
    let number: Int32
    if isGrowing {
      let partial = try PartialOutput.claim(path, isFolder: false)
      (temporaryPath, number) = (partial.path, partial.descriptor)
    } else {
      number = FileCalls.openFile(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: permissions)
      guard number >= 0 else { throw failure(errno) }
    }
    (descriptor, hasBegun) = (number, true)
    return FileDescriptor(number)
  }

  /// Moves the finished file into place.
  ///
  /// - Throws: `wrongArgument` if another program has taken the name meanwhile; `system` if it could not be written or moved.
  public func commit() throws(BackdropError) {
    guard isOpen else { return }
    let code = closeFile()
    guard code == 0 else {
      abandon()
      throw failure(code)
    }
    guard moveIntoPlace() else {
      let reason = systemReason()
      let keptPath = isGrowing ? temporaryPath : path
      if !isGrowing { discard() }
      isOpen = false
      try checkName()
      throw BackdropError(
        .system, "Backdrop wrote the output but could not move it into place (\(reason))", path: keptPath)
    }
    isOpen = false
  }

  private func moveIntoPlace() -> Bool {
    if isGrowing && !overwrite {
      if let moved = PartialOutput.move(temporaryPath, to: path, isFolder: false) { (path, isInPlace) = (moved, true) }
    } else {
      let move = overwrite ? FileCalls.moveFile : FileCalls.moveNewFile
      isInPlace = move(temporaryPath, path) == 0
    }
    return isInPlace
  }

  /// Keeps an earlier file of that name, as for an interrupted recording; this file then gets a number.
  package func keepEarlier() { overwrite = false }

  /// Ends an incomplete file: moves a growing one into place with its written part, and removes any other. It replaces no earlier file.
  package func abandon() {
    guard isOpen else { return }
    guard isGrowing && isWorthKeeping else { return discard() }
    _ = closeFile()
    // If it cannot be moved it keeps its temporary name, which was reported at the start.
    keepEarlier()
    _ = moveIntoPlace()
    isOpen = false
  }

  /// Ends an incomplete growing file and leaves it at its temporary path, which becomes its path.
  package func leave() {
    guard isOpen, hasBegun else { return }
    isOpen = false
    _ = closeFile()
    path = temporaryPath
    isInPlace = true
  }

  /// Removes the written part.
  public func discard() {
    guard isOpen else { return }
    isOpen = false
    // Before the start, a growing file's name may belong to another writer.
    if hasBegun || !isGrowing { FileCalls.removeFile(temporaryPath) }
    _ = closeFile()
  }

  package func cut(to byteCount: Int) {
    guard let descriptor else { return }
    // A file that cannot be shortened keeps a useless end.
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

  /// Writes `bytes` as the whole file, which appears under its name after ``commit()``.
  ///
  /// - Throws: `system` if it cannot be written; no part is left then.
  public func stage(_ bytes: Span<UInt8>) throws(BackdropError) {
    let code = try begin().write(bytes)
    let closed = closeFile()
    guard code == 0 && closed == 0 else {
      discard()
      throw failure(code != 0 ? code : closed)
    }
  }

  package func failure(_ code: Int32) -> BackdropError {
    BackdropError(
      .system, "Backdrop cannot write the output (\(systemReason(code)))", path: path,
      hint: Self.isFull(code) ? "free some space, or choose another place" : nil)
  }

  package static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Closes the file; returns 0, or the system's error number for data that was not written.
  private func closeFile() -> Int32 {
    guard let number = descriptor else { return 0 }
    descriptor = nil
    return close(number) == 0 ? 0 : errno
  }
}
