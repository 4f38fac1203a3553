import Foundation

/// Waits until a condition holds, however long that takes.
///
/// Any limit would be too short on some machine. If no test makes progress any more, `scripts/run-tests.sh` ends the tests and names those
/// that wait. After a minute the log says what this one waits for.
public func eventually(_ what: String, _ condition: () throws -> Bool) rethrows {
  var watch = LongWait(what)
  while try !condition() {
    watch.report()
    usleep(5000)
  }
}

/// Waits until a condition holds, without occupying a thread of the pool.
public func waiting(for what: String, _ condition: () async throws -> Bool) async throws {
  var watch = LongWait(what)
  while try await !condition() {
    watch.report()
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// Says once what is waited for, if that takes long.
private struct LongWait {
  private let what: String
  private let start = ContinuousClock.now
  private var isTold = false

  init(_ what: String) { self.what = what }

  mutating func report() {
    guard !isTold && ContinuousClock.now - start > .seconds(60) else { return }
    isTold = true
    FileHandle.standardError.write(Data("waiting for a minute: \(what)\n".utf8))
  }
}

/// The processor time that this thread spends in `body`, in seconds. Other work on the machine does not change it.
public func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  let start = now()
  try body()
  return now() - start
}
