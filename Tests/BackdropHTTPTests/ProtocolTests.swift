import NIOCore
import NIOEmbedded
import Testing

@testable import BackdropHTTP

/// The first bytes distinguish HTTP/2 from HTTP/1.1, in whatever pieces they arrive.
@Suite struct ProtocolTests {
  @Test(arguments: [
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrest", true), ("POST / HTTP/1.1\r\n", false), ("PRI /", false), ("G", false),
  ])
  func tells(text: String, isHTTP2: Bool) throws {
    for step in [1, 5, 100] {
      let channel = EmbeddedChannel()
      let answers = Answers()
      try channel.pipeline.syncOperations.addHandler(ProtocolDetector { _, isHTTP2 in answers.all.append(isHTTP2) })
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: step) {
        channel.pipeline.fireChannelRead(ByteBuffer(bytes: Array(bytes[start..<min(bytes.count, start + step)])))
      }
      channel.embeddedEventLoop.run()
      #expect(answers.all == [isHTTP2])
      var read: [UInt8] = []
      while true {
        let part: ByteBuffer? = try channel.readInbound()
        guard let part else { break }
        read += Array(part.readableBytesView)
      }
      #expect(read == bytes)
      channel.close(promise: nil)
      channel.embeddedEventLoop.run()
    }
  }

  private final class Answers { var all: [Bool] = [] }

  @Test func waitsForMore() {
    for count in 0..<ProtocolDetector.preface.count {
      #expect(ProtocolDetector.isHTTP2(ProtocolDetector.preface.prefix(count)) == nil)
    }
    #expect(ProtocolDetector.isHTTP2(ProtocolDetector.preface) == true)
  }
}
