import Backdrop
import BackdropHTTP
import BackdropImaging
import Dispatch
import Synchronization

/// Limits the work on pictures: the number of requests at once, the number of waiting ones, and the memory of all.
final class WorkQueue: Sendable {
  /// The slot of an admitted request, until its answer is complete.
  final class Ticket: Sendable {
    private let queue: WorkQueue

    fileprivate init(_ queue: WorkQueue) { self.queue = queue }

    deinit { queue.state.withLock { $0.admitted -= 1 } }
  }

  private struct State {
    var admitted = 0
    /// The moving average of the time of a request's work; 0 before the first.
    var meanSeconds = 0.0
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let workers: WeightedSemaphore
  private let memory: WeightedSemaphore
  private let networks: SpareNetworks
  private let queue = DispatchQueue(label: "backdrop.serve", qos: .userInitiated, attributes: .concurrent)
  /// The number of threads for drawing one picture.
  let threads: Int

  /// - Parameters:
  ///   - concurrency: the maximum number of requests in work at once.
  ///   - waiting: the maximum number of requests that wait.
  ///   - memory: the bytes that the work on all requests may take; several queues may share it.
  init(concurrency: Int, waiting: Int, memory: WeightedSemaphore) {
    capacity = concurrency + waiting
    workers = WeightedSemaphore(units: concurrency)
    self.memory = memory
    networks = SpareNetworks(maximum: concurrency)
    threads = max(1, WorkerPool.processorCount / concurrency)
  }

  /// The memory that the limits leave for pictures, without the share of networks, libraries and the program, which is
  /// needed only once.
  static func memory(_ limits: ImageLimits) -> WeightedSemaphore {
    WeightedSemaphore(units: max(1, limits.memory - ImageLimits.memoryNeeded(forPixels: 0)))
  }

  /// Admits a request; `nil` if the queue is full.
  func admit() -> Ticket? {
    let isFree = state.withLock { state in
      guard state.admitted < capacity else { return false }
      state.admitted += 1
      return true
    }
    return isFree ? Ticket(self) : nil
  }

  /// The seconds after which a refused client may try again.
  var retrySeconds: Int {
    let mean = state.withLock { $0.meanSeconds }
    return min(60, max(1, Int((mean * Double(capacity) / Double(workers.units)).rounded(.up))))
  }

  /// The numbers of admitted requests, of requests in work, and of reserved bytes.
  var use: (admitted: Int, working: Int, memory: Int) {
    (state.withLock { $0.admitted }, workers.use.taken, memory.use.taken)
  }

  /// Does the work on a picture in two steps: opening it, which tells how much memory the rest needs, and drawing it.
  ///
  /// - Parameters:
  ///   - open: opens the picture and returns the number of its pixels.
  ///   - draw: does the rest; its last argument returns whether the request was cancelled.
  /// - Throws: `CancellationError` if the request was cancelled, and the errors of both functions.
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

  /// A flag that any thread can set once.
  final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }
    func raise() { value.store(true, ordering: .relaxed) }
  }
}
