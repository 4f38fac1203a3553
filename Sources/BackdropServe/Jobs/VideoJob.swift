import BackdropHTTP
import BackdropImaging
import NIOCore
import Synchronization

/// The work on a video, which continues in the background after the answer to its request.
final class VideoJob: Sendable {
  /// The state and progress of a job, as clients see it.
  struct Info: Encodable, Sendable {
    enum State: String, Encodable, Sendable { case waiting, running, done, failed, cancelled }

    var id: String
    var operation: String
    var state = State.waiting
    /// The number of finished frames and of all frames; `nil` if unknown.
    var frames = 0, frameCount: Int?
    var seconds: Double?
    var notes: [String] = []
    var error: String?
    var hint: String?
    /// The identifier of the error's kind.
    var code: String?
    /// The address of the result.
    var result: String?

    var hasEnded: Bool { state != .waiting && state != .running }
  }

  private struct State {
    var info: Info
    var result: MediaWork.Result?
    var end: ContinuousClock.Instant?
    var listeners: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    var count = 0
  }

  let id: String
  /// The name of the client's key.
  let owner: String
  private let state: Mutex<State>
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ operation: MediaRequest.Operation, owner: String) {
    id = Secret.make()
    self.owner = owner
    state = Mutex(State(info: Info(id: id, operation: operation.rawValue)))
  }

  var info: Info { state.withLock { $0.info } }

  /// The result, with its file; `nil` before the end.
  var result: MediaWork.Result? { state.withLock { $0.result } }

  /// The time of its end; `nil` before.
  var end: ContinuousClock.Instant? { state.withLock { $0.end } }

  /// Starts the work, which must set one of the last three states.
  func start(_ work: @escaping @Sendable () async -> Void) {
    task.withLock { $0 = Task { await work() } }
  }

  /// Cancels the job; the work stops at the next frame.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// Changes the information for clients and sends it to all listeners. A job that has ended does not change.
  func change(result: MediaWork.Result? = nil, _ change: (inout Info) -> Void) {
    let ended = state.withLock { state -> [AsyncStream<ByteBuffer>.Continuation] in
      guard !state.info.hasEnded else { return [] }
      change(&state.info)
      if let result { state.result = result }
      let event = Self.event(state.info)
      for listener in state.listeners.values { listener.yield(event) }
      guard state.info.hasEnded else { return [] }
      state.end = .now
      return Array(state.listeners.values)
    }
    // The end of a stream takes the lock.
    for listener in ended { listener.finish() }
  }

  /// Its state as server-sent events: one at once, and one after each change until the end.
  func events() -> AsyncStream<ByteBuffer> {
    // Each event holds the full state, so a slow reader may miss older ones.
    let (stream, listener) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(4))
    let (info, number) = state.withLock { state in
      state.count += 1
      if !state.info.hasEnded { state.listeners[state.count] = listener }
      return (state.info, state.count)
    }
    listener.yield(Self.event(info))
    if info.hasEnded { listener.finish() }
    listener.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
    return stream
  }

  /// Sends a comment line, which clients ignore, to keep silent connections open.
  func beat() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(ByteBuffer(string: ":\n\n")) }
  }

  private static func event(_ info: Info) -> ByteBuffer {
    ByteBuffer(string: "event: \(info.state.rawValue)\ndata: \(ServerJSON.text(info) ?? "{}")\n\n")
  }
}
