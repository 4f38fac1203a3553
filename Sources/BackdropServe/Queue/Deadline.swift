import Dispatch
import Synchronization

/// A time after which nobody waits for a request's work any more.
enum Deadline {
  /// The work took longer.
  struct Passed: Error {}

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// Does something, and cancels it at the deadline. It returns when the work has stopped.
  ///
  /// A sleeping task is no clock for it: on Linux the memory of one that is cancelled stays until it would have woken.
  ///
  /// - Throws: ``Passed``; what `body` throws.
  static func run<T: Sendable>(
    until end: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let work = Task { try await body() }
    let hasPassed = Flag()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler {
      hasPassed.isSet.store(true, ordering: .relaxed)
      work.cancel()
    }
    timer.schedule(deadline: .now() + max(0, (end - .now) / .seconds(1)))
    timer.activate()
    defer { timer.cancel() }
    let outcome = await withTaskCancellationHandler {
      await work.result
    } onCancel: {
      work.cancel()
    }
    if hasPassed.isSet.load(ordering: .relaxed) { throw Passed() }
    return try outcome.get()
  }
}
