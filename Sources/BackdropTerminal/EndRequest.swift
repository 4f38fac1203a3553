import Synchronization

/// A flag that any thread can set once.
package final class EndRequest: Sendable {
  private let value = Mutex(false)
  package init() {}

  package var isRaised: Bool { value.withLock { $0 } }
  package func raise() { value.withLock { $0 = true } }
}
