import Backdrop
import BackdropHTTP
import Dispatch
import Synchronization

/// Limits the work on pictures: the number of requests at once, the number of waiting ones, and the memory of all.
final class WorkQueue: Sendable {
  /// A request that works on a picture, from its head to the end of its work.
  ///
  /// It holds a slot only once its body is there, so a body that never comes keeps nobody out.
  final class Ticket: Sendable {
    let account: String
    private let queue: WorkQueue
    fileprivate let number: Int

    fileprivate init(_ queue: WorkQueue, _ number: Int, _ account: String) {
      (self.queue, self.number, self.account) = (queue, number, account)
    }

    deinit { queue.state.withLock { _ = $0.entries.removeValue(forKey: number) } }
  }

  /// The error that a request has no slot, or had to give its slot to another account.
  struct Full: Error {}

  private struct Entry {
    enum Stage { case arriving, waiting, working }

    let account: String
    var stage = Stage.arriving
    var cancel: (@Sendable () -> Void)?
    /// Whether another account took the slot.
    var isDisplaced = false
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var count = 0
    /// The moving average of the time of a request's work; 0 before the first.
    var meanSeconds = 0.0

    var admitted: Int { entries.values.count { $0.stage != .arriving } }

    /// The newest waiting request of the account that has most slots; `nil` if `account` would then have more than it.
    func victim(for account: String) -> Int? {
      var counts: [String: Int] = [:]
      for entry in entries.values where entry.stage != .arriving { counts[entry.account, default: 0] += 1 }
      let own = counts[account] ?? 0
      return entries.filter { $0.value.stage == .waiting && (counts[$0.value.account] ?? 0) > own + 1 }
        .max { (counts[$0.value.account] ?? 0, $0.key) < (counts[$1.value.account] ?? 0, $1.key) }?.key
    }
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let workers: WeightedSemaphore
  private let memory: WeightedSemaphore
  private let networks: SpareNetworks
  private let queue = DispatchQueue(label: "backdrop.serve", qos: .userInitiated, attributes: .concurrent)
  /// The number of threads for drawing one picture.
  let threads: Int

  /// - Parameter memory: the bytes that the work on all requests may take; several queues may share it.
  init(concurrency: Int, waiting: Int, memory: WeightedSemaphore) {
    capacity = concurrency + waiting
    workers = WeightedSemaphore(units: concurrency, keptFree: 10)
    self.memory = memory
    networks = SpareNetworks(maximum: concurrency)
    threads = max(1, WorkerPool.processorCount / concurrency)
  }

  /// The memory that the limits leave for pictures, without the share of networks, libraries and the program, which is
  /// needed only once.
  static func memory(_ limits: ImageLimits) -> WeightedSemaphore {
    WeightedSemaphore(units: max(1, limits.memory - ImageLimits.memoryNeeded(forPixels: 0)))
  }

  /// Begins a request, by its head.
  func arrive(_ account: String) -> Ticket {
    state.withLock { state in
      state.count += 1
      state.entries[state.count] = Entry(account: account)
      return Ticket(self, state.count, account)
    }
  }

  func hasSlot(for account: String) -> Bool {
    state.withLock { $0.admitted < capacity || $0.victim(for: account) != nil }
  }

  /// Gives a request a slot, unless it has one. If all are taken, the account with most of them loses one that waits, unless the request's
  /// own account would then have more.
  ///
  /// - Throws: ``Full`` if there is none, or if another account took the request's slot.
  func admit(_ ticket: Ticket) throws {
    let cancel = try state.withLock { state -> (@Sendable () -> Void)? in
      guard let entry = state.entries[ticket.number], !entry.isDisplaced else { throw Full() }
      guard entry.stage == .arriving else { return nil }
      var cancel: (@Sendable () -> Void)?
      if state.admitted >= capacity {
        guard let victim = state.victim(for: ticket.account) else { throw Full() }
        cancel = state.entries[victim]?.cancel
        state.entries[victim]?.isDisplaced = true
        // Its slot is free from now on.
        state.entries[victim]?.stage = .arriving
      }
      state.entries[ticket.number]?.stage = .waiting
      return cancel
    }
    cancel?()
  }

  /// The seconds after which a refused client may try again.
  var retrySeconds: Int {
    let mean = state.withLock { $0.meanSeconds }
    return min(60, max(1, Int((mean * Double(capacity) / Double(workers.units)).rounded(.up))))
  }

  /// The numbers of requests whose bodies are on their way, of requests with a slot, of requests in work, and of reserved bytes.
  var use: (arriving: Int, admitted: Int, working: Int, memory: Int) {
    let (all, admitted) = state.withLock { ($0.entries.count, $0.admitted) }
    return (all - admitted, admitted, workers.use.taken, memory.use.taken)
  }

  /// Does the work on a picture in two steps: opening it, which tells how much memory the rest needs, and drawing it.
  ///
  /// - Parameters:
  ///   - ticket: the request, which holds a slot until the work has stopped.
  ///   - stop: called if the request is cancelled, on another thread, to end what cannot ask.
  ///   - open: opens the picture and returns the number of its pixels.
  ///   - draw: does the rest; its last argument returns whether the request was cancelled.
  /// - Throws: ``Full`` without a slot, `CancellationError` if the request was cancelled, and the errors of both functions.
  func run<Opened, Result: Sendable>(
    _ ticket: Ticket, stop: @escaping @Sendable () -> Void = {},
    open: @escaping @Sendable () throws(BackdropError) -> (opened: Opened, pixels: Int),
    draw: @escaping @Sendable (Opened, ModelCache, @escaping @Sendable () -> Bool) throws(BackdropError) -> Result
  ) async throws -> Result {
    try admit(ticket)
    let task = Task {
      try await workers.holding(for: ticket.account) {
        let start = ContinuousClock.now
        try state.withLock { state in
          guard state.entries[ticket.number]?.isDisplaced == false else { throw Full() }
          state.entries[ticket.number]?.stage = .working
        }
        let (opened, pixels) = try await offload(stop) { _ throws(BackdropError) in
          let (opened, pixels) = try open()
          return (UncheckedTransfer(opened), pixels)
        }
        let bytes = ImageLimits.memoryNeeded(forPixels: pixels) - ImageLimits.memoryNeeded(forPixels: 0)
        let result = try await memory.holding(bytes, for: ticket.account) {
          try await offload(stop) { [networks] isCancelled throws(BackdropError) in
            let own = networks.next()
            defer { networks.give(own) }
            return try draw(opened.value, own, isCancelled)
          }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        state.withLock { $0.meanSeconds = $0.meanSeconds == 0 ? seconds : 0.9 * $0.meanSeconds + 0.1 * seconds }
        return result
      }
    }
    state.withLock { $0.entries[ticket.number]?.cancel = { task.cancel() } }
    let outcome = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    if state.withLock({ $0.entries[ticket.number]?.isDisplaced ?? false }) { throw Full() }
    return try outcome.get()
  }

  private func offload<T: Sendable>(
    _ stop: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws(BackdropError) -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let isCancelled = EndRequest()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          let result = Swift.Result { () throws(BackdropError) in try body { isCancelled.isRaised } }
          // What fails because it was stopped has no error of its own.
          guard isCancelled.isRaised else { return continuation.resume(with: result) }
          continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      isCancelled.raise()
      queue.async(execute: stop)
    }
  }
}
