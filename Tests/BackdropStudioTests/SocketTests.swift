import BackdropCodecs
import BackdropImaging
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import BackdropStudio

@Suite struct SocketTests {
  @Test func aPageGetsPicturesAndCommandsWork() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let seen = try await onThread {
      let client = try RawClient(port: port)
      guard client.upgrade(harness) == 101 else { return "no socket" }
      client.sendText(
        #"{"do":"watch","subscription":{"views":["result","input"],"thumbnails":true,"cloud":true,"filtered":false,"width":320}}"#
      )
      client.sendText(#"{"do":"background","value":"scene:dunes"}"#)
      var kinds: Set<UInt8> = []
      var hasHello = false
      var background = false
      for _ in 0..<400 {
        guard let frame = client.readFrame() else { break }
        if frame.opcode == 1 {
          let text = String(decoding: frame.payload, as: UTF8.self)
          hasHello = hasHello || text.contains(#""is":"hello""#)
          background = background || text.contains(#""background":"scene:dunes""#)
        } else if frame.opcode == 2 {
          for part in try Self.parts(frame.payload) {
            kinds.insert(part.kind)
            if part.kind < 20 {
              let image = try JPEG.decode(part.bytes)
              guard image.width == part.width && image.height == part.height else { return "sizes differ" }
            } else if part.bytes.count != 16 + 2 * part.width * part.height {
              return "the depth has \(part.bytes.count) bytes"
            }
          }
          client.sendText("ack")
        }
        if hasHello && background && kinds.isSuperset(of: [1, 2, 11, 12, 13, 14, 20]) { return "all" }
      }
      return "hello \(hasHello), background \(background), parts \(kinds.sorted())"
    }
    #expect(seen == "all")
    try await harness.stop()
  }

  /// The parts of a bundle; see `PictureBundle`.
  static func parts(_ bytes: [UInt8]) throws -> [(kind: UInt8, width: Int, height: Int, bytes: [UInt8])] {
    func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    var result: [(kind: UInt8, width: Int, height: Int, bytes: [UInt8])] = []
    var at = 24
    for _ in 0..<number(2, 2) {
      let count = number(at + 8, 4)
      result.append((bytes[at], number(at + 2, 2), number(at + 4, 2), Array(bytes[at + 16..<at + 16 + count])))
      at += 16 + (count + 7) / 8 * 8
    }
    guard at == bytes.count else { throw BackdropError(.badData, "\(bytes.count) bytes, expected \(at)") }
    return result
  }

  @Test func aPageThatDoesNotAcknowledgeGetsNoMore() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let count = try await onThread {
      let (client, other) = (try RawClient(port: port), try RawClient(port: port))
      for each in [client, other] {
        guard each.upgrade(harness) == 101 else { return -1 }
        each.sendText(
          #"{"do":"watch","subscription":{"views":["result"],"thumbnails":false,"cloud":false,"filtered":false,"width":320}}"#
        )
      }
      var bundles = 0
      while bundles < Tab.maximumInFlight {
        guard let frame = client.readFrame() else { return -2 }
        if frame.opcode == 2 { bundles += 1 }
      }
      // Another page, which acknowledges, gets twenty more.
      var more = 0
      while more < 20 {
        guard let frame = other.readFrame() else { return -3 }
        guard frame.opcode == 2 else { continue }
        more += 1
        other.sendText("ack")
      }
      // Any further picture would be before this answer.
      client.sendText(#"{"do":"ping","name":"end"}"#)
      while let frame = client.readFrame() {
        if frame.opcode == 2 { bundles += 1 }
        let text = frame.opcode == 1 ? String(decoding: frame.payload, as: UTF8.self) : ""
        if text.contains(#""is":"pong""#) { return bundles }
      }
      return -4
    }
    #expect(count == Tab.maximumInFlight)
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func malformedFramesEndTheSocketWithTheRightCode() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    // RFC 6455, section 7.4.1: 1002 protocol, 1007 not UTF-8, 1009 too big.
    let cases: [(name: String, code: Int, send: @Sendable (RawClient) -> Void)] = [
      ("reserved bits", 1002, { $0.sendFrame(0x41, [65]) }),
      ("unknown kind", 1002, { $0.sendFrame(3, [65]) }),
      ("a frame continues no message", 1002, { $0.sendFrame(0, [65]) }),
      (
        "a message begins inside another", 1002,
        { client in
          client.sendFrame(1, [65], isLast: false)
          client.sendFrame(1, [65])
        }
      ),
      ("a long ping", 1002, { $0.sendFrame(9, [UInt8](repeating: 0, count: 126)) }),
      ("not UTF-8", 1007, { $0.sendFrame(1, [0xC3, 0x28]) }),
      ("a long text", 1009, { $0.sendFrame(1, [UInt8](repeating: 65, count: PageSocket.maximumText + 1)) }),
      ("a long picture", 1009, { $0.sendFrame(2, [UInt8](repeating: 0, count: PageSocket.maximumData + 1)) }),
      // The declared length is enough; the test never sends the content.
      ("a huge frame", 1009, { $0.sendFrame(2, [], announced: 600 << 20) }),
      ("a frame has no mask", 1002, { $0.sendFrame(1, Array("{}".utf8), isMasked: false) }),
      ("goodbye", 1000, { $0.sendFrame(8, [3, 232]) }),
    ]
    for one in cases {
      let code = try await onThread {
        let client = try RawClient(port: port)
        guard client.upgrade(harness) == 101 else { return -1 }
        one.send(client)
        return client.closeCode() ?? 0
      }
      #expect(code == one.code, "\(one.name)")
    }
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func messagesThatMakeNoSenseAreAnsweredAndForgotten() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let messages = [
      "", "{}", "[]", "null", "{\"do\":1}", "{\"do\":\"\"}", "{\"do\":\"fly\"}", "{\"do\":\"set\"}",
      "{\"do\":\"set\",\"name\":\"radius\",\"to\":1e999}", "{\"do\":\"set\",\"name\":\"radius\",\"to\":\"x\"}",
      "{\"do\":\"set\",\"name\":\"radius\",\"to\":99999}", "{\"do\":\"set\",\"name\":\"nothing\",\"to\":1}",
      "{\"do\":\"look\",\"to\":\"/etc/passwd\"}", "{\"do\":\"look\",\"to\":\"noir\"}",
      "{\"do\":\"background\",\"to\":\"/etc/passwd\"}", "{\"do\":\"background\",\"to\":\"../x.jpg\"}",
      "{\"do\":\"background\",\"to\":\"scene:nowhere\"}", "{\"do\":\"background\",\"to\":\"blur:1e9\"}",
      "{\"do\":\"camera\",\"to\":\"/dev/zero\"}", "{\"do\":\"camera\",\"to\":\"rtsp://evil.example/\"}",
      "{\"do\":\"watch\"}", "{\"do\":\"watch\",\"subscription\":{\"views\":[\"soul\"]}}", "{\"do\":\"stop-recording\"}",
      String(repeating: "[", count: 60_000), "{\"do\":\"" + String(repeating: "x", count: 50_000) + "\"}",
    ]
    let troubles = try await onThread {
      let client = try RawClient(port: port)
      guard client.upgrade(harness) == 101 else { return -1 }
      for message in messages { client.sendText(message) }
      client.sendText(#"{"do":"ping","name":"end"}"#)
      var troubles = 0
      while let frame = client.readFrame() {
        let text = String(decoding: frame.payload, as: UTF8.self)
        if text.contains(#""is":"trouble""#) { troubles += 1 }
        if text.contains(#""is":"pong""#) { break }
      }
      return troubles
    }
    #expect(troubles == messages.count)
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func randomMessagesAndPicturesDoNoHarm() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let words = [
      "do", "value", "set", "background", "look", "camera", "watch", "subscription", "views", "browser:", "true",
      "null",
      "1e308",
      "{", "}",
      "[", "]", ":", ",", "\"", "\\u0000", "-1", "width", "name",
    ]
    for seed in UInt64(1)...20 {
      try await onThread {
        var random = SeededRandom(seed: seed)
        let client = try RawClient(port: port)
        guard client.upgrade(harness) == 101 else { throw BackdropError(.system, "no socket for seed \(seed)") }
        for _ in 0..<40 {
          let text = (0..<Int.random(in: 1...20, using: &random)).map { _ in
            words[Int.random(in: 0..<words.count, using: &random)]
          }.joined()
          client.sendText(text)
          client.sendFrame(
            2, (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        client.endSending()
        while client.readFrame() != nil {}
      }
      if seed % 5 == 0 { #expect(try await harness.isAlive(), "seed \(seed)") }
    }
    try await harness.stop()
  }

  @Test func thereAreNotMorePagesThanAllowed() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let code = try await onThread {
      var clients: [RawClient] = []
      for _ in 0..<Hub.maximumTabs {
        let client = try RawClient(port: port)
        guard client.upgrade(harness) == 101 else { return -1 }
        clients.append(client)
      }
      let one = try RawClient(port: port)
      guard one.upgrade(harness) == 101 else { return -2 }
      return withExtendedLifetime(clients) { one.closeCode() ?? 0 }
    }
    // "Try again later" in IANA's registry of close codes.
    #expect(code == 1013)
    try await harness.stop()
  }

  @Test func onlyTheNewestPicturesWait() {
    let tab = Tab(number: 1)
    func bytes(_ number: UInt8) -> ByteBuffer { ByteBuffer(bytes: [number]) }
    for number in UInt8(0)..<5 { tab.offer(bytes(number)) }
    #expect(tab.next() == .pictures(bytes(4)))
    tab.offer(bytes(5))
    #expect(tab.next() == .pictures(bytes(5)))
    tab.offer(bytes(6))
    tab.say("hello")
    // Two pictures are on their way: the tab sends messages, but further pictures wait.
    #expect(tab.next() == .text("hello"))
    #expect(tab.next() == nil)
    tab.acknowledge()
    #expect(tab.next() == .pictures(bytes(6)))
    for number in 0..<Tab.maximumTexts { tab.say("\(number)") }
    #expect(!tab.isClosed)
    tab.say("one too many")
    #expect(tab.isClosed)
    #expect(tab.next() == .end(1013, "too slow"))
    #expect(tab.next() == nil)
  }
}
