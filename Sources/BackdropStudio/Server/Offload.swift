import Dispatch

/// Work with pictures, which must not block the threads that connections are served on.
struct Offload: Sendable {
  private let queue: DispatchQueue

  /// Work that is done one after the other.
  init(_ name: String) { queue = DispatchQueue(label: "backdrop.studio." + name, qos: .userInitiated) }

  /// Does it, and waits without holding a thread.
  func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Waits until all that was asked for is done.
  func wait() { queue.sync {} }

  /// Does it some time.
  func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
