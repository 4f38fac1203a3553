import NIOCore
import Synchronization

/// The open connections, up to a maximum.
///
/// Beyond the maximum, each new connection displaces the oldest one that has no request. An attacker who opens connections to lock the
/// owner out therefore loses only their own.
package final class Connections: Sendable {
  private let maximum: Int
  private let places = Mutex<[Place]>([])

  package init(maximum: Int) { self.maximum = maximum }

  /// The number of open connections.
  package var count: Int { places.withLock { $0.count } }

  /// The slot of one connection, until it ends.
  package final class Place: Sendable {
    fileprivate let channel: any Channel
    private let kept = Atomic<Bool>(false)

    fileprivate init(_ channel: any Channel) { self.channel = channel }

    /// Whether new connections must not displace it, because it serves an admitted request or is a page's WebSocket.
    package var isKept: Bool {
      get { kept.load(ordering: .relaxed) }
      set { kept.store(newValue, ordering: .relaxed) }
    }
  }

  /// A slot for a new connection; `nil` if all others are busy.
  package func place(for channel: any Channel) -> Place? {
    let place = Place(channel)
    let (isFree, old) = places.withLock { places -> (Bool, Place?) in
      guard places.count >= maximum else {
        places.append(place)
        return (true, nil)
      }
      guard let index = places.firstIndex(where: { !$0.isKept }) else { return (false, nil) }
      let old = places.remove(at: index)
      places.append(place)
      return (true, old)
    }
    old?.channel.close(promise: nil)
    guard isFree else { return nil }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.places.withLock { $0.removeAll { $0 === place } }
    }
    return place
  }
}
