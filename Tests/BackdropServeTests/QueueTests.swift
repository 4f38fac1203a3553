import BackdropImaging
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import BackdropServe

/// The service limits the requests that run and that wait, and tells further clients to retry later.
@Suite struct QueueTests {
  private let png = "Content-Type: image/png"

  /// A gate that holds work until it opens.
  private final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)

    func open() { isOpen.signal() }
    func wait() {
      isOpen.wait()
      isOpen.signal()
    }
  }

  /// Takes a slot of the queue, and a worker when one is free, until the gate opens.
  private func occupy(_ queue: WorkQueue, _ account: String, _ gate: Gate) async throws -> Task<Void, any Error> {
    let before = queue.use.admitted
    let ticket = queue.arrive(account)
    let task = Task {
      try await queue.run(
        ticket,
        open: { () throws(BackdropError) in
          gate.wait()
          return (opened: (), pixels: 1)
        }, draw: { _, _, _ throws(BackdropError) in })
    }
    try await waiting(for: "the service reaches the state") { queue.use.admitted > before }
    return task
  }

  /// Starts requests whose bodies never arrive.
  private func beginBodies(_ harness: ServiceHarness, count: Int) async throws -> [RawClient] {
    let bytes = harness.head("POST", "/v1/replace?matte=chroma", [png, "Content-Length: 1000"])
    let clients = UncheckedTransfer(try (0..<count).map { _ in try RawClient(port: harness.port) })
    for client in clients.value { client.send(bytes + [1]) }
    try await waiting(for: "the service reaches the state") { harness.service.workCount == count }
    return clients.value
  }

  @Test func aRequestHasOneSlot() throws {
    let queue = WorkQueue(concurrency: 1, waiting: 0, memory: WeightedSemaphore(units: 1 << 30))
    let (first, second) = (queue.arrive("a"), queue.arrive("a"))
    for _ in 0..<2 { try queue.admit(first) }
    #expect(queue.use.admitted == 1 && queue.use.arriving == 1)
    #expect(throws: WorkQueue.Full.self) { try queue.admit(second) }
  }

  @Test func tellsOthersToComeAgain() async throws {
    let harness = try await ServiceHarness.start { ($0.concurrency, $0.queueLength) = (1, 1) }
    let picture = try ScreenPicture.bytes()
    let (gate, queue) = (Gate(), harness.service.queue)
    let works = [try await occupy(queue, "127.0.0.1", gate), try await occupy(queue, "127.0.0.1", gate)]
    let reply = try await harness.request("POST", "/v1/replace?matte=chroma", fields: [png], body: picture)
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == 429 && trouble.code == "too-many-requests")
    #expect(try #require(reply.field("Retry-After").flatMap { Int($0) }) >= 1)
    #expect(reply.field("Connection") == nil)
    // Other routes still answer.
    #expect(try await harness.request("GET", "/healthz").status == 200)
    gate.open()
    for work in works { try await work.value }
    #expect(
      try await harness.request("POST", "/v1/replace?matte=chroma", fields: [png], body: picture).status == 200)
    try await harness.stop()
  }

  /// A request has a slot only once its body is there.
  @Test func bodiesThatNeverComeKeepNobodyOut() async throws {
    let harness = try await ServiceHarness.start { ($0.concurrency, $0.queueLength, $0.deadline) = (1, 0, 600) }
    let held = try await beginBodies(harness, count: 20)
    let picture = try ScreenPicture.bytes()
    #expect(
      try await harness.request("POST", "/v1/replace?matte=chroma", fields: [png], body: picture).status == 200)
    withExtendedLifetime(held) {}
    try await harness.stop()
  }

  /// Max-min shares: an account gets a slot from the one with most, until both have equally many.
  @Test func placesAreShared() async throws {
    let queue = WorkQueue(concurrency: 1, waiting: 4, memory: WeightedSemaphore(units: 1 << 30))
    let gate = Gate()
    var greedy: [Task<Void, any Error>] = []
    for _ in 0..<5 { greedy.append(try await occupy(queue, "greedy", gate)) }
    #expect(!queue.hasSlot(for: "greedy") && queue.hasSlot(for: "other"))
    // The newest request that waits goes first; the one in work stays.
    let others = [queue.arrive("other"), queue.arrive("other")].map { ticket in
      Task { try await queue.run(ticket, open: { () throws(BackdropError) in ((), 1) }, draw: { _, _, _ in }) }
    }
    for index in [4, 3] { await #expect(throws: WorkQueue.Full.self) { try await greedy[index].value } }
    // With 3 and 2 of 5 slots, a sixth request would only turn the shares round.
    #expect(!queue.hasSlot(for: "other") && queue.hasSlot(for: "third"))
    gate.open()
    for task in greedy.prefix(3) + others { try await task.value }
    #expect(queue.use.admitted == 0)
  }

  /// The next worker goes to the account that holds the fewest, although the other asked first.
  @Test func workersAreShared() async throws {
    let semaphore = WeightedSemaphore(units: 2)
    let order = ServiceHarness.Lines()
    let gates = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
    let held = gates.map { gate in
      Task { try await semaphore.holding(for: "greedy") { for await _ in gate.stream {} } }
    }
    try await waiting(for: "the service reaches the state") { semaphore.use.taken == 2 }
    var rest: [Task<Void, any Error>] = []
    for name in ["greedy", "greedy", "other"] {
      let before = semaphore.use.waiting
      rest.append(Task { try await semaphore.holding(for: name) { order.add(name) } })
      try await waiting(for: "the service reaches the state") { semaphore.use.waiting > before }
    }
    gates[0].continuation.finish()
    for task in [held[0]] + rest { try await task.value }
    #expect(order.texts == ["other", "greedy", "greedy"])
    gates[1].continuation.finish()
    try await held[1].value
  }

  /// An account that has just been served finds a worker at once; one that never asked costs the others nothing.
  @Test func aWorkerStaysFreeForWhoeverWasServed() async throws {
    let semaphore = WeightedSemaphore(units: 2, keptFree: 3600)
    let gates = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
    func hold(_ index: Int) -> Task<Void, any Error> {
      Task { try await semaphore.holding(for: "greedy") { for await _ in gates[index].stream {} } }
    }
    let first = [hold(0), hold(1)]
    try await waiting(for: "both units are taken") { semaphore.use.taken == 2 }
    gates[1].continuation.finish()
    try await first[1].value
    try await semaphore.holding(for: "other") {}
    let second = Task { try await semaphore.holding(for: "greedy") {} }
    try await waiting(for: "the second one waits") { semaphore.use.waiting == 1 }
    try await semaphore.holding(for: "other") { #expect(semaphore.use == (2, 1)) }
    #expect(semaphore.use == (1, 1))
    gates[0].continuation.finish()
    try await first[0].value
    try await second.value
    #expect(semaphore.use == (0, 0))
  }

  /// After a refusal the service skips the body, and the connection remains usable.
  @Test func aRefusedBodyIsPassedOver() async throws {
    let harness = try await ServiceHarness.start { ($0.concurrency, $0.queueLength) = (1, 0) }
    let gate = Gate()
    let work = try await occupy(harness.service.queue, "127.0.0.1", gate)
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
    gate.open()
    try await work.value
    try await harness.stop()
  }

  /// The answer does not wait for work that does not stop.
  @Test func theDeadlineWaitsForNothing() async throws {
    let gate = Gate()
    await #expect(throws: Deadline.Passed.self) {
      try await Deadline.run(until: .now + .milliseconds(50)) {
        await withCheckedContinuation { done in
          DispatchQueue.global().async {
            gate.wait()
            done.resume()
          }
        }
      }
    }
    gate.open()
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
    try await waiting(for: "the service reaches the state") { harness.service.workCount == 0 }
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
    try await waiting(for: "the service reaches the state") { harness.service.workCount == 0 }
    try await waiting(for: "the service reaches the state") {
      try FileManager.default.contentsOfDirectory(atPath: harness.service.temporaryFolder) == ["lock"]
    }
    try await harness.stop()
  }

  @Test func whoLeavesGivesItsSlotBack() async throws {
    let harness = try await ServiceHarness.start { $0.deadline = 600 }
    for _ in 0..<3 {
      var clients = try await beginBodies(harness, count: 1)
      clients.removeAll()
      try await waiting(for: "the service reaches the state") { harness.service.workCount == 0 }
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
    let harness = try await ServiceHarness.start { $0.deadline = 600 }
    let picture = try ScreenPicture.bytes()
    let head = harness.head("POST", "/v1/replace?matte=chroma", [png, "Content-Length: \(picture.count)"])
    let held = UncheckedTransfer(try RawClient(port: harness.port))
    held.value.send(head + picture.prefix(10))
    try await waiting(for: "the service reaches the state") { harness.service.workCount == 1 }
    let service = harness.service
    async let isIdle = onThread { service.drain(seconds: 600) }
    // It still listens, and tells that it is ending.
    while try await harness.request("GET", "/readyz").status != 503 {}
    #expect(try await harness.request("GET", "/healthz").status == 200)
    #expect(try await harness.request("POST", "/v1/replace", fields: [png], body: picture).status == 503)
    #expect(try await harness.request("POST", "/v1/jobs", fields: [png], body: picture).status == 503)
    held.value.send(Array(picture.dropFirst(10)))
    #expect(try await onThread { held.value.reply() }.status == 200)
    #expect(try await isIdle)
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
    try await waiting(for: "the service reaches the state") { semaphore.use.taken == 3 }
    let second = Task { try await semaphore.holding(2) { order.add("second") } }
    try await waiting(for: "the service reaches the state") { semaphore.use.waiting == 1 }
    // This task would fit, but waits for its turn.
    let third = Task { try await semaphore.holding(1) { order.add("third") } }
    try await waiting(for: "the service reaches the state") { semaphore.use.waiting == 2 }
    let cancelled = Task { try await semaphore.holding(1) { order.add("cancelled") } }
    try await waiting(for: "the service reaches the state") { semaphore.use.waiting == 3 }
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
