import BackdropImaging
import BackdropLive
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackdropStudio

@Suite struct GateTests {
  @Test func onlyASessionOpens() async throws {
    let harness = try await StudioHarness.start()
    #expect(try await harness.request("GET", "/api/nothing", isIn: false).status == 401)
    let name = harness.cookie.prefix { $0 != "=" }
    for cookie in [
      "\(name)=wrong", "\(name)=", "\(name)", "x" + harness.cookie, harness.cookie + "x", "a=b; \(name)=c",
    ] {
      let reply = try await harness.request("GET", "/api/nothing", fields: ["Cookie: \(cookie)"], isIn: false)
      #expect(reply.status == 401, "\(cookie)")
    }
    #expect(try await harness.request("POST", "/api/photos/sample", body: [], isIn: false).status == 401)
    #expect(try await harness.request("GET", "/api/nothing").status == 404)
    let beside = ["Cookie: theme=dark; \(harness.cookie); other=1"]
    #expect(try await harness.request("GET", "/api/nothing", fields: beside, isIn: false).status == 404)
    try await harness.stop()
  }

  @Test func aLinkIsGoodOnce() async throws {
    let harness = try await StudioHarness.start()
    let (studio, port) = (harness.studio, harness.port)
    let link = studio.makeLink()
    let (first, second) = try await onThread {
      (try StudioHarness.enter(link, port: port), try StudioHarness.enter(link, port: port))
    }
    #expect(first.status == 200 && first.text.hasPrefix("<!doctype html>") && !first.cookie.isEmpty)
    #expect(first.head.contains("; HttpOnly; SameSite=Strict\r\n") && !first.head.contains("Max-Age"))
    // The answer is the page that asks for another link.
    #expect(second.status == 200 && second.cookie.isEmpty)
    #expect(first.cookie != harness.cookie)
    for cookie in [first.cookie, harness.cookie] {
      #expect(
        try await harness.request("GET", "/api/nothing", fields: ["Cookie: \(cookie)"], isIn: false).status == 404)
    }
    // A typed link.
    func typed(_ code: String) async throws -> StudioHarness.Reply {
      try await harness.request("POST", "/api/enter", body: Array(#"{"code":"\#(code)"}"#.utf8), isIn: false)
    }
    let code = String(studio.makeLink().split(separator: "=")[1])
    #expect(try await typed(code).status == 200)
    #expect(try await typed(code).status == 401)
    #expect(try await typed("").status == 401)
    try await harness.stop()
  }

  /// The user comes from the file that the studio wrote, which is another origin. A page that leads here without a valid link could change
  /// settings with the part after its `#`.
  @Test func onlyAGoodLinkLeadsInFromElsewhere() async throws {
    let harness = try await StudioHarness.start()
    let (studio, port) = (harness.studio, harness.port)
    let elsewhere = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
    let replies = try await onThread {
      let link = studio.makeLink()
      return [
        try StudioHarness.enter("/enter?code=wrong", port: port, fields: elsewhere),
        try StudioHarness.enter("/", port: port, fields: elsewhere),
        try StudioHarness.enter(link, port: port, fields: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]),
        try StudioHarness.enter(
          link, port: port,
          fields: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"]),
        try StudioHarness.enter(link, port: port, fields: elsewhere),
      ]
    }
    #expect(replies.map(\.status) == [403, 403, 403, 403, 200])
    #expect(!replies[4].cookie.isEmpty)
    let file = try studio.makeLinkFile()
    var about = stat()
    #expect(stat(file, &about) == 0 && about.st_mode & 0o077 == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("url=http://127.0.0.1:\(port)/enter?code="))
    try await harness.stop()
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func codesDieAndSessionsAreBounded() {
    let clock = ManualClock()
    let authenticator = Authenticator(password: nil, now: { clock.now })
    let late = authenticator.makeCode()
    clock.advance(.seconds(31))
    #expect(authenticator.logIn(code: late) == nil)
    let inTime = authenticator.makeCode()
    clock.advance(.seconds(29))
    #expect(authenticator.logIn(code: inTime) != nil)
    let first = authenticator.makeCode()
    for _ in 0..<16 { _ = authenticator.makeCode() }
    #expect(authenticator.logIn(code: first) == nil)
  }

  @Test func wrongPasswordsSlowDownTheirOwnAddressOnly() {
    let clock = ManualClock()
    let authenticator = Authenticator(password: "correct horse", now: { clock.now })
    // 1, 2, 4, 8 and 16 s: the authenticator ignores earlier attempts, right or wrong.
    for seconds in [1, 2, 4, 8, 16] {
      #expect(authenticator.logIn(password: "wrong", from: "10.0.0.1") == .wrong)
      #expect(authenticator.logIn(password: "correct horse", from: "10.0.0.1") == .early(.seconds(seconds)))
      clock.advance(.seconds(seconds))
    }
    #expect(authenticator.logIn(password: "wrong", from: "10.0.0.1") == .wrong)
    guard case .session = authenticator.logIn(password: "correct horse", from: "10.0.0.2") else {
      Issue.record("the owner is kept out")
      return
    }
    clock.advance(.seconds(32))
    guard case .session = authenticator.logIn(password: "correct horse", from: "10.0.0.1") else {
      Issue.record("the right password is refused")
      return
    }
    // The right password ends the sequence.
    #expect(authenticator.logIn(password: "wrong", from: "10.0.0.1") == .wrong)
    #expect(authenticator.logIn(password: "wrong", from: "10.0.0.1") == .early(.seconds(1)))
    // The authenticator remembers a limited number of addresses, and no wait is endless.
    for number in 0..<10_000 {
      _ = authenticator.logIn(password: "wrong", from: "10.1.\(number / 256).\(number % 256)")
    }
    for _ in 0..<40 {
      _ = authenticator.logIn(password: "wrong", from: "10.0.0.3")
      clock.advance(.seconds(300))
    }
    guard case .session = authenticator.logIn(password: "correct horse", from: "10.0.0.3") else {
      Issue.record("five minutes are too few")
      return
    }
  }

  @Test func pagesOfOtherOriginsAreRefused() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    for host in ["evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "[::1]:\(port)", "", "127.0.0.1:\(port).evil"] {
      #expect(try await harness.request("GET", "/", host: host).status == 403, "Host: \(host)")
    }
    #expect(try await harness.request("GET", "/", host: "localhost:\(port)").status == 200)
    for field in [
      "Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1", "Origin: https://127.0.0.1:\(port)",
      "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
    ] {
      #expect(try await harness.request("GET", "/api/nothing", fields: [field]).status == 403, "\(field)")
      #expect(try await harness.request("POST", "/api/photos", fields: [field], body: [1]).status == 403, "\(field)")
    }
    #expect(
      try await harness.request("GET", "/api/nothing", fields: ["Origin: http://127.0.0.1:\(port)"]).status == 404)
    let codes = try await onThread {
      [
        try RawClient(port: port).upgrade(harness, origin: "http://evil.example"),
        try RawClient(port: port).upgrade(harness, cookie: "x=wrong"), try RawClient(port: port).upgrade(harness),
      ]
    }
    #expect(codes == [403, 401, 101])
    // A program without an Origin is not a page.
    let bare = try await harness.request(
      "GET", "/api/socket",
      fields: [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ])
    #expect(bare.status == 403)
    try await harness.stop()
  }

