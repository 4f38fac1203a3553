import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropServe

/// What connections may do: several requests at once, requests for heads, and errors.
@Suite struct ConnectionTests {
  /// RFC 9112, section 9.3.2: requests that come together are answered in their order.
  @Test(arguments: [1, 2, 3, 10, 300], ["/healthz", "/v1/looks", "/nowhere"])
  func answersAllPipelinedRequests(count: Int, target: String) async throws {
    let harness = try await ServiceHarness.start()
    let requests = (0..<count).flatMap { harness.head("GET", target, ["X-Request-Id: n\($0)"]) }
    let port = harness.port
    let replies = try await onThread {
      let client = try RawClient(port: port)
      client.send(requests)
      return (0..<count).map { _ in client.reply() }
    }
    #expect(replies.map { $0.field("X-Request-Id") } == (0..<count).map { "n\($0)" })
    #expect(Set(replies.map(\.status)) == [target == "/nowhere" ? 404 : 200])
    try await harness.stop()
  }

  /// RFC 9110, sections 9.1 and 9.3.2: every address of GET answers HEAD with the same fields and no body.
  @Test(arguments: [
    "/healthz", "/readyz", "/v1/looks", "/v1/settings", "/v1/jobs", "/openapi.json", "/docs", "/docs.css", "/nowhere",
    "/v1/jobs/unknown", "/v1/jobs/unknown/events", "/v1/jobs/unknown/result",
  ])
  func answersHEAD(target: String) async throws {
    let harness = try await ServiceHarness.start()
    let requests = harness.head("HEAD", target, []) + harness.head("GET", target, [])
    let port = harness.port
    let (head, get) = try await onThread {
      let client = try RawClient(port: port)
      client.send(requests)
      return (client.reply(isHead: true), client.reply())
    }
    #expect(head.status == get.status)
    for name in ["Content-Type", "Content-Length"] { #expect(head.field(name) == get.field(name), "\(name)") }
    #expect(get.body.count == head.field("Content-Length").flatMap { Int($0) })
    try await harness.stop()
  }

  @Test func refusesHEADWhereThereIsNoGET() async throws {
    let harness = try await ServiceHarness.start()
    let bytes = harness.head("HEAD", "/v1/replace", []), port = harness.port
    let reply = try await onThread {
      let client = try RawClient(port: port)
      client.send(bytes)
      return client.reply(isHead: true)
    }
    #expect(reply.status == 405 && reply.field("Allow") == "POST")
    #expect(try await harness.request("DELETE", "/v1/looks").field("Allow") == "GET, HEAD")
    try await harness.stop()
  }

  /// RFC 9112, section 3.2.
  @Test func wantsOneHost() async throws {
    let harness = try await ServiceHarness.start()
    let host = "Host: 127.0.0.1:\(harness.port)"
    let port = harness.port
    for (fields, status) in [([host, host], 400), ([host, "Host: other"], 400), ([], 400), ([host], 200)] {
      let bytes = Array((["GET /healthz HTTP/1.1"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
      #expect(try await onThread { try RawClient.status(port: port, bytes) } == status, "\(fields)")
    }
    #expect(
      try await onThread { try RawClient.status(port: port, Array("GET /healthz HTTP/1.0\r\n\r\n".utf8)) } == 200)
    try await harness.stop()
  }

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])

  /// A frame of HTTP/2 (RFC 9113, section 4.1).
  private static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), kind, flags, 0, 0, 0, stream] + payload
  }

  /// Bytes that no server can continue after.
  enum Fault: CaseIterable {
    case shortPing, longFrame, endlessHead, dataWithoutStream, noHTTP, longHead

    var bytes: [UInt8] {
      switch self {
      case .shortPing: preface + frame(6, 0, 0, [1, 2, 3])
      case .longFrame: preface + [255, 255, 255, 0, 0, 0, 0, 0, 1]
      case .endlessHead: preface + frame(1, 0, 1, [0x82]) + (0..<20).flatMap { _ in frame(9, 0, 1, [0x82]) }
      case .dataWithoutStream: preface + frame(0, 0, 1, [1])
      case .noHTTP: Array("nothing of HTTP\r\n\r\n".utf8)
      case .longHead: Array("GET / HTTP/1.1\r\nX: \(String(repeating: "y", count: 40_000))".utf8)
      }
    }
  }

  /// After an error the service ends the connection, although the client does not.
  @Test(arguments: Fault.allCases) func connectionsEndAfterErrors(fault: Fault) async throws {
    let harness = try await ServiceHarness.start()
    let client = try RawClient(port: harness.port)
    try await waiting(for: "the service reaches the state") { harness.service.connectionCount == 1 }
    client.send(fault.bytes)
    try await waiting(for: "the service reaches the state") { harness.service.connectionCount == 0 }
    withExtendedLifetime(client) {}
    try await harness.stop()
  }

  @Test func bodiesAreFiles() async throws {
    let harness = try await ServiceHarness.start { $0.deadline = 600 }
    let size = 8 << 20
    let bytes =
      harness.head("POST", "/v1/replace", ["Content-Length: \(size)"]) + [UInt8](repeating: 1, count: size - 1)
    let port = harness.port
    let client = try await onThread {
      let client = try RawClient(port: port)
      client.send(bytes)
      return UncheckedTransfer(client)
    }
    let folder = harness.service.temporaryFolder
    func sizes() throws -> [Int] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }.compactMap {
        try FileManager.default.attributesOfItem(atPath: folder + "/" + $0)[.size] as? Int
      }
    }
    // Less than one piece is in memory.
    try await waiting(for: "the service reaches the state") { try sizes().contains { $0 > size - 2 * 65_536 } }
    withExtendedLifetime(client) {}
    try await harness.stop()
  }
}
