import BackdropImaging
import Dispatch
import Synchronization

/// Does pieces of work, one after the other, on a thread of its own while the next ones are made ready.
///
/// Until ``finish()``, ``end()`` or ``stop()`` has returned nobody else may use what the pieces use.
final class WorkBehind {
  typealias Work = () throws(BackdropError) -> Void
  private let shared: Shared?
  private var isOver = false

  private final class Shared: Sendable {
    let work: BoundedQueue<Work>
    let error = Mutex<BackdropError?>(nil)
    let ended = DispatchSemaphore(value: 0)
    init(_ pieces: Int) { work = BoundedQueue(capacity: pieces) }

    /// Lets go of the last piece before it returns: what nobody holds may clean up after itself.
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

  /// - Parameter pieces: how many may wait or be worked on; 0 does each at once, on the caller's thread.
  init(pieces: Int) {
    shared = pieces > 0 ? Shared(pieces) : nil
    guard let shared else { return }
    DetachedThread.start {
      shared.doAll()
      shared.ended.signal()
    }
  }

  /// Adds a piece, once there is a place for it.
  ///
  /// - Throws: why this one, or one before it, could not be done; nothing is done after that.
  func add(_ work: @escaping Work) throws(BackdropError) {
    guard let shared else { return try work() }
    shared.work.send(work)
    if let error = shared.error.withLock({ $0 }) { throw error }
  }

  /// Waits until all is done.
  ///
  /// - Throws: why a piece could not be.
  func finish() throws(BackdropError) {
    end()
    if let error = shared?.error.withLock({ $0 }) { throw error }
  }

  /// Waits until all is done, or until one piece has failed.
  func end() { end(dropping: false) }

  /// Forgets what waits and ends.
  func stop() { end(dropping: true) }

  private func end(dropping: Bool) {
    guard let shared, !isOver else { return }
    isOver = true
    shared.work.close(dropping: dropping)
    StageClock.shared.measure(.waiting) { shared.ended.wait() }
  }
}
