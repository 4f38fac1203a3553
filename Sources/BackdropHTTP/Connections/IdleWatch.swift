import NIOCore

/// Closes an idle connection, and one whose head takes too long. It is first in the pipeline, so it sees each byte.
package final class IdleWatch: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = ByteBuffer

  private var context: ChannelHandlerContext?
  private var timer: Scheduled<Void>?
  private var waitsForHead = true, hasBegun = false
  private var watchesHeads = true
  /// The number of answers in preparation; while there are any, the connection does not count as idle.
  private var answers = 0

  package init() {}

  /// Watches only for silence from now on, because the requests of HTTP/2 come in parallel.
  func stopWatchingHeads() { (watchesHeads, waitsForHead) = (false, false) }

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
      // Later bytes of the head do not extend this time.
      start(HTTPServer.Limits.headTime)
    }
    context.fireChannelRead(data)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  /// Tells that the next bytes are a head.
  package func waitForHead() {
    guard watchesHeads else { return }
    (waitsForHead, hasBegun) = (true, false)
    touch()
  }

  /// Tells that the head is complete.
  package func headIsThere() {
    waitsForHead = false
    touch()
  }

  /// Restarts the time after a transfer.
  package func touch() { if answers == 0 { start(HTTPServer.Limits.idleTime) } }

  private func start(_ time: TimeAmount) {
    timer?.cancel()
    guard let context else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }
}