  @Test(arguments: [
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/studio.css/../../x",
    "/api/saved/..%2f..%2fetc%2fpasswd", "/api/saved/%2fetc%2fpasswd", "/api/backgrounds/..%2f/small.jpg",
    "/api/photos/1/../../../etc/passwd", "/api/photos/saves/1/..%2ffile", "/api/cloud/..%2f", "/\u{0}",
    "http://127.0.0.1/etc/passwd", "/etc/passwd", "/api/backgrounds/99999999999999999999/small.jpg",
    "/api/photos/-1/view.jpg", "/api/photos/9/view.jpg?p.x=nan&look=/etc/passwd",
  ])
  func noPathLeadsOut(target: String) async throws {
    let harness = try await StudioHarness.start()
    let reply = try await harness.request("GET", target)
    #expect([0, 400, 404].contains(reply.status), "\(target): \(reply.head)")
    #expect(!reply.text.contains("root:"))
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func whatIsTooLargeIsNotRead() async throws {
    let harness = try await StudioHarness.start()
    for target in [
      "/api/photos?name=x.jpg", "/api/backgrounds?name=x.jpg", "/api/photos/1/save", "/api/enter", "/nothing",
    ] {
      let reply = try await harness.request("POST", target, fields: ["Content-Length: 99999999999"])
      #expect([400, 403, 413, 404].contains(reply.status), "\(target): \(reply.head)")
      #expect(reply.head.lowercased().contains("connection: close"), "\(target)")
    }
    // A body without a declared length.
    let (port, cookie) = (harness.port, harness.cookie)
    // The server refuses it, forgets what follows, and closes the connection.
    try await onThread {
      let client = try RawClient(port: port)
      client.send(
        Array(
          "POST /api/photos/1/save HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nTransfer-Encoding: chunked\r\n\r\n"
            .utf8))
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 65, count: 65_536) + Array("\r\n".utf8)
      while client.send(chunk) {}
    }
    // If the server accepted GET with a body, it would mistake the body for the next request.
    #expect(
      try await harness.request("GET", "/api/nothing", fields: ["Content-Length: 5"], body: Array("hello".utf8)).status
        == 400)
    #expect(try await harness.isAlive())
    try await harness.stop()
  }

  @Test func bytesThatAreNoRequestDoNoHarm() async throws {
    let harness = try await StudioHarness.start()
    let port = harness.port
    for seed in UInt64(1)...40 {
      try await onThread {
        var random = SeededRandom(seed: seed)
        let client = try RawClient(port: port)
        var bytes = (0..<Int.random(in: 0..<2000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        if seed % 2 == 0 {
          bytes = Array("GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n".utf8) + bytes
        }
        client.send(bytes)
        client.endSending()
        while !client.read().isEmpty {}
      }
      if seed % 10 == 0 { #expect(try await harness.isAlive(), "seed \(seed)") }
    }
    try await harness.stop()
  }

  @Test func othersAreLetInByPasswordOnly() async throws {
    let error = refusal {
      var options = StudioOptions()
      options.isPublic = true
      _ = try Studio(options)
    }
    #expect(error?.kind == .wrongArgument)
    #expect(error?.message.contains("password") == true)
    let harness = try await StudioHarness.start { options in options.password = "correct horse" }
    func login(_ password: String) async throws -> StudioHarness.Reply {
      try await harness.request(
        "POST", "/api/enter", body: Array("{\"password\":\"\(password)\"}".utf8), isIn: false)
    }
    let right = try await login("correct horse")
    #expect(right.status == 200)
    #expect(
      try await harness.request("GET", "/api/nothing", fields: ["Cookie: \(right.cookie)"], isIn: false).status == 404)
    #expect(try await login("wrong").status == 401)
    let early = try await login("wrong")
    #expect(early.status == 429 || early.status == 401)
    #expect(try await harness.request("POST", "/api/enter", body: Array("{}".utf8)).status == 400)
    try await harness.stop()
  }

  @Test func thePageAsksNoOtherHost() async throws {
    let harness = try await StudioHarness.start()
    // All files of the page, as they are. It has looks as pictures in three workspaces.
    #expect(PageFiles.all.values.reduce(0) { $0 + $1.bytes.readableBytes } < 310_000)
    for (path, file) in PageFiles.all {
      let reply = try await harness.request("GET", path, isIn: false)
      #expect(reply.status == 200 && reply.body.count == file.bytes.readableBytes)
      #expect(reply.head.contains("default-src 'none'") && reply.head.contains("frame-ancestors 'none'"))
      #expect(!reply.head.lowercased().contains("access-control"))
      let outside = reply.text.ranges(of: /https?:\/\/[a-z]/).map { reply.text[$0.lowerBound...].prefix(40) }
      // The namespace of SVG is a name, not an address.
      #expect(outside.allSatisfy { $0.hasPrefix("http://www.w3.org/2000/svg") }, "\(path): \(outside)")
    }
    try await harness.stop()
  }
}

/// A clock that advances only on request.
private final class ManualClock: Sendable {
  private let time = Mutex(ContinuousClock.now)
  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}
