import FlyingSocks
import Glibc
import Synchronization
import Testing

@testable import BackdropStudio

/// Waits for connections whose descriptors come and go.
@Suite(.timeLimit(.minutes(10))) struct ConnectionPoolTests {
  private func withPool(_ body: (ConnectionPool) async throws -> Void) async throws {
    let pool = ConnectionPool()
    try await pool.prepare()
    let task = Task { try await pool.run() }
    try await body(pool)
    task.cancel()
    _ = await task.result
  }

  /// Two ends that are connected.
  private func pair() -> (own: Int32, other: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private func begins(_ pool: ConnectionPool) async throws {
    while pool.waiterCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
  }

  private func socket(_ descriptor: Int32) -> Socket { Socket(file: Socket.FileDescriptor(rawValue: descriptor)) }

  @Test func waitsForWhatComes() async throws {
    try await withPool { pool in
      let (own, other) = pair()
      defer { for end in [own, other] { close(end) } }
      try await pool.suspendSocket(socket(own), untilReadyFor: .write)
      let hasCome = Atomic<Bool>(false)
      let wait = Task { [socket = socket(own)] in
        try await pool.suspendSocket(socket, untilReadyFor: .read)
        hasCome.store(true, ordering: .sequentiallyConsistent)
      }
      try await begins(pool)
      let isEarly = hasCome.load(ordering: .sequentiallyConsistent)
      #expect(!isEarly)
      #expect(write(other, "x", 1) == 1)
      try await wait.value
    }
  }

  /// A page is shut while it is waited for, and the next one gets the number of its descriptor.
  @Test func aNumberThatIsUsedAgainIsAnotherConnection() async throws {
    try await withPool { pool in
      for _ in 0..<20 {
        let (own, other) = pair()
        let wait = Task { [socket = socket(own)] in try await pool.suspendSocket(socket, untilReadyFor: .read) }
        try await begins(pool)
        let (second, secondOther) = pair()
        // From now on the number stands for the second connection, and the first one is gone.
        #expect(dup2(second, own) == own)
        close(second)
        close(other)
        let next = Task { [socket = socket(own)] in try await pool.suspendSocket(socket, untilReadyFor: .read) }
        #expect(write(secondOther, "x", 1) == 1)
        try await next.value
        await #expect(throws: SocketError.self) { try await wait.value }
        for end in [own, secondOther] { close(end) }
      }
    }
  }

  @Test func aDescriptorThatIsClosedEndsTheWait() async throws {
    try await withPool { pool in
      let (own, other) = pair()
      let wait = Task { [socket = socket(own)] in try await pool.suspendSocket(socket, untilReadyFor: .read) }
      try await begins(pool)
      close(own)
      await #expect(throws: SocketError.self) { try await wait.value }
      close(other)
    }
  }

  @Test func whoGivesUpIsLetGo() async throws {
    try await withPool { pool in
      let (own, other) = pair()
      defer { for end in [own, other] { close(end) } }
      for _ in 0..<100 {
        let wait = Task { [socket = socket(own)] in try await pool.suspendSocket(socket, untilReadyFor: .read) }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
      }
      // It still works.
      #expect(write(other, "x", 1) == 1)
      try await pool.suspendSocket(socket(own), untilReadyFor: .read)
    }
  }

  @Test func theEndOfThePoolEndsAllWaits() async throws {
    let (own, other) = pair()
    defer { for end in [own, other] { close(end) } }
    let pool = ConnectionPool()
    try await pool.prepare()
    let run = Task { try await pool.run() }
    let wait = Task { [socket = socket(own)] in try await pool.suspendSocket(socket, untilReadyFor: .read) }
    try await begins(pool)
    run.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
    await #expect(throws: CancellationError.self) {
      try await pool.suspendSocket(socket(own), untilReadyFor: .read)
    }
  }
}
