#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears under its name only when it is complete.
///
/// Write to ``temporaryPath`` (same folder, same extension), then ``commit()``. If that never happens, by an error, an
/// interruption or because the value went away, the temporary file is removed and the name is untouched.
public final class OutputFile {
  /// Where the file will be.
  public let path: String
  /// Where to write now.
  public let temporaryPath: String
  private let overwrite: Bool
  private var isOpen = true

  /// Checks that `path` can be written and picks a temporary name; creates nothing.
  ///
  /// - Throws: `wrongArgument` if the file exists and `overwrite` is false, if it is a folder, or if its folder is
  ///   missing or not writable.
  public init(_ path: String, overwrite: Bool) throws(BackdropError) {
    self.path = path
    self.overwrite = overwrite
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard !name.isEmpty else {
      throw BackdropError(.wrongArgument, "the output has no file name", path: path, hint: "name a file")
    }
    guard FileKind(folder) == .absent || FileKind(folder) == .folder else {
      throw BackdropError(
        .wrongArgument, "the output folder is a file", path: folder, hint: "choose another name")
    }
    guard FileKind(folder) == .folder else {
      throw BackdropError(
        .wrongArgument, "no such output folder", path: folder, hint: "create it first: mkdir -p '\(folder)'")
    }
    guard access(folder, W_OK) == 0 else {
      throw BackdropError(.system, "the output folder is not writable", path: folder, hint: "choose another place")
    }
    switch FileKind(path) {
    case .folder:
      throw BackdropError(.wrongArgument, "the output is a folder", path: path, hint: "give a file name inside it")
    case .file where !overwrite:
      throw BackdropError(.wrongArgument, "the output exists", path: path, hint: .replaceOutput)
    case .other:
      throw BackdropError(
        .wrongArgument, "the output is a device or a pipe, not a file", path: path,
        hint: "give a file name, or - for a pipe")
    case .file, .absent: break
    }
    let dot = name.lastIndex(of: ".").map { String(name[$0...]) } ?? ""
    // Not to be guessed, and another one for each writer of the same file.
    let mark = String(UInt32.random(in: .min ... .max), radix: 36)
    temporaryPath = "\(folder)/.\(name).partial-\(getpid())-\(mark)\(dot)"
  }

  deinit { discard() }

  /// Moves the finished file into place.
  public func commit() throws(BackdropError) {
    guard isOpen else { return }
    // Without --force a file that appeared meanwhile is not replaced: link() fails where rename() would not.
    let moved =
      overwrite
      ? rename(temporaryPath, path) == 0
      : link(temporaryPath, path) == 0 && unlink(temporaryPath) == 0
    guard moved || (!overwrite && errno != EEXIST && rename(temporaryPath, path) == 0) else {
      let reason = String(cString: strerror(errno))
      discard()
      throw BackdropError(.system, "the finished output could not be moved into place (\(reason))", path: path)
    }
    isOpen = false
  }

  /// Removes what was written so far.
  public func discard() {
    guard isOpen else { return }
    isOpen = false
    unlink(temporaryPath)
  }

  /// Writes `bytes` as the whole file and commits it.
  ///
  /// - Parameter permissions: as for ``stage(_:permissions:)``.
  public func write(_ bytes: Span<UInt8>, permissions: mode_t = 0o666) throws(BackdropError) {
    try stage(bytes, permissions: permissions)
    try commit()
  }

  /// Writes `bytes` as the whole file, to be seen under its name after ``commit()``.
  ///
  /// - Parameter permissions: what the process's mask takes from.
  public func stage(_ bytes: Span<UInt8>, permissions: mode_t = 0o666) throws(BackdropError) {
    let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
    guard descriptor >= 0 else {
      throw BackdropError(.system, "cannot write (\(String(cString: strerror(errno))))", path: path)
    }
    let failure = FileDescriptor(descriptor).write(bytes)
    let closed = close(descriptor)
    guard failure == 0 && closed == 0 else {
      let code = failure != 0 ? failure : errno
      discard()
      throw BackdropError(
        .system, "cannot write (\(String(cString: strerror(code))))", path: path,
        hint: code == ENOSPC ? "free some space, or choose another place" : nil)
    }
  }
}
