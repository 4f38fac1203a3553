import Dispatch
import FlyingSocks
import Foundation
import Glibc
import Synchronization

/// Waits for connections on a thread of its own, by poll(2), each time anew.
///
/// FlyingFox's own pool remembers what it waits for by the number of a connection's descriptor. Where a connection is closed while
/// somebody still waits on it, the next one with that number is never waited for: a page that was shut at the wrong moment leaves
/// one that hangs. Here nothing is remembered: a descriptor that is closed, or has become another connection's, ends the wait.
final class ConnectionPool: AsyncSocketPool {
  private struct Waiter {
    var file: Int32
    /// What the descriptor stood for when the wait began.
    var inode: UInt64
    var events: Int16
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var waiters: [UInt64: Waiter] = [:]
    /// Waits that were given up before they began.
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  /// A pipe that wakes the thread: what is written to its second end is read from its first.
  private let bell: (ear: Int32, hammer: Int32)
  /// The longest look, in milliseconds: a descriptor that is closed meanwhile is seen after it.
  private static let longestLook: Int32 = 500

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
    bell = (ends[0], ends[1])
  }

  deinit {
    close(bell.ear)
    close(bell.hammer)
  }

  /// How many wait now.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  func prepare() async throws {
    guard bell.ear >= 0 else { throw SocketError.disconnected }
  }

  func run() async throws {
    Thread.detachNewThread { self.watch() }
    await withTaskCancellationHandler {
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: .seconds(3600))
        } catch {
          // It was cancelled.
        }
      }
    } onCancel: {
      stop()
    }
    throw CancellationError()
  }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    let file = socket.file.rawValue
    // The socket that listens waits for this; connections inherit the option. FlyingFox writes an answer's head and its body apart,
    // and without it the body waits until the other side has acknowledged the head: 40 ms for each.
    if events == .connection {
      var yes: Int32 = 1
      setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    let wanted = (events.contains(.read) ? POLLIN : 0) | (events.contains(.write) ? POLLOUT : 0)
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    // A wait that was given up as it ended leaves its number.
    defer { state.withLock { _ = $0.cancelled.remove(number) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let failure: (any Error)? = state.withLock { state in
          if state.cancelled.remove(number) != nil || state.isStopped { return CancellationError() }
          guard let inode = Self.inode(of: file) else { return SocketError.disconnected }
          state.waiters[number] = Waiter(
            file: file, inode: inode, events: Int16(wanted), continuation: continuation)
          return nil
        }
        if let failure { continuation.resume(throwing: failure) } else { ring() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: number)
        if waiter == nil { state.cancelled.insert(number) }
        return waiter
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func ring() {
    // A full pipe rings already.
    var one: UInt8 = 1
    _ = write(bell.hammer, &one, 1)
  }

  private func stop() {
    let waiters = state.withLock { state in
      state.isStopped = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.continuation.resume(throwing: CancellationError()) }
    ring()
  }

  private func watch() {
    var rings = [UInt8](repeating: 0, count: 256)
    while true {
      let (waiters, isStopped) = state.withLock { (Array($0.waiters), $0.isStopped) }
      if isStopped { return }
      var looks = [pollfd(fd: bell.ear, events: Int16(POLLIN), revents: 0)]
      for (_, waiter) in waiters { looks.append(pollfd(fd: waiter.file, events: waiter.events, revents: 0)) }
      let count = Glibc.poll(&looks, nfds_t(looks.count), waiters.isEmpty ? -1 : Self.longestLook)
      guard count > 0 || waiters.contains(where: { Self.inode(of: $0.value.file) != $0.value.inode }) else { continue }
      if looks[0].revents != 0 { _ = read(bell.ear, &rings, rings.count) }
      for (look, (number, waiter)) in zip(looks.dropFirst(), waiters) {
        let isSame = Self.inode(of: waiter.file) == waiter.inode
        guard look.revents != 0 || !isSame else { continue }
        guard state.withLock({ $0.waiters.removeValue(forKey: number) }) != nil else { continue }
        if isSame && Int32(look.revents) & POLLNVAL == 0 {
          waiter.continuation.resume()
        } else {
          waiter.continuation.resume(throwing: SocketError.disconnected)
        }
      }
    }
  }

  /// What a descriptor stands for: each connection has a number of its own.
  private static func inode(of file: Int32) -> UInt64? {
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    return UInt64(status.st_ino)
  }
}
