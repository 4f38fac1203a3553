import NIOCore

/// Ends a connection on which nothing happens, and one whose head takes too long: it stands before all else and sees each byte.
final class IdleWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private var context: ChannelHandlerContext?
  private var timer: Scheduled<Void>?
  private var waitsForHead = true, hasBegun = false

  /// Whether the time is the studio's own: an answer is being made.
  var isOff = false {
    didSet { if isOff { timer?.cancel() } else { touch() } }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    touch()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !waitsForHead {
      if !isOff { touch() }
    } else if !hasBegun {
      hasBegun = true
      // Not put off by each byte that follows.
      start(Server.Limits.headTime)
    }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  /// The next bytes are a head.
  func waitForHead() {
    (waitsForHead, hasBegun) = (true, false)
    touch()
  }

  /// A body follows.
  func headIsThere() {
    waitsForHead = false
    touch()
  }

  /// Something happened.
  func touch() { start(Server.Limits.idleTime) }

  private func start(_ time: TimeAmount) {
    timer?.cancel()
    guard let context else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }
}
