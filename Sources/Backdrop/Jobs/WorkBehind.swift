import Dispatch
import Synchronization

/// Does pieces of work, one after the other, on a separate thread while the caller prepares the next.
///
/// No other code may use the resources of the pieces until ``finish()``, ``end()`` or ``stop()`` has returned.
final class WorkBehind {
  typealias Work = () throws(BackdropError) -> Void
  private var shared: Shared?
  private var isOver = false

  private final class Shared: Sendable {
    let work: BoundedQueue<Work>
    let error = Mutex<BackdropError?>(nil)
    let ended = DispatchSemaphore(value: 0)
    init(_ pieces: Int) { work = BoundedQueue(capacity: pieces) }

    /// Releases the last piece before it returns, so that released objects can clean up.
    func doAll() {
      while let piece = work.receive() {
        do throws(BackdropError) {
          try piece()
        } catch {
          self.error.withLock { $0 = error }
          work.close(dropping: true)
        }
      }
    }
  }

  /// - Parameter pieces: how many may wait or run. With 0, or if the system has no thread to spare, the caller's thread does each at once.
  init(pieces: Int) {
    shared = pieces > 0 ? Shared(pieces) : nil
    guard let shared else { return }
    do throws(BackdropError) {
      try DetachedThread.start {
        shared.doAll()
        shared.ended.signal()
      }
    } catch {
      self.shared = nil
    }
  }

  /// Adds a piece when there is space for it.
  ///
  /// - Throws: the error of this piece or an earlier one; no more work follows.
  func add(_ work: @escaping Work) throws(BackdropError) {
    guard let shared else { return try work() }
    shared.work.send(work)
    if let error = shared.error.withLock({ $0 }) { throw error }
  }

  /// Waits until all work is done.
  func finish() throws(BackdropError) {
    end()
    if let error = shared?.error.withLock({ $0 }) { throw error }
  }

  /// Waits until all work is done, or one piece has failed.
  func end() { end(dropping: false) }

  func stop() { end(dropping: true) }

  private func end(dropping: Bool) {
    guard let shared, !isOver else { return }
    isOver = true
    shared.work.close(dropping: dropping)
    StageClock.shared.measure(.waiting) { shared.ended.wait() }
  }
}
