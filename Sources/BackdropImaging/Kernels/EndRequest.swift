import Synchronization

/// A flag that any thread can raise once, to end work on others, which check it.
package final class EndRequest: Sendable {
  private let value = Atomic(false)
  package init() {}

  package var isRaised: Bool { value.load(ordering: .acquiring) }
  package func raise() { value.store(true, ordering: .releasing) }
}
