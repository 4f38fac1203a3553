import BackdropHTTP
import BackdropImaging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket

@testable import BackdropStudio

extension FuzzTarget {
  /// Data from clients before the studio identifies them, and data for a page's socket.
  static let server = [
    FuzzTarget(
      "http-head", maximumLength: 4096,
      words: [
        "Host: 127.0.0.1:7230", "Origin: ", "Cookie: backdrop=", "Content-Length: ", "Transfer-Encoding: chunked",
        "Expect: 100-continue", "Connection: Upgrade", "Upgrade: websocket", "Sec-Fetch-Site: ", "/api/",
        "/enter?code=",
        "%2f", "\\x0d\\x0a\\x0d\\x0a",
      ],
      seeds: {
        [
          "GET / HTTP/1.1\r\nHost: 127.0.0.1:7230\r\n\r\n",
          "POST /api/enter HTTP/1.1\r\nHost: localhost:7230\r\nOrigin: http://localhost:7230\r\nContent-Length: 2\r\n\r\n{}",
          "GET /api/photos/1/view.jpg?look=noir&p.exposure=1%2e5 HTTP/1.1\r\nHost: 127.0.0.1:7230\r\nCookie: a=b; backdrop=c\r\n\r\n",
        ].map { Array($0.utf8) }
      }, read: readHead),
    FuzzTarget(
      "form", maximumLength: 4096,
      words: [
        "--b", "--b--", "\\x0d\\x0a", "Content-Disposition: form-data; name=", "filename=", "\\x0d\\x0a\\x0d\\x0a",
      ],
      seeds: {
        [
          "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b--"
        ].map { Array($0.utf8) }
      }, read: readForm),
    FuzzTarget(
      "page-frames", maximumLength: 2048,
      seeds: { [[0x81, 0x82, 1, 2, 3, 4, 0x7A, 0x7F], [0x02, 0x81, 0, 0, 0, 0, 65, 0x80, 0x81, 0, 0, 0, 0, 66]] },
      read: readFrames),
  ]

  private static func readHead(_ bytes: [UInt8]) throws {
    let channel = EmbeddedChannel()
    defer { end(channel) }
    try through(channel, ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: HTTPServer.Limits.decoder)), bytes)
    let (gate, authenticator) = (Gate(isPublic: bytes.count.isMultiple(of: 2)), Authenticator(password: nil))
    while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
      guard case .head(let head) = part else { continue }
      let request = Request(head, peer: "127.0.0.1")
      precondition(request.parts.allSatisfy { !$0.isEmpty })
      precondition(!authenticator.hasSession(head), "a session that nobody has")
      _ = gate.refusal(head, mayComeFromElsewhere: true)
      let length = head.bodyLength
      precondition(length ?? 0 >= 0)
    }
  }

  private static func readForm(_ bytes: [UInt8]) throws {
    let form = try MultipartForm(bytes.span, boundary: "b")
    precondition(form.parts.reduce(0) { $0 + $1.range.count } <= bytes.count)
  }

  private static func readFrames(_ bytes: [UInt8]) throws {
    let channel = EmbeddedChannel()
    defer { end(channel) }
    try through(channel, ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: 1024)), bytes)
    var assembly = FrameAssembly(maximumText: 64, maximumData: 512)
    while let frame = try channel.readInbound(as: WebSocketFrame.self) {
      switch assembly.add(frame) {
      case .text(let text): precondition(text.utf8.count <= 64)
      case .data(let data): precondition(data.count <= 512)
      case .end(let code, let reason): throw BackdropError(.badData, "\(code) \(reason)")
      case .nothing, .answer: break
      }
    }
  }

  /// Ends a channel, because the channel and its handlers retain each other until then.
  private static func end(_ channel: EmbeddedChannel) {
    do {
      _ = try channel.finish(acceptAlreadyClosed: true)
    } catch {
      // The remaining bytes are not a complete message.
    }
  }

  /// Converts the library's errors to Backdrop's.
  private static func through(
    _ channel: EmbeddedChannel, _ decoder: any ChannelHandler, _ bytes: [UInt8]
  ) throws(BackdropError) {
    do {
      try channel.pipeline.syncOperations.addHandler(decoder)
      try channel.writeInbound(ByteBuffer(bytes: bytes))
    } catch {
      throw BackdropError(.badData, "it is refused")
    }
  }
}
