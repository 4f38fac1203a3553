import BackdropHTTP
import BackdropImaging
import NIOCore
import Synchronization

/// A video that is worked on while its client does something else.
final class VideoJob: Sendable {
  /// How far it is, as clients read it.
  struct Info: Encodable, Sendable {
    enum State: String, Encodable, Sendable { case waiting, running, done, failed, cancelled }

    var id: String
    var operation: String
    var state = State.waiting
    /// Frames that are done, and all of them, as far as known.
    var frames = 0, frameCount: Int?
    var seconds: Double?
    var notes: [String] = []
    var error: String?
    var hint: String?
    /// The address of the result.
    var result: String?

    /// Whether nothing more will happen to it.
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
  /// The name of the key by which it was sent.
  let owner: String
  private let state: Mutex<State>
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ operation: MediaRequest.Operation, owner: String) {
    id = Secret.make()
    self.owner = owner
    state = Mutex(State(info: Info(id: id, operation: operation.rawValue)))
  }

  var info: Info { state.withLock { $0.info } }

  /// The result's file, while this is kept.
  var result: MediaWork.Result? { state.withLock { $0.result } }

  /// When it ended.
  var end: ContinuousClock.Instant? { state.withLock { $0.end } }

  /// Starts the work, which ends with one of the last three states.
  func start(_ work: @escaping @Sendable () async -> Void) {
    task.withLock { $0 = Task { await work() } }
  }

  /// Gives it up; the work stops at the next frame.
  func cancel() { task.withLock { $0 }?.cancel() }

  /// Changes what clients are told.
  func change(_ change: (inout Info) -> Void) { self.change(result: nil, change) }

  func change(result: MediaWork.Result?, _ change: (inout Info) -> Void) {
    let (info, listeners) = state.withLock { state in
      // What has ended stays as it is.
      guard !state.info.hasEnded else { return (state.info, [AsyncStream<ByteBuffer>.Continuation]()) }
      change(&state.info)
      if let result { state.result = result }
      let listeners = Array(state.listeners.values)
      if state.info.hasEnded {
        state.end = .now
        state.listeners = [:]
      }
      return (state.info, listeners)
    }
    let event = Self.event(info)
    for listener in listeners {
      listener.yield(event)
      if info.hasEnded { listener.finish() }
    }
  }

  /// What happens to it, as server-sent events: how far it is, at once and after each change, up to its end.
  func events() -> AsyncStream<ByteBuffer> {
    // Each says all there is to know, so a slow reader gets the newest.
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

  /// Keeps connections open on which nothing happens: a line that readers pass over.
  func beat() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(ByteBuffer(string: ":\n\n")) }
  }

  private static func event(_ info: Info) -> ByteBuffer {
    ByteBuffer(string: "event: \(info.state.rawValue)\ndata: \(ServerJSON.text(info) ?? "{}")\n\n")
  }
}
