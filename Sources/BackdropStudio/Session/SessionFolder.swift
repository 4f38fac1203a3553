import BackdropImaging
import Libc
import Synchronization

/// What the studio keeps from one start to the next: `$XDG_STATE_HOME/backdrop/studio`, or under `~/.local/state`; for its owner
/// alone.
///
/// One studio at a time has it: its lock says so, and dies with its process. Another that starts meanwhile keeps what it has in its
/// own temporary folder, and loses it when it ends.
final class SessionFolder: Sendable {
  /// Where it is.
  let path: String
  /// Whether what is in it is there at the next start.
  let isKept: Bool
  /// The space for videos, in bytes.
  let quota = UploadQuota(limit: 4 << 30)
  private let lock: Mutex<Int32?>

  /// Where it usually is.
  static var usual: String {
    ProcessEnvironment.baseFolder("XDG_STATE_HOME", usual: ".local/state") + "/backdrop/studio"
  }

  /// - Parameters:
  ///   - wanted: where it is to be.
  ///   - files: in whose folder it is otherwise.
  /// - Throws: `system` if neither can be had.
  init(_ wanted: String = usual, otherwise files: DropFolder) throws(BackdropError) {
    let claimed = Self.claim(wanted)
    lock = Mutex(claimed)
    isKept = claimed != nil
    path = isKept ? wanted : files.path + "/session"
    if !isKept { try Folder.make(path) }
  }

  deinit { giveBack() }

  /// Lets another studio have it.
  func giveBack() {
    if let lock = lock.withLock({ $0.take() }) { close(lock) }
  }

  /// Makes the folder and takes its lock; `nil` where somebody else has it, or it cannot be made.
  private static func claim(_ path: String) -> Int32? {
    do throws(BackdropError) {
      try Folder.make(FileName(path).folder)
    } catch {
      return nil
    }
    guard FileCalls.makeFolder(path, mode: 0o700) == 0 || errno == EEXIST else { return nil }
    // Not somebody else's, and no link to another place.
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

  /// A folder in it, made where it is missing.
  func folder(_ name: String) throws(BackdropError) -> String {
    let place = path + "/" + name
    try Folder.make(place)
    return place
  }

  /// What was kept under a name; `nil` where there is nothing, or nothing that can be read: it is made anew.
  func load<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    let place = path + "/" + name + ".json"
    guard FileKind(place) == .file else { return nil }
    do {
      return try JSONReader.decode(type, from: try InputFile.read(place, limit: 4 << 20))
    } catch {
      return nil
    }
  }

  /// Keeps something under a name; where it cannot be written, what was kept before stays.
  func save(_ value: some Encodable, _ name: String) {
    do {
      let bytes = try JSONWriter().encode(value)
      try OutputFile(path + "/" + name + ".json", overwrite: true, permissions: 0o600).write(bytes.span)
    } catch {
      // A full disk is told by what the person does, not by what is kept of it.
    }
  }
}
