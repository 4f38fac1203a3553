import Dispatch
import Synchronization

/// Passes values from one thread to another, in order. The sender waits while the queue is full, the receiver while it is empty.
///
/// For one sender and one receiver at a time; the sender must not use sent values. A value counts until the receiver requests the next one.
package final class BoundedQueue<Value>: Sendable {
  private struct State {
    var waiting: [UncheckedTransfer<Value>] = []
    var isClosed = false
    /// Whether the receiver is using a value.
    var isReceived = false
  }

  private let state = Mutex(State())
  // A semaphore must not be released with a smaller value than its initial one, so these begin at 0.
  private let slots = DispatchSemaphore(value: 0), ready = DispatchSemaphore(value: 0)

  /// - Parameter capacity: the maximum number of values waiting or in use.
  package init(capacity: Int) {
    for _ in 0..<max(1, capacity) { slots.signal() }
  }

  /// Adds a value when there is space; returns whether it was added: false after ``close(dropping:)``.
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

  /// The next value; `nil` when the queue is closed and empty.
  package func receive() -> Value? {
    if state.withLock({ $0.isReceived }) { slots.signal() }
    StageClock.shared.measure(.waiting) { ready.wait() }
    let value = state.withLock { state in
      state.isReceived = !state.waiting.isEmpty
      return state.isReceived ? state.waiting.removeFirst() : nil
    }
    // Further calls get the same answer.
    if value == nil { ready.signal() }
    return value?.value
  }

  /// Ends the queue: the receiver gets the waiting values, unless they are dropped, and then `nil`; the sender stops waiting.
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
