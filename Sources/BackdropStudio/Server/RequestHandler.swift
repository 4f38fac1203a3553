import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Reads the requests of one connection, one after the other, and writes the answers.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// For a head.
    case waiting
    /// For the rest of a body.
    case reading
    /// For the answer, or until it is written.
    case answering
    /// It ignores further input.
    case ending
  }

  private let router: Router
  private let watch: IdleWatch
  private let place: Connections.Place
  private var state = State.waiting
  /// The one whose body is being read, and how long that may be.
  private var request: Request?, limit = 0
  private var isLast = false
  /// Bytes of a body that go out at once.
  private static let piece = 1 << 18

  init(_ router: Router, _ watch: IdleWatch, _ place: Connections.Place) {
    (self.router, self.watch, self.place) = (router, watch, place)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waiting):
      watch.headIsThere()
      isLast = !head.isKeepAlive
      switch router.admit(head, peer: context.remoteAddress?.ipAddress ?? "") {
      case .answer(let answer): write(answer, context)
      case .read(let request, let limit):
        place.isKept = true
        (self.request, self.limit, state) = (request, limit, .reading)
        if head.headers[canonicalForm: "Expect"].contains("100-continue") {
          context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
      }
    case (.body(var bytes), .reading):
      guard (request?.body.readableBytes ?? 0) + bytes.readableBytes <= limit else {
        return write(Answer.refusal(.payloadTooLarge, "the request is longer than it claims").last, context)
      }
      request?.body.writeBuffer(&bytes)
    case (.end, .reading):
      guard let request = request.take() else { return }
      state = .answering
      watch.isOff = true
      let router = router
      context.eventLoop.makeFutureWithTask { await router.answer(request) }.assumeIsolated()
        .whenSuccess { self.write($0, context) }
    // Of a request that is refused or answered already.
    default: break
    }
  }

  private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
    if answer.endsConnection { isLast = true }
    (state, request) = (isLast ? .ending : .answering, nil)
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    watch.isOff = false
    if let file = answer.file { writeRest(of: file, from: 0, context) } else { writeRest(answer.body, context) }
  }

  /// The same of a file, each piece of which is read when the one before is out.
  private func writeRest(of file: FileBody, from offset: Int, _ context: ChannelHandlerContext) {
    guard offset < file.count else { return writeRest(ByteBuffer(), context) }
    context.eventLoop.makeFutureWithTask { try await file.piece(from: offset, count: Self.piece) }.assumeIsolated()
      .whenComplete { result in
        // A head that has said how much comes cannot be taken back.
        guard case .success(let piece) = result else { return context.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(piece)))).assumeIsolated().whenComplete { result in
          guard case .success = result else { return }
          self.watch.touch()
          self.writeRest(of: file, from: offset + piece.readableBytes, context)
        }
      }
  }

  /// Piece by piece, each when the one before is out: who stops reading is noticed, and holds no more than one.
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
    place.isKept = false
    guard !isLast else { return context.close(promise: nil) }
    state = .waiting
    watch.waitForHead()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A socket that was refused goes on as a request, which says why.
    guard !(error is NIOWebSocketUpgradeError) else { return }
    guard let fault = error as? HTTPParserError, case .waiting = state else { return context.close(promise: nil) }
    write(
      fault == .headerOverflow
        ? Answer.refusal(.requestHeaderFieldsTooLarge, "the request's head is too long").last
        : Answer.refusal(.badRequest, "this is not a request").last, context)
  }
}
