import BackdropImaging
import Dispatch
import Synchronization

/// A thread that does one piece of work at a time while its owner does something else: a network's run on the next picture.
///
/// For one owner. Work that was begun is waited for when this goes away.
final class RunAhead {
  typealias Work = () throws(BackdropError) -> Void

  private struct State {
    var work: UncheckedTransfer<Work>?
    var error: BackdropError?
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
    let begun = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
  }

  private let shared = Shared()
  private var isBusy = false

  init() {
    DetachedThread.start { [shared] in
      while true {
        shared.begun.wait()
        guard let work = shared.state.withLock({ $0.work }) else { return }
        var failure: BackdropError?
        do throws(BackdropError) { try work.value() } catch { failure = error }
        // What the work holds is its owner's again.
        shared.state.withLock { $0 = State(error: failure) }
        shared.ended.signal()
      }
    }
  }

  deinit {
    if isBusy { shared.ended.wait() }
    // Nothing to do: the thread ends.
    shared.begun.signal()
  }

  /// Begins some work; nothing that it uses may be used before ``finish()`` has returned.
  func begin(_ work: @escaping Work) {
    precondition(!isBusy, "one piece of work at a time")
    isBusy = true
    shared.state.withLock { $0.work = UncheckedTransfer(work) }
    shared.begun.signal()
  }

  /// Waits for what was begun.
  ///
  /// - Throws: what it threw.
  func finish() throws(BackdropError) {
    guard isBusy else { return }
    StageClock.shared.measure(.waiting) { shared.ended.wait() }
    isBusy = false
    if let error = shared.state.withLock({ $0.error }) { throw error }
  }
}
