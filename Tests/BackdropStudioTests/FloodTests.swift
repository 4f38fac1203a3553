import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropStudio

/// Attacks by clients without a session, and their cost to the server.
@Suite(.serialized) struct FloodTests {
  /// The server limits heads while it reads them.
  @Test(arguments: [
    ("one long field", ["X: " + String(repeating: "a", count: 256 << 10)]),
    ("a long address", ["X: y"]),
    ("many fields", (0..<50_000).map { "X\($0): y" }),
    ("fields of 7 KB", (0..<40).map { "X\($0): " + String(repeating: "a", count: 7 << 10) }),
  ])
  func longHeadsAreRefused(name: String, fields: [String]) async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let target = name == "a long address" ? "/" + String(repeating: "a", count: 64 << 10) : "/"
    let text = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n"
    let status = try await onThread {
      let client = try RawClient(port: port)
      client.send(Array(text.utf8))
      return client.reply().status
    }
    // If the server does not read the rest, the answer may be lost with the connection.
    #expect([0, 431].contains(status), "\(name): \(status)")
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func theLimitsAreAsStated() async throws {
    let harness = try await StudioHarness.start()
    func status(_ fields: [String]) async throws -> Int { try await harness.request("GET", "/", fields: fields).status }
    #expect(try await status(["X: " + String(repeating: "a", count: 8000)]) == 200)
    #expect(try await status(["X: " + String(repeating: "a", count: 8300)]) == 431)
    #expect(
      try await status(["X: " + String(repeating: "a", count: 7900), "Y: " + String(repeating: "a", count: 7900)])
        == 200)
    #expect(
      try await status((0..<3).map { "X\($0): " + String(repeating: "a", count: 6000) }) == 431)
    #expect(try await status((0..<90).map { "X\($0): y" }) == 200)
    #expect(try await status((0..<110).map { "X\($0): y" }) == 431)
    try await harness.stop()
  }

  /// The server closes idle connections in favour of the owner's.
  @Test func idleConnectionsKeepNobodyOut() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let isFirstOpen = try await onThread {
      let page = try RawClient(port: port)
      guard page.upgrade(harness) == 101 else { return false }
      var idle: [RawClient] = []
      for number in 0..<300 {
        let client = try RawClient(port: port)
        // Half of them send part of a head.
        if number % 2 == 0 { client.send(Array("GET / HT".utf8)) }
        idle.append(client)
      }
      page.sendText(#"{"do":"ping","name":"still here"}"#)
      while let frame = page.readFrame() {
        if String(decoding: frame.payload, as: UTF8.self).contains("still here") { return true }
      }
      return withExtendedLifetime(idle) { false }
    }
    #expect(isFirstOpen)
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func whoeverWantsToBeHiddenIsAtOnce() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    let studio = harness.studio
    let isHidden = try await onThread {
      let page = try RawClient(port: port)
      guard page.upgrade(harness) == 101 else { return false }
      // A snapshot waits up to 2 s for a matte, and later messages wait for the snapshot.
      for _ in 0..<10 { page.sendText(#"{"do":"snapshot"}"#) }
      page.sendText(#"{"do":"standby","value":true}"#)
      var answers = 0
      while answers < 5, let frame = page.readFrame() {
        let text = String(decoding: frame.payload, as: UTF8.self)
        if text.contains(#""is":"saved""#) || text.contains(#""is":"trouble""#) { answers += 1 }
      }
      return try studio.perform(.status).isOnStandby
    }
    #expect(isHidden, "the standby frame waits for the snapshots")
    try await harness.stop()
  }

  @Test func theQuotaIsGivenBackWhateverHappens() async throws {
    let harness = try await StudioHarness.start()
    for _ in 0..<3 {
      #expect(
        try await harness.request("POST", "/api/photos?name=x.jpg", body: [UInt8](repeating: 7, count: 5000)).status
          != 200)
    }
    let (port, cookie, studio) = (harness.port, harness.cookie, harness.studio)
    // An upload that is announced and never sent.
    try await onThread {
      let client = try RawClient(port: port)
      client.send(
        Array(
          "POST /api/photos?name=x.jpg HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nContent-Length: 200000000\r\n\r\nabc"
            .utf8))
      eventually("the upload has begun") { studio.uploadBytes > 0 }
    }
    try await waiting(for: "the upload is forgotten") { studio.uploadBytes == 0 }
    // Three of 200 MB at once exceed the limit.
    let last = try await onThread {
      var clients: [RawClient] = []
      for number in 1...3 {
        let client = try RawClient(port: port)
        client.send(
          Array(
            "POST /api/photos?name=x.jpg HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nContent-Length: 200000000\r\n\r\n"
              .utf8))
        if number < 3 { eventually("upload \(number) has begun") { studio.uploadBytes == number * 200_000_000 } }
        clients.append(client)
      }
      return clients[2].reply().status
    }
    #expect(last == 413)
    try await harness.stop()
  }
}
