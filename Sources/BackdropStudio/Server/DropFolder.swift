import BackdropImaging
import Libc
import Synchronization

/// A folder of the studio's own, for what was dropped on the page; it goes when the studio ends, or, where that was killed, when the
/// next one starts.
final class DropFolder: Sendable {
  let path: String
  /// The space for uploads.
  let quota = UploadQuota()
  private let lock: Int32
  private let state = Mutex((count: 0, reservations: [String: UploadReservation]()))
  private static let prefix = "backdrop-studio-", lockName = "/lock"
  /// Folders that are made, at most, until one is not taken away.
  private static let maximumTries = 20

  /// - Throws: `system` if it cannot be made.
  init(in place: String = ProcessEnvironment.temporaryFolder) throws(BackdropError) {
    Self.removeLeftovers(in: place)
    for _ in 0..<Self.maximumTries {
      guard let made = try Self.make(in: place) else { continue }
      (path, lock) = made
      return
    }
    throw Self.cannotLock(in: place, EWOULDBLOCK)
  }

  private static func cannotLock(in place: String, _ reason: Int32) -> BackdropError {
    BackdropError(
      .system, "the studio cannot lock a temporary folder (\(String(cString: strerror(reason))))", path: place,
      hint: "set TMPDIR to a folder you can write to")
  }

  /// A new folder, with its lock held as long as the process lives, however it ends; `nil` where another studio, which starts at this
  /// moment, took it for one that was left behind.
  ///
  /// - Parameter unlocked: called while nobody holds the lock.
  static func make(
    in place: String, unlocked: (_ folder: String) -> Void = { _ in }
  ) throws(BackdropError) -> (path: String, lock: Int32)? {
    var template = Array((place + "/" + Self.prefix + "XXXXXX").utf8CString)
    // Only its owner can look inside.
    guard let made = mkdtemp(&template) else {
      throw BackdropError(
        .system, "the studio cannot create a temporary folder (\(String(cString: strerror(errno))))",
        path: place, hint: "set TMPDIR to a folder you can write to")
    }
    let path = String(cString: made)
    let lock = FileCalls.openFile(path + Self.lockName, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    unlocked(path)
    let isHeld = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0
    guard isHeld || (lock >= 0 && errno == EWOULDBLOCK) else { throw cannotLock(in: path, errno) }
    // The other one may have come and gone between the two calls.
    guard isHeld && FileKind(path + Self.lockName) == .file else {
      close(lock)
      return nil
    }
    return (path, lock)
  }

  deinit { close(lock) }

  /// Removes the folders of studios that were killed: those of this user whose lock nobody holds.
  private static func removeLeftovers(in place: String) {
    let names: [String]
    do throws(BackdropError) {
      names = try Folder.names(in: place)
    } catch {
      // Where nothing can be listed, making a folder will say so.
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
      // It is in the folder that systems clear by themselves.
    }
  }

  /// A name that is not taken, with an ending of letters.
  func name(ending: String) -> String {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let safe = ending.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(5)
    return path + "/\(number)." + (safe.isEmpty ? "bin" : String(safe))
  }

  /// Writes a file there, for its owner alone.
  ///
  /// - Parameter reservation: kept as long as the file is.
  /// - Throws: `system`, as where the disk is full; nothing is left then.
  func write(_ bytes: [UInt8], ending: String, reservation: UploadReservation?) throws(BackdropError) -> String {
    let name = name(ending: ending)
    do {
      try OutputFile(name, overwrite: false, permissions: 0o600).write(bytes.span)
    } catch {
      throw BackdropError(error.kind, "the studio cannot store the upload", path: path, hint: "free some space")
    }
    if let reservation { state.withLock { $0.reservations[name] = reservation } }
    return name
  }

  /// Removes a file that is in it; one that is gone already is no matter.
  func remove(_ file: String) {
    guard file.hasPrefix(path + "/") else { return }
    FileCalls.removeFile(file)
    state.withLock { _ = $0.reservations.removeValue(forKey: file) }
  }

  func remove() { Self.remove(folder: path) }
}
