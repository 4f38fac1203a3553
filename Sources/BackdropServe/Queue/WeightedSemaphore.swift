import Synchronization

/// A semaphore of several units, which tasks take and give back. Units go to the waiting account that holds the fewest, and within an
/// account in the order of requests.
///
/// The last free unit can be kept for an account that holds none, so that its next task does not wait for the others' work.
final class WeightedSemaphore: Sendable {
  private struct Waiter {
    let number: Int, units: Int, account: String
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var waiters: [Waiter] = []
    var count = 0
    /// The units that accounts hold.
    var held: [String: Int] = [:]
    /// The times at which accounts without units gave back their last one.
    var left: [String: ContinuousClock.Instant] = [:]
    /// The numbers of tasks that were cancelled before they started to wait.
    var cancelled: Set<Int> = []
  }

  let units: Int
  private let seconds: Double
  private let state: Mutex<State>

  /// - Parameter seconds: for how long an account that gave back all its units finds one free, whatever the others ask for. They then use one
  ///   unit less.
  init(units: Int, keptFree seconds: Double = 0) {
    self.units = units
    self.seconds = seconds
    state = Mutex(State(free: units))
  }

  var use: (taken: Int, waiting: Int) { state.withLock { (units - $0.free, $0.waiters.count) } }

  /// Runs `body` while it holds units: the wanted number, or all if fewer exist.
  func holding<T>(_ wanted: Int = 1, for account: String = "", _ body: () async throws -> T) async throws -> T {
    let wanted = min(wanted, units)
    try await acquire(wanted, account)
    defer { give(wanted, account) }
    return try await body()
  }

  private func acquire(_ wanted: Int, _ account: String) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let isThere = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { state in
          guard state.cancelled.remove(number) == nil else { return continuation.resume(returning: false) }
          state.waiters.append(Waiter(number: number, units: wanted, account: account, continuation: continuation))
        }
      }
    } onCancel: {
      change { state in
        guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return
        }
        state.waiters.remove(at: index).continuation.resume(returning: false)
      }
    }
    state.withLock { _ = $0.cancelled.remove(number) }
    guard isThere else { throw CancellationError() }
    guard !Task.isCancelled else {
      give(wanted, account)
      throw CancellationError()
    }
  }

  private func give(_ units: Int, _ account: String) {
    change { state in
      state.free += units
      let rest = (state.held[account] ?? units) - units
      state.held[account] = rest == 0 ? nil : rest
      if rest == 0 { state.left[account] = .now }
    }
  }

  /// Changes the state, then gives units to the waiting tasks that can continue.
  private func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      let now = ContinuousClock.now
      state.left = state.left.filter { now - $0.value < .seconds(seconds) }
      while let index = state.waiters.indices.min(by: {
        (state.held[state.waiters[$0].account] ?? 0, $0) < (state.held[state.waiters[$1].account] ?? 0, $1)
      }) {
        let waiter = state.waiters[index]
        let keepsOne = state.held[waiter.account] != nil && !state.left.isEmpty
        guard waiter.units <= state.free - (keepsOne ? 1 : 0) else { break }
        state.waiters.remove(at: index)
        state.free -= waiter.units
        state.held[waiter.account, default: 0] += waiter.units
        state.left[waiter.account] = nil
        waiter.continuation.resume(returning: true)
      }
    }
  }
}
