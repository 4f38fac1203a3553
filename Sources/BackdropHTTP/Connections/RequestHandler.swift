import BackdropImaging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Reads the requests of one connection, one after the other, and writes the answers. A stream of HTTP/2 counts as a connection
/// with one request.
package final class RequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPServerRequestPart
  package typealias OutboundIn = HTTPServerResponsePart
  package typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case waiting
    /// Waits for the rest of a body.
    case reading
    /// Waits for the answer, or for the end of its transfer.
    case answering
    /// Ignores further input.
    case ended
  }

  private let router: any RequestRouter
  private let watch: ConnectionWatch
  private let slot: Connections.Slot
  /// Whether this is a stream of an HTTP/2 connection.
  private let isStream: Bool
  private var state = State.waiting
  /// The request whose body is being read, its length limit, and the number of bytes so far.
  private var request: Request?, limit = 0, received = 0
  /// Whether the whole body is there, and whether a part of it is being stored.
  private var isWhole = false, isStoring = false, isReadHeld = false
  private var isHead = false, isLast = false
  /// Whether the slot counts the present request as work.
  private var isWorking = false
  /// Refuses a body that takes too long.
  private var timer: Scheduled<Void>?
  /// The task that makes the answer or writes its pieces.
  private var work: Task<Void, Never>?
  /// The time in which the client of a refused stream may still send a body that is ignored.
  private static let closingDelay = TimeAmount.seconds(2)
  /// The maximum number of body bytes in one write, and of those that wait for storing.
  static let piece = 1 << 16

  package init(
    _ router: any RequestRouter, _ watch: ConnectionWatch, _ slot: Connections.Slot, isStream: Bool = false
  ) {
    (self.router, self.watch, self.slot, self.isStream) = (router, watch, slot, isStream)
  }

  // MARK: - Requests

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waiting): begin(head, context)
    case (.body(var bytes), .reading):
      received += bytes.readableBytes
      guard received <= limit else {
        let answer = Answer.refusal(.payloadTooLarge, "the request is longer than it claims")
        return write(router.refusing(request, with: answer).last, context)
      }
      request?.body.writeBuffer(&bytes)
      watch.touch()
      store(context)
    case (.end, .reading):
      isWhole = true
      watch.hold()
      if let request, let refusal = router.complete(request) {
        timer?.cancel()
        return write(refusal, context)
      }
      store(context)
    // The answer to this request is on its way.
    case (.end, .answering): watch.hold()
    // The request is already refused or answered.
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    watch.headIsThere()
    isLast = !isStream && !head.isKeepAlive
    (isHead, isWhole, received) = (head.method == .HEAD, false, 0)
    guard namesOneHost(head) else {
      let answer = Answer.refusal(.badRequest, "the request must have one Host header")
      return write(router.refusing(nil, with: answer).last, context)
    }
    switch router.admit(head, peer: context.channel.remoteAddress?.ipAddress ?? "") {
    case .answer(let answer): write(answer, context)
    case .read(let request, let limit):
      if request.isKnown { slot.isKnown = true }
      (self.request, self.limit, state) = (request, limit, .reading)
      if let time = request.bodyTime { startTimer(time, context) }
      if head.headers[canonicalForm: "Expect"].contains("100-continue") {
        context.writeAndFlush(
          wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
      }
    }
  }

  /// Whether a request has one `Host` (RFC 9112, section 3.2). HTTP/2 may repeat `:authority` in it, and HTTP/1.0 may have none.
  private func namesOneHost(_ head: HTTPRequestHead) -> Bool {
    let hosts = head.headers["Host"]
    if isStream { return Set(hosts).count <= 1 }
    return hosts.count == 1 || hosts.isEmpty && head.version == .http1_0
  }

  private func startTimer(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
      guard case .reading = self.state else { return }
      let answer = Answer.refusal(.requestTimeout, "the request's body took too long")
      self.write(self.router.refusing(self.request, with: answer).last, context)
    }
  }

  /// Moves what has come of a body to its file, and answers the request once all is there.
  private func store(_ context: ChannelHandlerContext) {
    guard !isStoring, case .reading = state, let request else { return }
    guard let file = request.file, request.body.readableBytes > 0 else {
      if isWhole { answer(context) }
      return
    }
    guard isWhole || request.body.readableBytes >= Self.piece else { return }
    let bytes = request.body
    self.request?.body = ByteBuffer()
    isStoring = true
    context.eventLoop.makeFutureWithTask { try await file.append(bytes) }.assumeIsolated().whenComplete { result in
      self.isStoring = false
      if case .failure(let error) = result, case .reading = self.state {
        self.write(self.router.refusing(self.request, with: Self.refusal(of: error)).last, context)
      }
      self.store(context)
      guard self.isReadHeld else { return }
      self.isReadHeld = false
      context.read()
    }
  }

  private static func refusal(of error: any Error) -> Answer {
    guard let error = error as? BackdropError else {
      return .refusal(.internalServerError, "the server cannot store the request")
    }
    guard error.kind == .overLimit else { return .error(error) }
    return Answer.refusal(.tooManyRequests, error.message, hint: error.hint?.text).adding("Retry-After", "1")
  }

  package func read(context: ChannelHandlerContext) {
    if isStoring && (request?.body.readableBytes ?? 0) >= Self.piece { isReadHeld = true } else { context.read() }
  }

  // MARK: - Answers

  private func answer(_ context: ChannelHandlerContext) {
    guard let request = request.take() else { return }
    state = .answering
    timer?.cancel()
    watch.begin()
    if request.isKnown {
      isWorking = true
      slot.begin()
    }
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
    (state, request) = (isLast ? .ended : .answering, nil)
    var headers = answer.headers
    if isStream {
      // Streams of HTTP/2 have no such field (RFC 9113, section 8.2.2).
      headers.remove(name: "Connection")
    } else if answer.length == nil && answer.status != .noContent && !isHead {
      headers.add(name: "Transfer-Encoding", value: "chunked")
    }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if isHead { return writeRest(ByteBuffer(), context) }
    if let pieces = answer.pieces { return write(pieces, context) }
    if let file = answer.file { writeRest(of: file, from: 0, context) } else { writeRest(answer.body, context) }
  }

  /// Writes a stream of pieces; while the server makes them, the connection does not count as idle, but another may displace it.
  private func write(_ pieces: AsyncStream<ByteBuffer>, _ context: ChannelHandlerContext) {
    watch.begin()
    endWork()
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
      return finish(context)
    }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().whenComplete { result in
      guard case .success = result else { return }
      self.watch.touch()
      self.writeRest(body, context)
    }
  }

  private func finish(_ context: ChannelHandlerContext) {
    endWork()
    let end = wrapOutboundOut(.end(nil))
    guard !isStream else {
      // The stream closes by itself when the request has ended, too. A reset at once could replace the answer for a client that
      // is still sending.
      state = .ended
      watch.touch()
      context.writeAndFlush(end, promise: nil)
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingDelay) { context.close(promise: nil) }
      return
    }
    guard !isLast else {
      return context.writeAndFlush(end).assumeIsolated().whenComplete { _ in self.watch.endConnection() }
    }
    // The end of an answer brings the next request at once, if the client has sent it already.
    state = .waiting
    watch.waitForHead()
    watch.release()
    context.writeAndFlush(end, promise: nil)
    watch.feed()
  }

  private func endWork() {
    if isWorking { slot.end() }
    isWorking = false
  }

  package func channelInactive(context: ChannelHandlerContext) {
    // The client no longer waits for the answer.
    work?.cancel()
    timer?.cancel()
    request = nil
    endWork()
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
