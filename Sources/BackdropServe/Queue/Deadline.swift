import Dispatch
import Synchronization

/// The time limit of a request's work.
enum Deadline {
  struct Passed: Error {}

  /// Runs `body`, and cancels it at the deadline. At the deadline it returns, even if `body` has not stopped yet.
  ///
  /// The timer is not a sleeping task, because on Linux the memory of a cancelled one stays until its wake-up time.
  static func run<T: Sendable>(
    until end: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let work = Task { try await body() }
    let timer = DispatchSource.makeTimerSource()
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let first = First(continuation)
        timer.setEventHandler {
          first.resume(.failure(Passed()))
          work.cancel()
        }
        timer.schedule(deadline: .now() + max(0, (end - .now) / .seconds(1)))
        timer.activate()
        Task { first.resume(await work.result) }
      }
    } onCancel: {
      work.cancel()
    }
  }

  /// A continuation that takes the first of several outcomes.
  private final class First<T: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<T, any Error>?>

    init(_ continuation: CheckedContinuation<T, any Error>) { self.continuation = Mutex(continuation) }

    func resume(_ outcome: Result<T, any Error>) { continuation.withLock { $0.take() }?.resume(with: outcome) }
  }
}
