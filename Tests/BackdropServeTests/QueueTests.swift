import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropServe

/// The service limits the requests that run and that wait, and tells further clients to retry later.
@Suite struct QueueTests {
  private let png = "Content-Type: image/png"

  /// Starts a request whose body never arrives, so that it keeps its place.
  private func holdPlace(_ harness: ServiceHarness) async throws -> RawClient {
    let bytes = harness.head("POST", "/v1/replace?matte=chroma", [png, "Content-Length: 1000"])
    let port = harness.port
    let before = harness.service.workCount
    let client = UncheckedTransfer(try RawClient(port: port))
    client.value.send(bytes + [1])
    try await until { harness.service.workCount > before }
    return client.value
  }

  @Test func tellsOthersToComeAgain() async throws {
    let harness = try await ServiceHarness.start { ($0.concurrency, $0.queueLength) = (1, 1) }
    let picture = try ScreenPicture.bytes()
    var held: RawClient? = try await holdPlace(harness)
    let second = try await holdPlace(harness)
    let reply = try await harness.request("POST", "/v1/replace?matte=chroma", fields: [png], body: picture)
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == 429 && trouble.code == "too-many-requests")
    #expect(try #require(reply.field("Retry-After").flatMap { Int($0) }) >= 1)
    #expect(reply.field("Connection") == nil)
    // Other routes still answer.
    #expect(try await harness.request("GET", "/healthz").status == 200)
    held = nil
    _ = held
    try await until { harness.service.workCount == 1 }
    #expect(
      try await harness.request("POST", "/v1/replace?matte=chroma", fields: [png], body: picture).status == 200)
    withExtendedLifetime(second) {}
    try await harness.stop()
  }

  /// After a refusal the service skips the body, and the connection remains usable.
  @Test func aRefusedBodyIsPassedOver() async throws {
    let harness = try await ServiceHarness.start { ($0.concurrency, $0.queueLength) = (1, 0) }
    let held = try await holdPlace(harness)
    let head = harness.head("POST", "/v1/replace", [png, "Content-Length: 50000"])
    let next = harness.head("GET", "/healthz", [])
    let port = harness.port
    let statuses = try await onThread {
      let client = try RawClient(port: port)
      client.send(head)
      let first = client.reply().status
      client.send([UInt8](repeating: 7, count: 50_000) + next)
      return [first, client.reply().status]
    }
    #expect(statuses == [429, 200])
    withExtendedLifetime(held) {}
    try await harness.stop()
  }

  @Test func slowBodiesAreGivenUp() async throws {
    let harness = try await ServiceHarness.start { $0.deadline = 0.2 }
    let bytes = harness.head("POST", "/v1/replace?matte=chroma", [png, "Content-Length: 1000"]) + [1]
    let port = harness.port
    let reply = try await onThread {
      let client = try RawClient(port: port)
      client.send(bytes)
      return client.reply()
    }
    #expect(reply.status == 408 && reply.field("Connection") == "close")
    try await until { harness.service.workCount == 0 }
    try await harness.stop()
  }

  @Test func longWorkIsGivenUp() async throws {
    let harness = try await ServiceHarness.start { $0.deadline = 0.1 }
    let reply = try await harness.request(
      "POST", "/v1/replace?matte=chroma&format=png", fields: [png],
      body: try ScreenPicture.bytes(width: 4000, height: 3000))
    // If reading the body takes that long, the status says so.
    #expect([504, 408].contains(reply.status), "\(reply.text)")
    if reply.status == 504 { #expect(try ServiceHarness.trouble(reply).code == "deadline") }
    // The work stops and leaves nothing behind.
    try await until { harness.service.workCount == 0 }
    try await until { try FileManager.default.contentsOfDirectory(atPath: harness.service.temporaryFolder) == ["lock"] }
    try await harness.stop()
  }

  @Test func whoLeavesGivesHisPlaceBack() async throws {
    let harness = try await ServiceHarness.start()
    for _ in 0..<3 {
      var client: RawClient? = try await holdPlace(harness)
      withExtendedLifetime(client) {}
      client = nil
      try await until { harness.service.workCount == 0 }
    }
    try await harness.stop()
  }

  @Test func picturesBeyondTheMemoryAreRefused() async throws {
    let harness = try await ServiceHarness.start { $0.limits.memory = 301_000_000 }
    let reply = try await harness.request(
      "POST", "/v1/replace?matte=chroma", fields: [png], body: try ScreenPicture.bytes(width: 400, height: 300))
    #expect(reply.status == 413)
    #expect(try ServiceHarness.trouble(reply).code == "over-limit")
    try await harness.stop()
  }

  @Test func endsAfterTheLastAnswer() async throws {
    let harness = try await ServiceHarness.start()
    let picture = try ScreenPicture.bytes()
    let head = harness.head("POST", "/v1/replace?matte=chroma", [png, "Content-Length: \(picture.count)"])
    let held = UncheckedTransfer(try RawClient(port: harness.port))
    held.value.send(head + picture.prefix(10))
    try await until { harness.service.workCount == 1 }
    let service = harness.service
    async let isIdle = onThread { service.drain(seconds: 600) }
    let port = harness.port
    // Wait until the service stops listening.
    try await until { (try? RawClient(port: port)) == nil }
    held.value.send(Array(picture.dropFirst(10)))
    #expect(try await onThread { held.value.reply() }.status == 200)
    #expect(try await isIdle)
    // The connection is still open, but accepts no new requests.
    let next = harness.head("GET", "/v1/looks", []), ready = harness.head("GET", "/readyz", [])
    held.value.send(ready)
    #expect(try await onThread { held.value.reply() }.status == 503)
    held.value.send(next)
    #expect(try await onThread { held.value.reply() }.status == 503)
    try await harness.stop()
  }

  @Test func unitsAreTakenInOrder() async throws {
    let semaphore = WeightedSemaphore(units: 4)
    let order = ServiceHarness.Lines()
    let gate = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await semaphore.holding(3) {
        order.add("first")
        for await _ in gate.stream { break }
      }
    }
    try await until { semaphore.use.taken == 3 }
    let second = Task { try await semaphore.holding(2) { order.add("second") } }
    try await until { semaphore.use.waiting == 1 }
    // This task would fit, but waits for its turn.
    let third = Task { try await semaphore.holding(1) { order.add("third") } }
    try await until { semaphore.use.waiting == 2 }
    let cancelled = Task { try await semaphore.holding(1) { order.add("cancelled") } }
    try await until { semaphore.use.waiting == 3 }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    gate.continuation.yield()
    try await first.value
    try await second.value
    try await third.value
    #expect(Set(order.texts) == ["first", "second", "third"] && order.texts[0] == "first")
    #expect(semaphore.use == (0, 0))
    // A request for more units than exist takes all of them.
    try await semaphore.holding(100) { #expect(semaphore.use.taken == 4) }
  }
}
