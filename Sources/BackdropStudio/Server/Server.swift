import BackdropHTTP
import BackdropImaging
import NIOHTTP1
import NIOWebSocket

/// Passes each connection of the studio through HTTP to the router or to a page's socket.
enum Server {
  /// The maximum number of open connections.
  private static let connections = 64

  /// Starts listening on an IPv4 address of this machine; the result and the errors are those of `HTTPServer.open`.
  static func open(
    _ router: Router, hub: Hub, address: String, port: Int
  ) throws(BackdropError) -> HTTPServer? {
    try HTTPServer.open(
      .host(address, port: port), Connections(maximum: connections), title: "the studio"
    ) { channel, slot in
      let upgrader = NIOWebSocketServerUpgrader(
        maxFrameSize: PageSocket.maximumData, automaticErrorHandling: false,
        shouldUpgrade: { channel, head in
          channel.eventLoop.makeSucceededFuture(router.admitsSocket(head) ? HTTPHeaders() : nil)
        },
        upgradePipelineHandler: { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            slot.isKept = true
            try channel.pipeline.syncOperations.addHandler(PageSocket(hub))
          }
        })
      try HTTPServer.speakHTTP1(channel, router, slot, upgrader: upgrader)
    }
  }
}
