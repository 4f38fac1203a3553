import Dispatch

/// Runs work that must not block the server's threads.
package struct Offload: Sendable {
  private let queue: DispatchQueue

  /// Creates a queue whose work items run one after the other.
  package init(_ name: String) { queue = DispatchQueue(label: "backdrop.server." + name, qos: .userInitiated) }

  /// Runs work and waits for its result without blocking a thread.
  package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Waits until all earlier work is done.
  package func wait() { queue.sync {} }

  package func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
