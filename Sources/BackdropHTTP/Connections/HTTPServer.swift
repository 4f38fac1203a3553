import BackdropImaging
import Libc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens on an address and sets up each connection.
///
/// Its threads only read heads and transfer bytes; pictures are processed on other threads. ``Limits`` bounds the resources that a
/// client can take before its request is checked.
package final class HTTPServer: Sendable {
  package enum Limits {
    /// The limits of a head: 8 KiB per field, 16 KiB in total, 100 fields.
    package static let decoder = {
      var limits = NIOHTTPDecoderLimitConfiguration()
      (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8 << 10, headBytes, 100)
      return limits
    }()
    static let headBytes = 16 << 10
    /// The maximum time from the first byte of a head to its last.
    static let headTime = TimeAmount.seconds(10)
    /// The maximum time without a request, or without progress of one.
    package static let idleTime = TimeAmount.seconds(60)
    /// The time from an error, or the last answer, to the end of a connection whose client does not close it.
    package static let closingTime = TimeAmount.seconds(1)
    /// The maximum number of bytes that are read from a connection at once.
    static let readBytes = 64 << 10
  }

  package enum Address: Sendable {
    /// An address of this machine and a port; 0 for any free one.
    case host(String, port: Int)
    /// A listening socket, which the server takes over.
    case socket(Int32)
  }

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let isStopping = Atomic<Bool>(false)
  private let fault = Mutex<BackdropError?>(nil)
  package let port: Int

  /// Starts a server, whose name in messages is `title`; `nil` if the port is taken.
  ///
  /// - Parameter setUp: sets up each connection before its first read, on its thread.
  /// - Throws: `system` if the port is unavailable for another reason.
  package static func open(
    _ address: Address, _ connections: Connections, title: String,
    setUp: @escaping @Sendable (any Channel, Connections.Slot) throws -> Void
  ) throws(BackdropError) -> HTTPServer? {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 4 << 10, maximum: Limits.readBytes)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let slot = connections.slot(for: channel) else { return channel.close(promise: nil) }
          // Unix sockets do not have this option.
          if channel.remoteAddress?.ipAddress != nil {
            try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
          }
          try setUp(channel, slot)
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
      let fault = BackdropError(
        .system, "the server of \(title) stopped unexpectedly\(reason)", hint: "start it again")
      server.fault.withLock { $0 = fault }
    }
    return server
  }

  private init(_ group: MultiThreadedEventLoopGroup, _ channel: any Channel) {
    (self.group, self.channel, port) = (group, channel, channel.localAddress?.port ?? 0)
  }

  /// The error with which it ended by itself; `nil` if it did not.
  package var failure: BackdropError? { fault.withLock { $0 } }

  /// Ends the server with all its connections.
  package func stop() {
    isStopping.store(true, ordering: .relaxed)
    do {
      try channel.close().wait()
    } catch {
      // The channel is already closed.
    }
    do {
      try group.syncShutdownGracefully()
    } catch {
      // Its threads end with the process.
    }
  }
}
