import NIOCore
import NIOHTTP1
import NIOHTTP2

extension HTTPServer {
  /// The names of the handlers that are removed from an upgraded connection.
  private static let ofRequests = ["watch", "requests"]
  /// The maximum number of concurrent streams of a connection.
  private static let streams = 32

  /// Sets a connection up for HTTP/1.1, and for another protocol that a request may ask for.
  package static func speakHTTP1(
    _ channel: any Channel, _ router: any RequestRouter, _ slot: Connections.Slot,
    upgrader: any HTTPServerProtocolUpgrader & Sendable
  ) throws {
    let watch = ConnectionWatch()
    try channel.pipeline.syncOperations.addHandler(watch, name: ofRequests[0])
    try addHTTP1(to: channel, router, watch, slot, upgrader)
  }

  /// Sets a connection up for HTTP/1.1, or for HTTP/2 if the client starts with its preface (RFC 9113, section 3.3).
  package static func speakHTTP(
    _ channel: any Channel, _ router: any RequestRouter, _ slot: Connections.Slot
  ) throws {
    let watch = ConnectionWatch()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(watch, name: ofRequests[0])
    try pipeline.addHandler(
      ProtocolDetector { context, isHTTP2 in
        if isHTTP2 {
          watch.stopWatchingHeads()
          try addHTTP2(to: context.channel, router, watch, slot)
        } else {
          try addHTTP1(to: context.channel, router, watch, slot, nil)
        }
      })
  }

  private static func addHTTP1(
    to channel: any Channel, _ router: any RequestRouter, _ watch: ConnectionWatch, _ slot: Connections.Slot,
    _ upgrader: (any HTTPServerProtocolUpgrader & Sendable)?
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    // The request handler frames answers itself, because an answer to HEAD has no body.
    var encoder = HTTPResponseEncoder.Configuration()
    encoder.automaticallySetFramingHeaders = false
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: true,
      withServerUpgrade: upgrader.map { upgrader in
        (
          [upgrader],
          { context in
            // Remove the request handlers; a socket has its own.
            for name in ofRequests { context.pipeline.syncOperations.removeHandler(name: name, promise: nil) }
          }
        )
      },
      withErrorHandling: false, withOutboundHeaderValidation: true, withEncoderConfiguration: encoder,
      withDecoderLimitConfiguration: Limits.decoder)
    try pipeline.addHandler(RequestHandler(router, watch, slot), name: ofRequests[1])
  }

  private static func addHTTP2(
    to channel: any Channel, _ router: any RequestRouter, _ watch: ConnectionWatch, _ slot: Connections.Slot
  ) throws {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.maximumBufferedControlFrames = 256
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: Limits.headBytes),
    ]
    let shared = NIOLoopBound(watch, eventLoop: channel.eventLoop)
    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
      mode: .server, connectionConfiguration: connection, streamConfiguration: .init()
    ) { stream in
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
        try stream.pipeline.syncOperations.addHandler(RequestHandler(router, shared.value, slot, isStream: true))
      }
    }
    try channel.pipeline.syncOperations.addHandler(ConnectionErrors(watch))
  }
}
