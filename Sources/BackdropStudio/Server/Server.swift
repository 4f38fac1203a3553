import BackdropImaging
import Libc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Listens, and leads each connection through HTTP to the router, or to a socket of the page.
///
/// Its threads only read heads, pass bytes on and write; pictures are worked on elsewhere. What a stranger can make them do is
/// bounded by ``Limits`` before anything is looked at.
final class Server: Sendable {
  enum Limits {
    /// Of a head: 8 KiB a field, 16 KiB in all, 100 fields.
    static let decoder = {
      var limits = NIOHTTPDecoderLimitConfiguration()
      (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8 << 10, 16 << 10, 100)
      return limits
    }()
    /// From the first byte of a head to its last.
    static let headTime = TimeAmount.seconds(10)
    /// Without a byte in either direction.
    static let idleTime = TimeAmount.seconds(60)
    /// Open at once.
    static let connections = 64
    /// A frame of a page's socket, of which a picture of the browser's webcam is the largest.
    static let frame = 4 << 20
  }

  /// The names of the handlers that a socket has no use for.
  private static let ofRequests = ["idle", "requests"]

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let isStopping = Atomic<Bool>(false)
  /// The port that it listens on.
  let port: Int

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: an IPv4 address of this machine.
  ///   - onEnd: told why, where it ends by itself.
  /// - Returns: `nil` if the port is taken.
  /// - Throws: `system` if it cannot be had for another reason.
  static func open(
    _ router: Router, hub: Hub, address: String, port: Int, onEnd: @escaping @Sendable (BackdropError) -> Void
  ) throws(BackdropError) -> Server? {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let connections = Connections()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try Self.set(up: channel, router, hub, connections)
        }
      }
    let channel: any Channel
    do {
      channel = try bootstrap.bind(host: address, port: port).wait()
    } catch {
      group.shutdownGracefully { _ in }
      if (error as? IOError)?.errnoCode == EADDRINUSE { return nil }
      throw BackdropError(.system, "the studio cannot listen on port \(port) (\(error))", hint: .choosePort)
    }
    let server = Server(group, channel, port: channel.localAddress?.port ?? port)
    channel.closeFuture.whenComplete { [weak server] result in
      guard let server, !server.isStopping.load(ordering: .relaxed) else { return }
      let reason = if case .failure(let error) = result { " (\(error))" } else { "" }
      onEnd(BackdropError(.system, "the studio's server stopped unexpectedly\(reason)", hint: "restart the studio"))
    }
    return server
  }

  private init(_ group: MultiThreadedEventLoopGroup, _ channel: any Channel, port: Int) {
    (self.group, self.channel, self.port) = (group, channel, port)
  }

  private static func set(
    up channel: any Channel, _ router: Router, _ hub: Hub, _ connections: Connections
  ) throws {
    guard let place = connections.place(for: channel) else {
      return channel.close(promise: nil)
    }
    let watch = IdleWatch()
    let handler = RequestHandler(router, watch, place)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: Limits.frame, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(router.admitsSocket(head) ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          place.isKept = true
          try channel.pipeline.syncOperations.addHandler(PageSocket(hub))
        }
      })
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(watch, name: ofRequests[0])
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: true,
      withServerUpgrade: (
        [upgrader],
        { context in
          // What belongs to requests goes; a socket has its own.
          for name in Self.ofRequests { context.pipeline.removeHandler(name: name, promise: nil) }
        }
      ),
      withErrorHandling: false, withOutboundHeaderValidation: true, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: Limits.decoder)
    try pipeline.addHandler(handler, name: ofRequests[1])
  }

  /// Ends it with all its connections.
  func stop() {
    isStopping.store(true, ordering: .relaxed)
    do {
      try channel.close().wait()
    } catch {
      // It has ended already.
    }
    do {
      try group.syncShutdownGracefully()
    } catch {
      // Its threads end with the process.
    }
  }
}
