import BackdropHTTP
import NIOCore
import NIOWebSocket

/// A page's socket: RFC 6455 messages over frames, with limits.
final class PageSocket: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The maximum text and the maximum data that a page may send in a message, in bytes.
  static let maximumText = 1 << 16, maximumData = 4 << 20
  /// How long a page may be silent; browsers answer each ping.
  private static let silence = HTTPServer.Limits.idleTime, pingInterval = TimeAmount.seconds(20)
  /// How long a page may take to confirm the close.
  private static let farewell = HTTPServer.Limits.closingTime

  private let hub: Hub
  private var tab: Tab?
  private var assembly = FrameAssembly(maximumText: maximumText, maximumData: maximumData)
  private var isWriting = false, hasEnded = false
  private var pings: RepeatedTask?
  private var lastReceived = NIODeadline.now()

  init(_ hub: Hub) { self.hub = hub }

  func handlerAdded(context: ChannelHandlerContext) {
    guard let tab = hub.open() else { return end(context, 1013, "too many pages") }
    self.tab = tab
    let own = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    tab.onChange { loop.execute { own.value.0.pump(own.value.1) } }
    pings = loop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
      let (socket, context) = own.value
      if .now() - socket.lastReceived > Self.silence { return context.close(promise: nil) }
      socket.send(context, WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastReceived = .now()
    let frame = unwrapInboundIn(data)
    guard let tab, !hasEnded else {
      // This may be the page's answer to the close frame.
      if hasEnded && frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    switch assembly.add(frame) {
    case .nothing: break
    case .text(let text): hub.notify(.text(text), tab)
    case .data(let bytes): hub.notify(.data(bytes), tab)
    case .answer(let frame): send(context, frame)
    case .end(let code, let reason): end(context, code, reason, isAnswer: frame.opcode == .connectionClose)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let fault = error as? NIOWebSocketError else { return context.close(promise: nil) }
    fault == .invalidFrameLength ? end(context, 1009, "too long") : end(context, 1002, "no frame")
  }

  func channelInactive(context: ChannelHandlerContext) {
    forget()
    context.fireChannelInactive()
  }

  private func forget() {
    hasEnded = true
    pings?.cancel()
    if let tab { hub.close(tab) }
    tab = nil
  }

  /// Sends the tab's data, one item after the other.
  private func pump(_ context: ChannelHandlerContext) {
    guard let tab, !isWriting, !hasEnded, let next = tab.next() else { return }
    switch next {
    case .text(let text): write(context, .text, ByteBuffer(string: text))
    case .pictures(let bytes): write(context, .binary, bytes)
    case .end(let code, let reason): end(context, code, reason)
    }
  }

  private func write(_ context: ChannelHandlerContext, _ opcode: WebSocketOpcode, _ bytes: ByteBuffer) {
    isWriting = true
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: bytes))).assumeIsolated()
      .whenComplete { _ in
        self.isWriting = false
        self.pump(context)
      }
  }

  private func send(_ context: ChannelHandlerContext, _ frame: WebSocketFrame) {
    // A client that does not read gets no more answers.
    guard context.channel.isWritable else { return }
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  /// Sends a code of RFC 6455, section 7.4. The connection closes after the page's answer (section 7.1.1) or a timeout, because an
  /// immediate close could lose the code.
  ///
  /// - Parameter isAnswer: whether the page sent its code first.
  private func end(_ context: ChannelHandlerContext, _ code: UInt16, _ reason: String, isAnswer: Bool = false) {
    guard !hasEnded else { return }
    forget()
    var bytes = ByteBuffer(integer: code)
    bytes.writeString(String(reason.utf8.prefix(120)) ?? "")
    let loop = context.eventLoop.assumeIsolated()
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: bytes)))
      .assumeIsolated().whenComplete { _ in if isAnswer { context.close(promise: nil) } }
    loop.scheduleTask(in: Self.farewell) { context.close(promise: nil) }
  }
}
