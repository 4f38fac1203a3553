import Dispatch
import Synchronization

/// Hands values from one thread to another, in order; the sender waits while the queue is full, the receiver while it is empty.
///
/// For one sender and one receiver at a time; the sender does not use what it handed over. A value that the receiver works on counts until it asks for the next one.
package final class BoundedQueue<Value>: Sendable {
  private struct State {
    var waiting: [UncheckedTransfer<Value>] = []
    var isClosed = false
    /// Whether the receiver works on a value.
    var isReceived = false
  }

  private let state = Mutex(State())
  // Semaphores must not go away with a smaller value than they were made with, so these begin at none.
  private let slots = DispatchSemaphore(value: 0), ready = DispatchSemaphore(value: 0)

  /// - Parameter capacity: how many values wait or are worked on at most.
  package init(capacity: Int) {
    for _ in 0..<max(1, capacity) { slots.signal() }
  }

  /// Adds a value once there is a place for it.
  ///
  /// - Returns: whether it was added; not after ``close(dropping:)``.
  @discardableResult
  package func send(_ value: Value) -> Bool {
    let handed = UncheckedTransfer(value)
    StageClock.shared.measure(.waiting) { slots.wait() }
    let isAdded = state.withLock { state in
      if !state.isClosed { state.waiting.append(handed) }
      return !state.isClosed
    }
    (isAdded ? ready : slots).signal()
    return isAdded
  }

  /// The next value; `nil` once the queue is closed and empty.
  package func receive() -> Value? {
    if state.withLock({ $0.isReceived }) { slots.signal() }
    StageClock.shared.measure(.waiting) { ready.wait() }
    let value = state.withLock { state in
      state.isReceived = !state.waiting.isEmpty
      return state.isReceived ? state.waiting.removeFirst() : nil
    }
    // Whoever asks again is told the same.
    if value == nil { ready.signal() }
    return value?.value
  }

  /// Ends the queue: the receiver gets what waits, unless that is dropped, and then `nil`; the sender waits for nothing any more.
  package func close(dropping: Bool = false) {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      if dropping { state.waiting = [] }
      return state.isClosed
    }
    guard !wasClosed else { return }
    ready.signal()
    slots.signal()
  }
}
