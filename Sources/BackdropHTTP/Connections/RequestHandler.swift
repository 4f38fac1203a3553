import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Reads the requests of one connection, one after the other, and writes the answers. A stream of HTTP/2 counts as a connection
/// with one request.
package final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPServerRequestPart
  package typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// Waits for a head.
    case waiting
    /// Waits for the rest of a body.
    case reading
    /// Waits for the answer, or for the end of its transfer.
    case answering
    /// Ignores further input.
    case ending
  }

  private let router: any RequestRouter
  private let watch: IdleWatch
  private let place: Connections.Place
  /// Whether this is a stream of an HTTP/2 connection.
  private let isStream: Bool
  private var state = State.waiting
  /// The request whose body is being read, and its length limit.
  private var request: Request?, limit = 0
  private var isLast = false
  /// Refuses a body that takes too long.
  private var timer: Scheduled<Void>?
  /// The task that makes the answer or writes its pieces.
  private var work: Task<Void, Never>?
  /// The time in which a client may still send a body that is ignored.
  private static let closingDelay = TimeAmount.seconds(2)
  /// The maximum number of body bytes in one write.
  private static let piece = 1 << 18

  package init(_ router: any RequestRouter, _ watch: IdleWatch, _ place: Connections.Place, isStream: Bool = false) {
    (self.router, self.watch, self.place, self.isStream) = (router, watch, place, isStream)
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waiting):
      watch.headIsThere()
      isLast = !isStream && !head.isKeepAlive
      switch router.admit(head, peer: context.channel.remoteAddress?.ipAddress ?? "") {
      case .answer(let answer): write(answer, context)
      case .read(let request, let limit):
        place.isKept = true
        (self.request, self.limit, state) = (request, limit, .reading)
        if let time = request.bodyTime { startTimer(time, context) }
        if head.headers[canonicalForm: "Expect"].contains("100-continue") {
          context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
      }
    case (.body(var bytes), .reading):
      guard (request?.body.readableBytes ?? 0) + bytes.readableBytes <= limit else {
        let answer = Answer.refusal(.payloadTooLarge, "the request is longer than it claims")
        return write(router.refusing(request, with: answer).last, context)
      }
      request?.body.writeBuffer(&bytes)
    case (.end, .reading):
      guard let request = request.take() else { return }
      state = .answering
      timer?.cancel()
      watch.begin()
      answer(request, context)
    // The request is already refused or answered.
    default: break
    }
  }

  private func startTimer(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
      guard case .reading = self.state else { return }
      let answer = Answer.refusal(.requestTimeout, "the request's body took too long")
      self.write(self.router.refusing(self.request, with: answer).last, context)
    }
  }

  private func answer(_ request: Request, _ context: ChannelHandlerContext) {
    let router = router
    let promise = context.eventLoop.makePromise(of: Answer.self)
    work = Task { promise.succeed(await router.answer(request)) }
    promise.futureResult.assumeIsolated().whenSuccess { answer in
      self.work = nil
      self.watch.end()
      self.write(answer, context)
    }
  }

  private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
    if answer.endsConnection { isLast = true }
    (state, request) = (isLast ? .ending : .answering, nil)
    var headers = answer.headers
    // Streams of HTTP/2 have no such field (RFC 9113, section 8.2.2).
    if isStream { headers.remove(name: "Connection") }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let pieces = answer.pieces { return write(pieces, context) }
    if let file = answer.file { writeRest(of: file, from: 0, context) } else { writeRest(answer.body, context) }
  }

  /// Writes a stream of pieces; while the server makes them, the connection does not count as idle.
  private func write(_ pieces: AsyncStream<ByteBuffer>, _ context: ChannelHandlerContext) {
    watch.begin()
    context.flush()
    let channel = context.channel
    let promise = context.eventLoop.makePromise(of: Void.self)
    work = Task {
      for await piece in pieces {
        do {
          try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(piece)))
        } catch {
          break
        }
      }
      promise.succeed()
    }
    promise.futureResult.assumeIsolated().whenSuccess {
      self.work = nil
      self.watch.end()
      self.writeRest(ByteBuffer(), context)
    }
  }

  /// Writes the rest of a file; each piece is read after the previous one was sent.
  private func writeRest(of file: FileBody, from offset: Int, _ context: ChannelHandlerContext) {
    guard offset < file.count else { return writeRest(ByteBuffer(), context) }
    context.eventLoop.makeFutureWithTask { try await file.piece(from: offset, count: Self.piece) }.assumeIsolated()
      .whenComplete { result in
        // The head has already declared a length.
        guard case .success(let piece) = result else { return context.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().whenComplete { result in
          guard case .success = result else { return }
          self.watch.touch()
          self.writeRest(of: file, from: offset + piece.readableBytes, context)
        }
      }
  }

  /// Writes the rest of a body; each piece follows after the previous one was sent. A client that stops reading then times out,
  /// and holds only one piece.
  private func writeRest(_ body: ByteBuffer, _ context: ChannelHandlerContext) {
    var body = body
    guard let piece = body.readSlice(length: min(Self.piece, body.readableBytes)), piece.readableBytes > 0 else {
      context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in self.finish(context) }
      return
    }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().whenComplete { result in
      guard case .success = result else { return }
      self.watch.touch()
      self.writeRest(body, context)
    }
  }

  private func finish(_ context: ChannelHandlerContext) {
    guard !isStream else {
      // The stream closes by itself when the request has ended, too. A reset at once could replace the answer for a client that
      // is still sending.
      state = .ending
      if isLast {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingDelay) { context.close(promise: nil) }
      }
      return
    }
    guard !isLast else { return context.close(promise: nil) }
    place.isKept = false
    state = .waiting
    watch.waitForHead()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    // The client no longer waits for the answer.
    work?.cancel()
    timer?.cancel()
    request = nil
    context.fireChannelInactive()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A refused WebSocket continues as a request, whose answer gives the reason.
    guard !(error is NIOWebSocketUpgradeError) else { return }
    guard let fault = error as? HTTPParserError, case .waiting = state else { return context.close(promise: nil) }
    let answer =
      fault == .headerOverflow
      ? Answer.refusal(.requestHeaderFieldsTooLarge, "the request's head is too long")
      : Answer.refusal(.badRequest, "this is not a request")
    write(router.refusing(nil, with: answer).last, context)
  }
}
