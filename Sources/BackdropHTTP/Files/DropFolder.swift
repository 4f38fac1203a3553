import BackdropImaging
import Libc
import Synchronization

/// A server's temporary folder for clients' files. The server removes it at its end; if it was killed, the next server does.
package final class DropFolder: Sendable {
  package let path: String
  package let quota: UploadQuota
  private let lock: Int32
  private let state = Mutex((count: 0, reservations: [String: UploadReservation]()))
  private static let lockName = "/lock"
  private static let maximumTries = 20

  /// Creates it in a folder, and removes left-over folders with the same prefix.
  package init(
    in parent: String = ProcessEnvironment.temporaryFolder, prefix: String, quota: UploadQuota
  ) throws(BackdropError) {
    self.quota = quota
    Self.removeLeftovers(in: parent, prefix)
    for _ in 0..<Self.maximumTries {
      guard let made = try Self.make(in: parent, prefix: prefix) else { continue }
      (path, lock) = made
      return
    }
    throw Self.cannotLock(in: parent, EWOULDBLOCK)
  }

  private static func cannotLock(in parent: String, _ reason: Int32) -> BackdropError {
    BackdropError(
      .system, "Backdrop cannot lock a temporary folder (\(systemReason(reason)))", path: parent,
      hint: "set TMPDIR to a folder you can write to")
  }

  /// Creates a folder and locks it for the lifetime of the process. Returns `nil` if another server, which is starting at the same
  /// moment, has removed it as left over.
  ///
  /// - Parameter unlocked: called before the lock is taken.
  package static func make(
    in parent: String, prefix: String, unlocked: (_ folder: String) -> Void = { _ in }
  ) throws(BackdropError) -> (path: String, lock: Int32)? {
    var template = Array((parent + "/" + prefix + "XXXXXX").utf8CString)
    // `mkdtemp` lets only the owner access the folder.
    guard let made = mkdtemp(&template) else {
      throw BackdropError(
        .system, "Backdrop cannot create a temporary folder (\(systemReason()))",
        path: parent, hint: "set TMPDIR to a folder you can write to")
    }
    let path = String(cString: made)
    let lock = FileCalls.openFile(path + Self.lockName, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    unlocked(path)
    let isHeld = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0
    guard isHeld || (lock >= 0 && errno == EWOULDBLOCK) else { throw cannotLock(in: path, errno) }
    // Another server may have locked and removed the folder between the two calls.
    guard isHeld && FileKind(path + Self.lockName) == .file else {
      close(lock)
      return nil
    }
    return (path, lock)
  }

  deinit { close(lock) }

  /// Removes the folders of killed servers: those of this user whose lock is free.
  private static func removeLeftovers(in parent: String, _ prefix: String) {
    let names: [String]
    do throws(BackdropError) {
      names = try Folder.names(in: parent)
    } catch {
      // If it cannot be listed, creating a folder reports the error.
      return
    }
    for name in names where name.hasPrefix(prefix) {
      let folder = parent + "/" + name
      guard let about = FileCalls.linkStatus(folder), about.st_mode & S_IFMT == S_IFDIR, about.st_uid == getuid() else {
        continue
      }
      let lock = FileCalls.openFile(folder + lockName, O_RDWR | O_NOFOLLOW)
      guard lock >= 0 else { continue }
      defer { close(lock) }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
      remove(folder: folder)
    }
  }

  private static func remove(folder: String) {
    do throws(BackdropError) {
      try Folder.remove(folder)
    } catch {
      // The system cleans the temporary folder by itself.
    }
  }

  /// Returns an unused path.
  package func name(fileExtension: String) -> String {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return path + "/" + Self.fileName(number, fileExtension: fileExtension)
  }

  /// The name of an upload's file: a number, and up to five letters and digits of the extension that the client gave.
  package static func fileName(_ number: Int, fileExtension: String) -> String {
    let safe = fileExtension.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(5)
    return "\(number)." + (safe.isEmpty ? "bin" : String(safe))
  }

  /// Writes a file that only its owner can read, as a whole or not at all, and returns its path. The reservation is kept as long as
  /// the file.
  package func write(_ bytes: [UInt8], fileExtension: String, reservation: UploadReservation?) throws(BackdropError)
    -> String
  {
    let name = name(fileExtension: fileExtension)
    do {
      try OutputFile(name, overwrite: false, permissions: 0o600).write(bytes.span)
    } catch {
      throw Self.cannotStore
    }
    if let reservation { state.withLock { $0.reservations[name] = reservation } }
    return name
  }

  /// The error that a file cannot be written, for example because the disk is full.
  package static let cannotStore = BackdropError(.system, "Backdrop cannot store the upload", hint: "free some space")

  /// Removes one of its files; a missing file is ignored.
  package func remove(_ file: String) {
    guard file.hasPrefix(path + "/") else { return }
    FileCalls.removeFile(file)
    state.withLock { _ = $0.reservations.removeValue(forKey: file) }
  }

  package func remove() { Self.remove(folder: path) }
}
