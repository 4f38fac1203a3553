import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropStudio

@Suite struct GateTests {
  @Test func onlyTheTokenOpens() async throws {
    let harness = try await StudioHarness.start()
    #expect(try await harness.request("GET", "/api/nothing", hasToken: false).status == 401)
    #expect(try await harness.request("GET", "/api/nothing?t=wrong", hasToken: false).status == 401)
    #expect(try await harness.request("GET", "/api/nothing?t=", hasToken: false).status == 401)
    #expect(
      try await harness.request("POST", "/api/photos/sample", body: [], hasToken: false).status == 401)
    #expect(try await harness.request("GET", "/api/nothing").status == 404)
    #expect(try await harness.request("GET", "/api/nothing?t=\(StudioHarness.token)", hasToken: false).status == 404)
    try await harness.stop()
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
        try RawClient(port: port).upgrade(port: port, origin: "http://evil.example"),
        try RawClient(port: port).upgrade(port: port, token: "wrong"), try RawClient(port: port).upgrade(port: port),
      ]
    }
    #expect(codes == [403, 401, 101])
    // A program without an Origin is no page.
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
      "/api/photos?name=x.jpg", "/api/backgrounds?name=x.jpg", "/api/photos/1/save", "/api/login", "/nothing",
    ] {
      let reply = try await harness.request("POST", target, fields: ["Content-Length: 99999999999"])
      #expect([400, 413, 404].contains(reply.status), "\(target): \(reply.head)")
      #expect(reply.head.lowercased().contains("connection: close"), "\(target)")
    }
    // A body without an announced end.
    let port = harness.port
    let sent = try await onThread {
      let client = try RawClient(port: port)
      client.send(
        Array(
          "POST /api/photos/1/save HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Studio-Token: \(StudioHarness.token)\r\nTransfer-Encoding: chunked\r\n\r\n"
            .utf8))
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 65, count: 65_536) + Array("\r\n".utf8)
      var count = 0
      while count < 400 && client.send(chunk) { count += 1 }
      return count
    }
    #expect(sent < 400, "26 MB were taken where 64 KiB are the limit")
    // A body that GET must not have would be taken for the next request.
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
        client.wait(seconds: 0.05)
        var bytes = (0..<Int.random(in: 0..<2000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        if seed % 2 == 0 {
          bytes = Array("GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n".utf8) + bytes
        }
        client.send(bytes)
        _ = client.read()
      }
      if seed % 10 == 0 { #expect(try await harness.isAlive(), "seed \(seed)") }
    }
    try await harness.stop()
  }

  @Test func othersAreLetInByPasswordOnly() async throws {
    let error = #expect(throws: BackdropError.self) {
      var options = StudioOptions(token: StudioHarness.token)
      options.isPublic = true
      _ = try Studio(options)
    }
    #expect(error?.kind == .wrongArgument)
    #expect(error?.message.contains("password") == true)
    let harness = try await StudioHarness.start { options in options.password = "correct horse" }
    func login(_ password: String) async throws -> StudioHarness.Reply {
      try await harness.request(
        "POST", "/api/login", body: Array("{\"password\":\"\(password)\"}".utf8), hasToken: false)
    }
    #expect(try await login("wrong").status == 401)
    // Tries are a second apart, right ones too; a busy machine may need longer than that for one.
    let wrong = ContinuousClock.now
    let soon = try await login("correct horse").status
    if ContinuousClock.now - wrong < .milliseconds(900) { #expect(soon == 401) }
    try await Task.sleep(for: .milliseconds(1100))
    let reply = try await login("correct horse")
    #expect(reply.status == 200)
    #expect(reply.text.contains(StudioHarness.token))
    #expect(try await harness.request("POST", "/api/login", body: Array("{}".utf8)).status == 400)
    try await harness.stop()
  }

  @Test func thePageAsksNoOtherHost() async throws {
    let harness = try await StudioHarness.start()
    #expect(PageFiles.weight < 300_000)
    for (path, file) in PageFiles.all {
      let reply = try await harness.request("GET", path, hasToken: false)
      #expect(reply.status == 200 && reply.body.count == file.data.count)
      #expect(reply.head.contains("default-src 'none'") && reply.head.contains("frame-ancestors 'none'"))
      #expect(!reply.head.lowercased().contains("access-control"))
      let outside = reply.text.ranges(of: /https?:\/\/[a-z]/).map { reply.text[$0.lowerBound...].prefix(40) }
      // The namespace of SVG is a name, not an address.
      #expect(outside.allSatisfy { $0.hasPrefix("http://www.w3.org/2000/svg") }, "\(path): \(outside)")
    }
    try await harness.stop()
  }

  @Test func theTokenIsKeptForItsOwnerAlone() throws {
    let folder = TestSupport.TemporaryFolder()
    let place = folder.file("state")
    let token = try StudioToken.kept(in: place)
    #expect(StudioToken.isPossible(token))
    #expect(try StudioToken.kept(in: place) == token)
    let attributes = try FileManager.default.attributesOfItem(atPath: place + "/studio-token")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try StudioToken.kept(in: place, isNew: true) != token)
    try "short".write(toFile: place + "/studio-token", atomically: true, encoding: .utf8)
    #expect(StudioToken.isPossible(try StudioToken.kept(in: place)))
  }
}
