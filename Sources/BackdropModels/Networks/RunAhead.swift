import BackdropImaging

/// A thread that does one piece of work at a time while its owner continues, such as a network's run on the next picture.
///
/// Only one owner may use it. Deinitialization waits for running work. If the system has no thread to spare,
/// ``begin(_:)`` does the work at once.
final class RunAhead {
  typealias Work = () throws(BackdropError) -> Void
  private let work = BoundedQueue<Work>(capacity: 1), results = BoundedQueue<Result<Void, BackdropError>>(capacity: 1)
  private var isBusy = false
  private let hasThread: Bool

  init() {
    do throws(BackdropError) {
      try DetachedThread.start { [work, results] in
        while let result = Self.doNext(of: work) { results.send(result) }
      }
      hasThread = true
    } catch {
      hasThread = false
    }
  }

  deinit {
    work.close()
    if isBusy { _ = results.receive() }
  }

  /// Does the next piece, and releases it, so that its contents belong to the owner again.
  private static func doNext(of work: BoundedQueue<Work>) -> Result<Void, BackdropError>? {
    work.receive().map { Result(catching: $0) }
  }

  /// Starts some work. The owner must not use the resources of the work until ``finish()`` has returned.
  func begin(_ piece: @escaping Work) {
    precondition(!isBusy, "one piece of work at a time")
    isBusy = true
    work.send(piece)
    if !hasThread, let result = Self.doNext(of: work) { results.send(result) }
  }

  /// Waits for running work.
  ///
  /// - Throws: the error of the work.
  func finish() throws(BackdropError) {
    guard isBusy else { return }
    isBusy = false
    try results.receive()?.get()
  }
}
