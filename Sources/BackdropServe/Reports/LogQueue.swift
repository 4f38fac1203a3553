import BackdropHTTP
import Libc
import Synchronization

/// Writes lines of the log in order on its own thread, so that a blocked reader does not block the service.
final class LogQueue: Sendable {
  /// The maximum number of waiting lines; further ones are dropped and counted.
  private static let maximumLines = 10_000

  private let state = Mutex((waiting: 0, missing: 0))
  private let work = Offload("log")
  private let write: @Sendable (String) -> Void

  init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  /// Waits until all lines are written, but at most a second.
  func flush() {
    for _ in 0..<100 where state.withLock({ $0.waiting }) > 0 { usleep(10_000) }
  }

  func add(_ entry: LogEntry) {
    let isFree = state.withLock { state in
      guard state.waiting < Self.maximumLines else {
        state.missing += 1
        return false
      }
      state.waiting += 1
      return true
    }
    guard isFree else { return }
    work.start { [self] in
      write(entry.line)
      let missing = state.withLock { state in
        state.waiting -= 1
        defer { state.missing = 0 }
        return state.missing
      }
      if missing > 0 { write(LogEntry(event: "missing", error: "\(missing) lines are left out").line) }
    }
  }
}
