import BackdropHTTP
import BackdropImaging
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackdropServe

/// Access control: keys, rates, origins.
@Suite struct AccessTests {
  @Test func onlyKeysOpen() async throws {
    let (shop, blog) = (try ServiceKeys.make(for: "shop"), try ServiceKeys.make(for: "blog"))
    let harness = try await ServiceHarness.start { options in
      let path = options.temporaryFolder + "/keys"
      _ = FileManager.default.createFile(
        atPath: path, contents: Data("# keys\n\n\(shop.line)\n\(blog.line) 1/min\n".utf8))
      options.keyFile = path
    }
    func status(_ fields: [String]) async throws -> Int {
      try await harness.request("GET", "/v1/looks", fields: fields).status
    }
    let refused = try await harness.request("GET", "/v1/looks")
    #expect(refused.status == 401 && refused.field("WWW-Authenticate") == "Bearer")
    #expect(try ServiceHarness.trouble(refused).hint?.contains("Authorization: Bearer") == true)
    #expect(try await status(["Authorization: Bearer \(shop.key)x"]) == 401)
    #expect(try await status(["Authorization: Basic \(shop.key)"]) == 401)
    #expect(try await status(["Authorization: bearer \(shop.key)"]) == 200)
    // RFC 9110, section 11.4: one blank or more.
    #expect(try await status(["Authorization: Bearer  \(shop.key)"]) == 200)
    // The host may be a proxy's name for the service.
    #expect(try await status(["Authorization: Bearer \(shop.key)", "Host: pictures.example.org"]) == 200)
    for open in ["/healthz", "/readyz", "/openapi.json", "/docs"] {
      #expect(try await harness.request("GET", open).status == 200, "\(open)")
    }
    // This key allows one request a minute.
    #expect(try await status(["Authorization: Bearer \(blog.key)"]) == 200)
    #expect(try await status(["Authorization: Bearer \(blog.key)"]) == 429)
    #expect(try await status(["Authorization: Bearer \(shop.key)"]) == 200)
    // The log contains the name, never the key.
    try await waiting(for: "the service reaches the state") { harness.log.contains { $0.contains("\"key\":\"shop\"") } }
    #expect(!harness.log.contains { $0.contains(shop.key) || $0.contains(blog.key) })

    let path = try harness.folder.write("\(blog.line)\n".utf8, "keys")
    try harness.service.reload()
    #expect(try await status(["Authorization: Bearer \(shop.key)"]) == 401)
    // A damaged file does not replace the keys.
    try Data("nonsense\n".utf8).write(to: URL(filePath: path))
    #expect(throws: BackdropError.self) { try harness.service.reload() }
    #expect(try await status(["Authorization: Bearer \(shop.key)"]) == 401)
    #expect([200, 429].contains(try await status(["Authorization: Bearer \(blog.key)"])))
    try await harness.stop()
  }

  @Test(arguments: [
    ("", "has no keys"), ("# nobody\n", "has no keys"), ("shop\n", "line 1 of the keys is not NAME SHA256"),
    ("shop 1234\n", "line 1"), ("\nshop \(SHA256.hexadecimal(of: "a")) fast\n", "line 2 of the keys has no rate"),
    (
      "a \(SHA256.hexadecimal(of: "a"))\nb \(SHA256.hexadecimal(of: "a"))\n", "line 2 of the keys has the key of a line"
    ),
  ])
  func refusesFiles(text: String, message: String) throws {
    let folder = TemporaryFolder()
    try folder.write((text + " ").utf8, "keys")
    let error = try #require(refusal { try ServiceKeys(folder.file("keys")) })
    #expect(error.message.contains(message) && error.hint?.code == "addKey")
  }

  @Test func listensElsewhereOnlyWithKeys() throws {
    var options = ServeOptions()
    options.address = "0.0.0.0"
    let error = try #require(refusal { try Service(options) })
    #expect(error.kind == .wrongArgument && error.hint?.code == "giveKeys")
    for name in ["127.0.0.1", "127.1.2.3", "::1", "localhost"] {
      options.address = name
      #expect(throws: Never.self) { try options.check() }
    }
  }

