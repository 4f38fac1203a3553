import NIOCore

/// Distinguishes HTTP/2 from HTTP/1.1 by the first bytes of a connection, sets up the other handlers, and passes the
/// bytes on.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Adds the handlers of a protocol behind this one.
  typealias Setup = (ChannelHandlerContext, _ isHTTP2: Bool) throws -> Void

  /// The first bytes from a client of HTTP/2.
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private let setUp: Setup
  private var bytes = ByteBuffer()

  init(_ setUp: @escaping Setup) { self.setUp = setUp }

  /// Whether bytes begin with the preface of HTTP/2; `nil` if there are too few to decide.
  static func isHTTP2(_ bytes: some Collection<UInt8>) -> Bool? {
    guard zip(bytes, preface).allSatisfy({ $0 == $1 }) else { return false }
    return bytes.count >= preface.count ? true : nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var more = unwrapInboundIn(data)
    bytes.writeBuffer(&more)
    guard let isHTTP2 = Self.isHTTP2(bytes.readableBytesView) else { return }
    do {
      try setUp(context, isHTTP2)
    } catch {
      return context.close(promise: nil)
    }
    context.fireChannelRead(wrapInboundOut(bytes))
    bytes.clear()
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
