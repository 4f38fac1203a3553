import Synchronization

/// Distributes numbered pieces of work to threads, and keeps the first error.
package struct ParallelParts {
  private final class State: Sendable {
    let next = Atomic<Int>(0)
    let failure = Mutex<BackdropError?>(nil)
  }

  /// The number of threads; `nil` means one per processor.
  package static func threadCount(_ threads: Int?) -> Int {
    max(1, min(threads ?? WorkerPool.processorCount, 64))
  }

  /// The results of `make` for each number in `0 ..< count`, made in parallel, in order. Each number has its own error, so that callers can
  /// throw the first in order, not in time.
  package static func results<Result: Sendable>(
    _ count: Int, threads: Int? = nil, _ make: @escaping @Sendable (_ index: Int) throws(BackdropError) -> Result
  ) throws(BackdropError) -> [Swift.Result<Result, BackdropError>] {
    let made = Mutex<[Int: Swift.Result<Result, BackdropError>]>([:])
    try run(count, threads: threads) { (next) throws(BackdropError) in
      while let index = next() {
        let result = Swift.Result { () throws(BackdropError) in try make(index) }
        made.withLock { $0[index] = result }
      }
    }
    let found = made.withLock { $0 }
    // Without an error, every number has a result.
    return (0..<count).compactMap { found[$0] }
  }

  /// Calls `work` once on each thread, with a function that returns the next piece in `0 ..< count` until none is left. The thread can keep
  /// expensive state, such as a decoder, between pieces.
  ///
  /// - Throws: the first error; the other threads stop at their next piece.
  package static func run(
    _ count: Int, threads: Int?, _ work: @escaping @Sendable (_ nextPiece: () -> Int?) throws(BackdropError) -> Void
  ) throws(BackdropError) {
    let pool = WorkerPool(threads: min(count, threadCount(threads)))
    var state = State()
    pool.run(parts: pool.threadCount, &state) { state, _ in
      do throws(BackdropError) {
        try work {
          guard state.failure.withLock({ $0 == nil }) else { return nil }
          let index = state.next.wrappingAdd(1, ordering: .relaxed).oldValue
          return index < count ? index : nil
        }
      } catch {
        state.failure.withLock { $0 = $0 ?? error }
      }
    }
    if let failure = state.failure.withLock({ $0 }) { throw failure }
  }
}
