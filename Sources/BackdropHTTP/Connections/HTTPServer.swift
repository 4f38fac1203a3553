import BackdropImaging
import Libc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens, and hands each connection on.
///
/// Its threads only read headers, transfer bytes and write; pictures are processed elsewhere. ``Limits`` bounds a stranger's influence
/// before anything is examined.
package final class HTTPServer: Sendable {
  package enum Limits {
    /// For a header: 8 KiB a field, 16 KiB in total, 100 fields.
    package static let decoder = {
      var limits = NIOHTTPDecoderLimitConfiguration()
      (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8 << 10, headBytes, 100)
      return limits
    }()
    /// Bytes of a head.
    static let headBytes = 16 << 10
    /// From the first byte of a header to its last.
    static let headTime = TimeAmount.seconds(10)
    /// Without a byte in either direction.
    package static let idleTime = TimeAmount.seconds(60)
  }

  /// Where a server listens.
  package enum Address: Sendable {
    /// An address of this machine and a port; 0 for any that is free.
    case host(String, port: Int)
    /// A socket that listens already, which the server takes over.
    case socket(Int32)
  }

  /// Sets up a new connection, before it is read from.
  package typealias Setup = @Sendable (any Channel, Connections.Place) throws -> Void

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let isStopping = Atomic<Bool>(false)
  /// The port on which it listens.
  package let port: Int

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: where.
  ///   - connections: the places of connections.
  ///   - title: the server's name in messages.
  ///   - onEnd: receives the reason if the server ends by itself.
  ///   - setUp: called for each connection, on its thread.
  /// - Returns: `nil` if the port is taken.
  /// - Throws: `system` if the port is unavailable for another reason.
  package static func open(
    _ address: Address, _ connections: Connections, title: String,
    onEnd: @escaping @Sendable (BackdropError) -> Void, setUp: @escaping Setup
  ) throws(BackdropError) -> HTTPServer? {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let place = connections.place(for: channel) else { return channel.close(promise: nil) }
          // A socket of a file system has no such option.
          if channel.remoteAddress?.ipAddress != nil {
            try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
          }
          try setUp(channel, place)
        }
      }
    let channel: any Channel
    do {
      channel =
        switch address {
        case .host(let host, let port): try bootstrap.bind(host: host, port: port).wait()
        case .socket(let descriptor): try bootstrap.withBoundSocket(descriptor).wait()
        }
    } catch {
      group.shutdownGracefully { _ in }
      if (error as? IOError)?.errnoCode == EADDRINUSE { return nil }
      guard case .host(let host, let port) = address else {
        throw BackdropError(.system, "\(title) cannot use the socket that it was given (\(error))")
      }
      throw BackdropError(.system, "\(title) cannot listen on \(host):\(port) (\(error))", hint: .choosePort)
    }
    let server = HTTPServer(group, channel)
    channel.closeFuture.whenComplete { [weak server] result in
      guard let server, !server.isStopping.load(ordering: .relaxed) else { return }
      let reason = if case .failure(let error) = result { " (\(error))" } else { "" }
      onEnd(BackdropError(.system, "the server of \(title) stopped unexpectedly\(reason)", hint: "start it again"))
    }
    return server
  }

  private init(_ group: MultiThreadedEventLoopGroup, _ channel: any Channel) {
    (self.group, self.channel, port) = (group, channel, channel.localAddress?.port ?? 0)
  }

  /// Takes no more connections; those that are open stay.
  package func stopListening() {
    isStopping.store(true, ordering: .relaxed)
    do {
      try channel.close().wait()
    } catch {
      // It has ended already.
    }
  }

  /// Ends the server with all its connections.
  package func stop() {
    stopListening()
    do {
      try group.syncShutdownGracefully()
    } catch {
      // Its threads end with the process.
    }
  }
}
