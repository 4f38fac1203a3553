import NIOCore

/// Bounds what a connection takes: the time of a head, the time without a request, and the bytes that wait behind a request. It is
/// first in the pipeline, so it sees each byte.
package final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = IOData

  private var context: ChannelHandlerContext?
  private var timer: Scheduled<Void>?
  private var waitsForHead = true, hasBegun = false
  /// Whether requests come one after the other, as in HTTP/1.1.
  private var isSerial = true
  /// The number of answers in preparation; while there are any, the connection does not count as idle.
  private var answers = 0
  /// Bytes behind the request that is being answered. A decoder would turn them into far larger objects.
  private var held = ByteBuffer()
  private var holds = false, isFeeding = false, isReadHeld = false, isEnding = false
  /// The maximum number of bytes that the decoder gets at once.
  private static let piece = 4 << 10

  package init() {}

  /// Watches only for idleness from now on, because the requests of HTTP/2 come in parallel.
  func stopWatchingHeads() { (isSerial, waitsForHead) = (false, false) }

  // MARK: - Time

  /// Stops the time while an answer is prepared.
  package func begin() {
    answers += 1
    timer?.cancel()
  }

  /// Restarts the time after ``begin()``.
  package func end() {
    answers -= 1
    touch()
  }

  /// Tells that the next bytes are a head.
  package func waitForHead() {
    guard isSerial else { return touch() }
    (waitsForHead, hasBegun) = (true, false)
    touch()
  }

  package func headIsThere() {
    waitsForHead = false
    touch()
  }

  /// Restarts the time after a request or an answer has progressed. Other bytes, such as pings, do not count.
  package func touch() { if answers == 0 && !isEnding { start(HTTPServer.Limits.idleTime) } }

  private func start(_ time: TimeAmount) {
    timer?.cancel()
    guard let context else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }

  /// Ends the connection: the client can read what was sent, what it still sends is discarded, and after a second the connection is
  /// closed. An immediate close could destroy the last answer on its way.
  package func endConnection() {
    guard let context, !isEnding else { return }
    (isEnding, held) = (true, ByteBuffer())
    start(HTTPServer.Limits.closingTime)
    context.close(mode: .output, promise: nil)
    context.read()
  }

  // MARK: - Bytes

  /// Keeps further bytes back until ``release()``.
  func hold() { if isSerial { holds = true } }

  /// Lets bytes through again; they follow with ``feed()``.
  func release() { holds = false }

  /// Passes bytes that were held back on.
  func feed() {
    guard let context, !isFeeding else { return }
    isFeeding = true
    while !holds && !isEnding, let piece = held.readSlice(length: min(Self.piece, held.readableBytes)),
      piece.readableBytes > 0
    {
      beginHead()
      context.fireChannelRead(wrapInboundOut(piece))
    }
    isFeeding = false
    guard held.readableBytes == 0 else { return }
    held = ByteBuffer()
    if isReadHeld {
      isReadHeld = false
      context.read()
    }
  }

  private func beginHead() {
    guard waitsForHead && !hasBegun else { return }
    hasBegun = true
    // Later bytes of the head do not extend this time.
    start(HTTPServer.Limits.headTime)
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isEnding else { return }
    guard isSerial else { return context.fireChannelRead(data) }
    var bytes = unwrapInboundIn(data)
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
    feed()
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // Handlers behind this one may not ask for bytes any more.
    if isEnding { context.read() }
  }

  package func read(context: ChannelHandlerContext) {
    if held.readableBytes > 0 && !isEnding { isReadHeld = true } else { context.read() }
  }

  // MARK: - Life

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    touch()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
    // After an upgrade, the bytes belong to the new protocol.
    if held.readableBytes > 0 && !isEnding { context.fireChannelRead(wrapInboundOut(held)) }
    held = ByteBuffer()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }
}

/// Ends a connection of HTTP/2 at an error of the connection. It is last in the pipeline.
///
/// The handler of HTTP/2 has then sent GOAWAY, but would collect everything that still comes. Errors of single streams do not arrive here,
/// except for a request's wrong length or field, which may end the connection too (RFC 9113, section 5.4.1).
final class ConnectionErrors: ChannelInboundHandler {
  typealias InboundIn = Never

  private let watch: ConnectionWatch

  init(_ watch: ConnectionWatch) { self.watch = watch }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The GOAWAY is flushed after the error is reported.
    let watch = watch
    context.eventLoop.assumeIsolated().execute { watch.endConnection() }
  }
}
