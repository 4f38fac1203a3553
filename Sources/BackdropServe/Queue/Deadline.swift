import Dispatch

/// The time limit of a request's work.
enum Deadline {
  /// The error that the work took too long.
  struct Passed: Error {}

  /// Runs `body`, and cancels it at the deadline. It returns after `body` has stopped.
  ///
  /// The timer is not a sleeping task, because on Linux the memory of a cancelled one stays until its wake-up time.
  ///
  /// - Throws: ``Passed`` at the deadline, and the errors of `body`.
  static func run<T: Sendable>(
    until end: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let work = Task { try await body() }
    let hasPassed = WorkQueue.Flag()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler {
      hasPassed.raise()
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
    if hasPassed.isRaised { throw Passed() }
    return try outcome.get()
  }
}