  /// Through this machine's browsers, pages of other sites can reach its ports.
  @Test func pagesOfOtherOriginsAreRefused() async throws {
    let harness = try await ServiceHarness.start { $0.origins = ["https://example.org"] }
    func reply(_ method: String, _ fields: [String]) async throws -> RawClient.Reply {
      try await harness.request(method, "/v1/looks", fields: fields)
    }
    #expect(try await reply("GET", []).status == 200)
    #expect(try await reply("GET", ["Host: attacker.example"]).status == 403)
    #expect(try await reply("GET", ["Host: 127.0.0.1.attacker.example"]).status == 403)
    #expect(try await reply("GET", ["Origin: https://attacker.example"]).status == 403)
    #expect(try await reply("GET", ["Origin: null"]).status == 403)
    #expect(try await reply("GET", ["Origin: http://127.0.0.1:\(harness.port)"]).status == 200)
    let allowed = try await reply("GET", ["Origin: https://example.org"])
    #expect(allowed.status == 200 && allowed.field("Access-Control-Allow-Origin") == "https://example.org")
    #expect(allowed.field("Vary") == "Origin")
    let before = try await reply("OPTIONS", ["Origin: https://example.org", "Access-Control-Request-Method: GET"])
    #expect(before.status == 204 && before.field("Access-Control-Allow-Headers")?.contains("Authorization") == true)
    #expect(try await reply("OPTIONS", ["Origin: https://attacker.example"]).status == 403)
    try await harness.stop()
  }

  @Test func ratesAreBuckets() {
    let time = Mutex(ContinuousClock.now)
    let limiter = RateLimiter { time.withLock { $0 } }
    // 120 a minute: 20 at once, then one every half second.
    for _ in 0..<20 { #expect(limiter.secondsToWait(afterRequestOf: "a", perMinute: 120) == nil) }
    #expect(limiter.secondsToWait(afterRequestOf: "a", perMinute: 120) == 1)
    #expect(limiter.secondsToWait(afterRequestOf: "b", perMinute: 120) == nil)
    time.withLock { $0 += .milliseconds(500) }
    #expect(limiter.secondsToWait(afterRequestOf: "a", perMinute: 120) == nil)
    #expect(limiter.secondsToWait(afterRequestOf: "a", perMinute: 120) == 1)
    // One a minute: one at once, then the next after a minute.
    #expect(limiter.secondsToWait(afterRequestOf: "c", perMinute: 1) == nil)
    #expect(limiter.secondsToWait(afterRequestOf: "c", perMinute: 1) == 60)
    time.withLock { $0 += .seconds(30) }
    #expect(limiter.secondsToWait(afterRequestOf: "c", perMinute: 1) == 30)
  }

  @Test func requestsHaveNumbers() async throws {
    let harness = try await ServiceHarness.start()
    let own = try await harness.request("GET", "/v1/looks", fields: ["X-Request-Id: order-4711"])
    #expect(own.field("X-Request-Id") == "order-4711")
    for bad in ["a b", String(repeating: "a", count: 65), "a\"b", "ä"] {
      let made = try await harness.request("GET", "/v1/looks", fields: ["X-Request-Id: \(bad)"])
      #expect(made.field("X-Request-Id")?.count == 26)
    }
    struct Line: Decodable {
      var id: String, method: String, route: String, status: Int, milliseconds: Double, time: String
    }
    try await waiting(for: "the service reaches the state") { harness.log.count == 5 }
    let lines = try harness.log.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(lines.count == 5 && lines[0].id == "order-4711" && lines[0].route == "/v1/looks" && lines[0].status == 200)
    #expect(lines[0].time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    let metrics = try await harness.request("GET", "/metrics").text
    #expect(metrics.contains("backdrop_requests_total{route=\"/v1/looks\",status=\"200\"} 5\n"))
    #expect(metrics.contains("backdrop_request_duration_seconds_count{route=\"/v1/looks\"} 5\n"))
    try await harness.stop()
  }

  /// A socket from a service manager also needs keys if other computers can reach it.
  @Test(arguments: [("127.0.0.1", true), ("::1", true), ("0.0.0.0", false), ("::", false), ("/", true)])
  func socketsThatOthersReachNeedKeys(address: String, isLocal: Bool) throws {
    let (family, name) =
      switch address {
      case "/": (AF_UNIX, "")
      case _ where address.contains(":"): (AF_INET6, address)
      default: (AF_INET, address)
      }
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    // A machine without IPv6 has no such sockets.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var (storage, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
    storage.ss_family = sa_family_t(family)
    withUnsafeMutableBytes(of: &storage) { bytes in
      // The address follows the family and the port, and in IPv6 the flow.
      if family == AF_INET { inet_pton(family, name, bytes.baseAddress! + 4) }
      if family == AF_INET6 { inet_pton(family, name, bytes.baseAddress! + 8) }
    }
    // The kernel picks an abstract name for a Unix socket without a name.
    length = family == AF_UNIX ? 2 : family == AF_INET ? 16 : 28
    let isBound = withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    guard isBound || family == AF_INET6 else {
      Issue.record("no socket on \(address)")
      return
    }
    guard isBound else { return }
    var options = ServeOptions()
    options.socket = descriptor
    if isLocal {
      try options.check()
    } else {
      #expect(
        refusal { try options.check() }?.message
          == "\(address) can be reached from other computers, and the service has no keys")
      options.keyFile = "keys"
      try options.check()
    }
  }
}
