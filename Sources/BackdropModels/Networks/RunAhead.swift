import BackdropImaging

/// A thread that does one piece of work at a time while its owner does something else: a network's run on the next picture.
///
/// For one owner. Work that was begun is waited for when this goes away.
final class RunAhead {
  typealias Work = () throws(BackdropError) -> Void
  private let work = BoundedQueue<Work>(capacity: 1), failures = BoundedQueue<BackdropError?>(capacity: 1)
  private var isBusy = false

  init() {
    DetachedThread.start { [work, failures] in
      while let failure = Self.doNext(of: work) { failures.send(failure.error) }
    }
  }

  deinit {
    work.close()
    if isBusy { _ = failures.receive() }
  }

  /// Does the next piece, and lets go of it: what it holds is its owner's again.
  private static func doNext(of work: BoundedQueue<Work>) -> (error: BackdropError?, Void)? {
    guard let piece = work.receive() else { return nil }
    do throws(BackdropError) { try piece() } catch { return (error, ()) }
    return (nil, ())
  }

  /// Begins some work; nothing that it uses may be used before ``finish()`` has returned.
  func begin(_ piece: @escaping Work) {
    precondition(!isBusy, "one piece of work at a time")
    isBusy = true
    work.send(piece)
  }

  /// Waits for what was begun.
  ///
  /// - Throws: its error.
  func finish() throws(BackdropError) {
    guard isBusy else { return }
    isBusy = false
    if let failure = failures.receive() ?? nil { throw failure }
  }
}
