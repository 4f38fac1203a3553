import BackdropImaging
import Libc
import Synchronization

/// A folder of a server's own, for what clients send; it goes when the server ends, or, where that was killed, when the next one
/// starts.
package final class DropFolder: Sendable {
  package let path: String
  /// The space for uploads.
  package let quota: UploadQuota
  private let lock: Int32
  private let state = Mutex((count: 0, reservations: [String: UploadReservation]()))
  private static let lockName = "/lock"
  /// The most folders to create until one remains.
  private static let maximumTries = 20

  /// - Parameters:
  ///   - place: the folder in which it is made.
  ///   - prefix: what its name begins with: those of the same server are taken away.
  ///   - quota: the space for uploads.
  /// - Throws: `system` if it cannot be created.
  package init(
    in place: String = ProcessEnvironment.temporaryFolder, prefix: String, quota: UploadQuota
  ) throws(BackdropError) {
    self.quota = quota
    Self.removeLeftovers(in: place, prefix)
    for _ in 0..<Self.maximumTries {
      guard let made = try Self.make(in: place, prefix: prefix) else { continue }
      (path, lock) = made
      return
    }
    throw Self.cannotLock(in: place, EWOULDBLOCK)
  }

  private static func cannotLock(in place: String, _ reason: Int32) -> BackdropError {
    BackdropError(
      .system, "Backdrop cannot lock a temporary folder (\(String(cString: strerror(reason))))", path: place,
      hint: "set TMPDIR to a folder you can write to")
  }

  /// A new folder, with its lock held as long as the process lives, however it ends; `nil` where another server, which starts at this
  /// moment, took it for one that was left behind.
  ///
  /// - Parameter unlocked: called before the lock is taken.
  package static func make(
    in place: String, prefix: String, unlocked: (_ folder: String) -> Void = { _ in }
  ) throws(BackdropError) -> (path: String, lock: Int32)? {
    var template = Array((place + "/" + prefix + "XXXXXX").utf8CString)
    // Only its owner can access it.
    guard let made = mkdtemp(&template) else {
      throw BackdropError(
        .system, "Backdrop cannot create a temporary folder (\(String(cString: strerror(errno))))",
        path: place, hint: "set TMPDIR to a folder you can write to")
    }
    let path = String(cString: made)
    let lock = FileCalls.openFile(path + Self.lockName, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    unlocked(path)
    let isHeld = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0
    guard isHeld || (lock >= 0 && errno == EWOULDBLOCK) else { throw cannotLock(in: path, errno) }
    // The other studio may have started and finished between the two calls.
    guard isHeld && FileKind(path + Self.lockName) == .file else {
      close(lock)
      return nil
    }
    return (path, lock)
  }

  deinit { close(lock) }

  /// Removes the folders of servers that were killed: those of this user whose lock nobody holds.
  private static func removeLeftovers(in place: String, _ prefix: String) {
    let names: [String]
    do throws(BackdropError) {
      names = try Folder.names(in: place)
    } catch {
      // If it cannot be listed, creating a folder reports the error.
      return
    }
    for name in names where name.hasPrefix(prefix) {
      let folder = place + "/" + name
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
      // The system clears this folder by itself.
    }
  }

  /// An unused name, with an extension of letters.
  package func name(ending: String) -> String {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let safe = ending.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(5)
    return path + "/\(number)." + (safe.isEmpty ? "bin" : String(safe))
  }

  /// Writes a file there, readable by its owner only.
  ///
  /// - Parameter reservation: kept as long as the file.
  /// - Throws: `system`, for example if the disk is full; no part of the file is left then.
  package func write(_ bytes: [UInt8], ending: String, reservation: UploadReservation?) throws(BackdropError) -> String
  {
    let name = name(ending: ending)
    do {
      try OutputFile(name, overwrite: false, permissions: 0o600).write(bytes.span)
    } catch {
      throw BackdropError(error.kind, "Backdrop cannot store the upload", path: path, hint: "free some space")
    }
    if let reservation { state.withLock { $0.reservations[name] = reservation } }
    return name
  }

  /// Removes one of its files; a missing file is ignored.
  package func remove(_ file: String) {
    guard file.hasPrefix(path + "/") else { return }
    FileCalls.removeFile(file)
    state.withLock { _ = $0.reservations.removeValue(forKey: file) }
  }

  package func remove() { Self.remove(folder: path) }
}
