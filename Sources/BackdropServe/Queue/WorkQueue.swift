import Backdrop
import BackdropHTTP
import BackdropImaging
import Dispatch
import Synchronization

/// The work on pictures: so many requests at once, so many that wait, and a bound of memory for all of them.
final class WorkQueue: Sendable {
  /// A request that has been let in, until its answer is there.
  final class Ticket: Sendable {
    private let queue: WorkQueue

    fileprivate init(_ queue: WorkQueue) { self.queue = queue }

    deinit { queue.state.withLock { $0.admitted -= 1 } }
  }

  private struct State {
    var admitted = 0
    /// The mean time of a request's work, of which recent ones count most; 0 before the first.
    var meanSeconds = 0.0
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let workers: WeightedSemaphore
  private let memory: WeightedSemaphore
  private let networks: SpareNetworks
  private let queue = DispatchQueue(label: "backdrop.serve", qos: .userInitiated, attributes: .concurrent)
  /// Threads for drawing one picture.
  let threads: Int

  /// - Parameters:
  ///   - concurrency: requests that are worked on at once.
  ///   - waiting: those that wait beside them.
  ///   - memory: bytes that the work on all of them may take; several queues may share it.
  init(concurrency: Int, waiting: Int, memory: WeightedSemaphore) {
    capacity = concurrency + waiting
    workers = WeightedSemaphore(units: concurrency)
    self.memory = memory
    networks = SpareNetworks(maximum: concurrency)
    threads = max(1, WorkerPool.processorCount / concurrency)
  }

  /// The memory that limits leave for pictures: what networks, libraries and the program take is there once.
  static func memory(_ limits: ImageLimits) -> WeightedSemaphore {
    WeightedSemaphore(units: max(1, limits.memory - ImageLimits.memoryNeeded(forPixels: 0)))
  }

  /// Lets a request in; `nil` where as many wait as may.
  func admit() -> Ticket? {
    let isFree = state.withLock { state in
      guard state.admitted < capacity else { return false }
      state.admitted += 1
      return true
    }
    return isFree ? Ticket(self) : nil
  }

  /// Seconds after which a request that was not let in may try again.
  var retrySeconds: Int {
    let mean = state.withLock { $0.meanSeconds }
    return min(60, max(1, Int((mean * Double(capacity) / Double(workers.units)).rounded(.up))))
  }

  /// How much there is to do: requests let in, those worked on, and bytes set aside.
  var use: (admitted: Int, working: Int, memory: Int) {
    (state.withLock { $0.admitted }, workers.use.taken, memory.use.taken)
  }

  /// Does a picture's work, in two steps: it is opened, which tells how much memory the rest takes, and then drawn.
  ///
  /// - Parameters:
  ///   - open: opens the picture, and tells how many pixels it has.
  ///   - draw: does the rest; its second argument tells whether nobody waits for it any more.
  /// - Throws: `CancellationError` where nobody waits any more; what both throw.
  func run<Opened, Result: Sendable>(
    open: @escaping @Sendable () throws(BackdropError) -> (opened: Opened, pixels: Int),
    draw: @escaping @Sendable (Opened, ModelCache, @escaping @Sendable () -> Bool) throws(BackdropError) -> Result
  ) async throws -> Result {
    try await workers.holding {
      let start = ContinuousClock.now
      let isCancelled = Flag()
      let (opened, pixels) = try await offload(isCancelled) { () throws(BackdropError) in
        let (opened, pixels) = try open()
        return (UncheckedTransfer(opened), pixels)
      }
      let bytes = ImageLimits.memoryNeeded(forPixels: pixels) - ImageLimits.memoryNeeded(forPixels: 0)
      let result = try await memory.holding(bytes) {
        try await offload(isCancelled) { [networks] () throws(BackdropError) in
          let own = networks.take()
          defer { networks.give(own) }
          return try draw(opened.value, own, { isCancelled.isRaised })
        }
      }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      state.withLock { $0.meanSeconds = $0.meanSeconds == 0 ? seconds : 0.9 * $0.meanSeconds + 0.1 * seconds }
      return result
    }
  }

  private func offload<T: Sendable>(
    _ isCancelled: Flag, _ body: @escaping @Sendable () throws(BackdropError) -> T
  ) async throws -> T {
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Swift.Result { try body() }) }
      }
    } onCancel: {
      isCancelled.raise()
    }
  }

  /// Set once, from any thread.
  final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }
    func raise() { value.store(true, ordering: .relaxed) }
  }
}
