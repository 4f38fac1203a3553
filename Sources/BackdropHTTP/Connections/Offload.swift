import Dispatch

/// Work with pictures, which must not block the server's threads.
package struct Offload: Sendable {
  private let queue: DispatchQueue

  /// Work items that run one after the other.
  package init(_ name: String) { queue = DispatchQueue(label: "backdrop.server." + name, qos: .userInitiated) }

  /// Runs the work, and waits without blocking a thread.
  package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Waits until all earlier work is done.
  package func wait() { queue.sync {} }

  /// Does it some time.
  package func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
