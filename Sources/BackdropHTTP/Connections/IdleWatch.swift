import NIOCore

/// Ends an idle connection, and one whose header takes too long. It is first in the pipeline and sees each byte.
package final class IdleWatch: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = ByteBuffer

  private var context: ChannelHandlerContext?
  private var timer: Scheduled<Void>?
  private var waitsForHead = true, hasBegun = false
  private var watchesHeads = true
  /// Answers that are being made: the time is the server's own.
  private var answers = 0

  package init() {}

  /// Requests come side by side: it watches for silence only, and is told of no heads.
  func stopWatchingHeads() { (watchesHeads, waitsForHead) = (false, false) }

  /// An answer is being made.
  package func begin() {
    answers += 1
    timer?.cancel()
  }

  /// It is there.
  package func end() {
    answers -= 1
    touch()
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    touch()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !waitsForHead {
      touch()
    } else if !hasBegun {
      hasBegun = true
      // Later bytes do not extend this time.
      start(HTTPServer.Limits.headTime)
    }
    context.fireChannelRead(data)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  /// The next bytes are a header.
  package func waitForHead() {
    guard watchesHeads else { return }
    (waitsForHead, hasBegun) = (true, false)
    touch()
  }

  /// A body follows.
  package func headIsThere() {
    waitsForHead = false
    touch()
  }

  /// Something happened.
  package func touch() { if answers == 0 { start(HTTPServer.Limits.idleTime) } }

  private func start(_ time: TimeAmount) {
    timer?.cancel()
    guard let context else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }
}
