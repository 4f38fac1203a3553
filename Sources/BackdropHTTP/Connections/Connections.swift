import NIOCore
import Synchronization

/// The open connections, up to a maximum.
///
/// Beyond the maximum, each new connection displaces another: the first to go are those whose client has shown no key, then those
/// without work, and among them those of the address that has most, the oldest first. An attacker who opens connections to lock others
/// out therefore loses only their own.
package final class Connections: Sendable {
  private struct State {
    var slots: [Slot] = []
    var counts: [String: Int] = [:]
  }

  private let maximum: Int
  private let state = Mutex(State())

  package init(maximum: Int) { self.maximum = maximum }

  package var count: Int { state.withLock { $0.slots.count } }

  /// The number of connections that serve a known client's request, up to the end of its answer.
  package var workingCount: Int { state.withLock { $0.slots.count { $0.work.load(ordering: .relaxed) > 0 } } }

  /// The slot of one connection, until it ends.
  package final class Slot: Sendable {
    fileprivate let channel: any Channel
    fileprivate let peer: String
    private let known = Atomic(false)
    private let kept = Atomic(false)
    fileprivate let work = Atomic(0)

    fileprivate init(_ channel: any Channel) {
      self.channel = channel
      peer = channel.remoteAddress?.ipAddress ?? ""
    }

    /// Whether its client has shown that it may use the server.
    package var isKnown: Bool {
      get { known.load(ordering: .relaxed) }
      set { known.store(newValue, ordering: .relaxed) }
    }

    /// Whether nothing displaces it, because it is a page's WebSocket.
    package var isKept: Bool {
      get { kept.load(ordering: .relaxed) }
      set { kept.store(newValue, ordering: .relaxed) }
    }

    /// Counts a request that is worked on.
    func begin() { work.add(1, ordering: .relaxed) }

    /// Ends the count of ``begin()``.
    func end() { work.subtract(1, ordering: .relaxed) }

    /// What it is worth when slots run short; lower values go first.
    fileprivate var rank: Int {
      isKept ? 3 : !isKnown ? 0 : work.load(ordering: .relaxed) == 0 ? 1 : 2
    }
  }

  /// A slot for a new connection; `nil` if all others are busy.
  package func slot(for channel: any Channel) -> Slot? {
    let slot = Slot(channel)
    let (isFree, old) = state.withLock { state -> (Bool, Slot?) in
      var old: Slot?
      if state.slots.count >= maximum {
        guard let index = victim(of: slot, state) else { return (false, nil) }
        old = state.slots[index]
        Self.remove(index, &state)
      }
      state.slots.append(slot)
      state.counts[slot.peer, default: 0] += 1
      return (true, old)
    }
    old?.channel.close(promise: nil)
    guard isFree else { return nil }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { state in
        if let index = state.slots.firstIndex(where: { $0 === slot }) { Self.remove(index, &state) }
      }
    }
    return slot
  }

  private static func remove(_ index: Int, _ state: inout State) {
    let peer = state.slots.remove(at: index).peer
    let left = (state.counts[peer] ?? 1) - 1
    state.counts[peer] = left == 0 ? nil : left
  }

  /// The slot that a new connection takes over; `nil` if all are busy. From an address with more than half of the slots, other addresses
  /// also take busy ones.
  private func victim(of new: Slot, _ state: State) -> Int? {
    var best: (index: Int, rank: Int, count: Int)?
    for (index, slot) in state.slots.enumerated() {
      let rank = slot.rank
      guard rank < 3, rank <= best?.rank ?? 2 else { continue }
      let count = state.counts[slot.peer] ?? 0
      if rank == 2 && (slot.peer == new.peer || count <= maximum / 2) { continue }
      if rank < best?.rank ?? 3 || count > best?.count ?? 0 { best = (index, rank, count) }
    }
    return best?.index
  }
}
