import BackdropHTTP
import BackdropImaging
import Libc
import Synchronization

/// The studio's persistent state in `$XDG_STATE_HOME/backdrop/studio`, by default under `~/.local/state`, readable only by its owner.
///
/// One studio at a time holds its lock, which ends with the process. Any other studio uses its own temporary folder, and loses that
/// state when it ends.
final class SessionFolder: Sendable {
  let path: String
  /// The space for videos, in bytes.
  let quota = UploadQuota(limit: 4 << 30, hint: Studio.uploadHint)
  private let lock: Mutex<Int32?>

  /// The default path.
  static var usual: String {
    ProcessEnvironment.baseFolder("XDG_STATE_HOME", usual: ".local/state") + "/backdrop/studio"
  }

  /// Claims the wanted path; if it is not available, the state is in a temporary folder.
  init(_ wanted: String, otherwise files: DropFolder) throws(BackdropError) {
    let claimed = Self.claim(wanted)
    lock = Mutex(claimed)
    path = claimed == nil ? files.path + "/session" : wanted
    if claimed == nil { try Folder.make(path) }
  }

  deinit { giveBack() }

  /// Releases the folder for another studio.
  func giveBack() {
    if let lock = lock.withLock({ $0.take() }) { close(lock) }
  }

  /// Makes the folder and takes its lock; `nil` if another studio holds it, or it cannot be made.
  private static func claim(_ path: String) -> Int32? {
    do throws(BackdropError) { try Folder.make(FileName(path).folder) } catch { return nil }
    guard FileCalls.makeFolder(path, mode: 0o700) == 0 || errno == EEXIST else { return nil }
    // It must not belong to another user, or be a link to another folder.
    guard let about = FileCalls.linkStatus(path), about.st_mode & S_IFMT == S_IFDIR, about.st_uid == getuid() else {
      return nil
    }
    let lock = FileCalls.openFile(path + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    guard lock >= 0 else { return nil }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      return nil
    }
    return lock
  }

  /// A folder in it, created if missing.
  func folder(_ name: String) throws(BackdropError) -> String {
    let folder = path + "/" + name
    try Folder.make(folder)
    return folder
  }

  /// The value saved under a name; `nil` if there is none or it is unreadable.
  func load<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    let file = path + "/" + name + ".json"
    guard FileKind(file) == .file else { return nil }
    return try? JSONReader.decode(type, from: try InputFile.read(file, limit: 4 << 20))
  }

  /// Saves a value under a name; if it cannot be written, the old one stays.
  func save(_ value: some Encodable, _ name: String) {
    do {
      let bytes = try JSONWriter().encode(value)
      try OutputFile(path + "/" + name + ".json", overwrite: true, permissions: 0o600).write(bytes.span)
    } catch {
      // The user's own actions report a full disk; saving state in the background does not.
    }
  }
}
