import BackdropHTTP
import BackdropImaging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Leads each connection of the studio through HTTP to the router, or to a socket of the page.
enum Server {
  /// Connections that are open at once.
  private static let connections = 64

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: an IPv4 address of this machine.
  ///   - onEnd: told why, where it ends by itself.
  /// - Returns: `nil` if the port is taken.
  /// - Throws: `system` if it cannot be had for another reason.
  static func open(
    _ router: Router, hub: Hub, address: String, port: Int, onEnd: @escaping @Sendable (BackdropError) -> Void
  ) throws(BackdropError) -> HTTPServer? {
    try HTTPServer.open(
      .host(address, port: port), Connections(maximum: connections), title: "the studio", onEnd: onEnd
    ) { channel, place in
      let upgrader = NIOWebSocketServerUpgrader(
        maxFrameSize: PageSocket.maximumData, automaticErrorHandling: false,
        shouldUpgrade: { channel, head in
          channel.eventLoop.makeSucceededFuture(router.admitsSocket(head) ? HTTPHeaders() : nil)
        },
        upgradePipelineHandler: { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            place.isKept = true
            try channel.pipeline.syncOperations.addHandler(PageSocket(hub))
          }
        })
      try HTTPServer.speakHTTP1(channel, router, place, upgrade: HTTPServer.Upgrade([upgrader]))
    }
  }
}
