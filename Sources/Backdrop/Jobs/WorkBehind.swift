import BackdropImaging
import Dispatch
import Synchronization

/// Does pieces of work, one after the other, on a thread of its own while the next ones are made ready.
///
/// Until ``finish()``, ``end()`` or ``stop()`` has returned nobody else may use what the pieces use.
final class WorkBehind {
  typealias Work = () throws(BackdropError) -> Void
  private let pieces: Int
  private let shared = Shared()

  private final class Shared: Sendable {
    let state = Mutex(State())
    // Semaphores must not go away with a smaller value than they were made with, so this one begins at none.
    let slots = DispatchSemaphore(value: 0)
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
  }

  private struct State {
    var waiting: [UncheckedTransfer<Work>] = []
    var isOver = false
    var error: BackdropError?
  }

  /// - Parameter pieces: how many may wait; 0 does each at once, on the caller's thread.
  init(pieces: Int) {
    self.pieces = pieces
    guard pieces > 0 else { return }
    for _ in 0..<pieces { shared.slots.signal() }
    DetachedThread.start { [shared] in
      Self.work(shared)
      shared.ended.signal()
    }
  }

  /// Lets go of the last piece before it returns: what nobody holds may clean up after itself.
  private static func work(_ shared: Shared) {
    while true {
      StageClock.shared.measure(.waiting) { shared.ready.wait() }
      guard let work = shared.state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return }
      do throws(BackdropError) {
        try work.value()
      } catch {
        shared.state.withLock {
          $0.error = error
          $0.waiting = []
        }
      }
      shared.slots.signal()
    }
  }

  /// Adds a piece, once a slot is free.
  ///
  /// - Throws: why this one, or one before it, could not be done; nothing is done after that.
  func add(_ work: @escaping Work) throws(BackdropError) {
    guard pieces > 0 else { return try work() }
    StageClock.shared.measure(.waiting) { shared.slots.wait() }
    let handed = UncheckedTransfer(work)
    let error = shared.state.withLock { state in
      if state.error == nil { state.waiting.append(handed) }
      return state.error
    }
    guard let error else {
      shared.ready.signal()
      return
    }
    shared.slots.signal()
    throw error
  }

  /// Waits until all is done.
  ///
  /// - Throws: why a piece could not be.
  func finish() throws(BackdropError) {
    end()
    if let error = shared.state.withLock(\.error) { throw error }
  }

  /// Waits until all is done, or until one piece has failed.
  func end() {
    guard pieces > 0,
      !shared.state.withLock({ state in
        defer { state.isOver = true }
        return state.isOver
      })
    else { return }
    shared.ready.signal()
    StageClock.shared.measure(.waiting) { shared.ended.wait() }
  }

  /// Forgets what waits and ends.
  func stop() {
    shared.state.withLock { $0.waiting = [] }
    end()
  }
}
