import NIOCore
import Synchronization

/// All open connections: not more than ``Server/Limits/connections``.
///
/// Where one more comes, the one that has been waiting for a request longest is closed for it: whoever opens connections to keep the
/// owner out only loses his own.
final class Connections: Sendable {
  private let places = Mutex<[Place]>([])

  /// The place of one connection, until that ends.
  final class Place: Sendable {
    fileprivate let channel: any Channel
    private let kept = Atomic<Bool>(false)

    fileprivate init(_ channel: any Channel) { self.channel = channel }

    /// Whether it must not be closed for another one: a request of somebody who was let in is under way, or it is a page's socket.
    var isKept: Bool {
      get { kept.load(ordering: .relaxed) }
      set { kept.store(newValue, ordering: .relaxed) }
    }
  }

  /// A place for a new connection; `nil` where all others are in use.
  func place(for channel: any Channel) -> Place? {
    let place = Place(channel)
    let (isFree, old) = places.withLock { places -> (Bool, Place?) in
      guard places.count >= Server.Limits.connections else {
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
