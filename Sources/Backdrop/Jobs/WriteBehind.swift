import BackdropImaging
import Dispatch
import Synchronization

/// Writes the pictures of a job on a thread of its own while the next ones are drawn.
///
/// Until ``finish()`` or ``stop()`` has returned nobody else may use the outputs.
final class WriteBehind {
  private let outputs: JobOutputs
  private let pictures: Int
  private let shared: Shared

  private final class Shared: Sendable {
    let state: Mutex<State>
    // Semaphores must not go away with a smaller value than they were made with, so this one begins at none.
    let room = DispatchSemaphore(value: 0)
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)

    init(_ state: sending State) { self.state = Mutex(state) }
  }

  private struct State {
    /// For the thread to take, which lets go of them before it says that it has ended: an output that nobody holds removes
    /// what it has not finished.
    var handed: UncheckedTransfer<JobOutputs>?
    var waiting: [JobOutputs.Picture] = []
    var spare: [Image] = []
    var isFull: Bool
    var isOver = false
    var error: BackdropError?
  }

  /// - Parameter pictures: how many may wait; 0 writes each at once, on the caller's thread.
  init(_ outputs: JobOutputs, pictures: Int) {
    self.outputs = outputs
    self.pictures = pictures
    shared = Shared(State(isFull: outputs.areFull))
    guard pictures > 0 else { return }
    for _ in 0..<pictures { shared.room.signal() }
    shared.state.withLock { $0.handed = UncheckedTransfer(outputs) }
    DetachedThread.start { [shared] in
      Self.write(shared)
      shared.ended.signal()
    }
  }

  private static func write(_ shared: Shared) {
    guard let outputs = shared.state.withLock({ $0.handed.take() })?.value else { return }
    while true {
      StageClock.shared.measure(.waiting) { shared.ready.wait() }
      guard let picture = shared.state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return }
      do throws(BackdropError) {
        try write(picture, outputs)
        shared.state.withLock { $0.isFull = outputs.areFull }
      } catch {
        shared.state.withLock {
          $0.error = error
          $0.waiting = []
        }
      }
      shared.state.withLock { if let image = picture.rendering?.image { $0.spare.append(image) } }
      shared.room.signal()
    }
  }

  private static func write(_ picture: JobOutputs.Picture, _ outputs: JobOutputs) throws(BackdropError) {
    try StageClock.shared.measure(.encode) { () throws(BackdropError) in try outputs.write(picture) }
  }

  /// Whether the outputs take no more pictures.
  var areFull: Bool { shared.state.withLock(\.isFull) }

  /// A picture that was written and may be drawn over.
  func takeSpare() -> Image {
    shared.state.withLock { $0.spare.popLast() } ?? Image(.gray8, width: 1, height: 1)
  }

  /// Adds a picture, once there is room.
  ///
  /// - Throws: why this one, or one before it, could not be written.
  func write(_ picture: JobOutputs.Picture) throws(BackdropError) {
    guard pictures > 0 else {
      try Self.write(picture, outputs)
      shared.state.withLock {
        $0.isFull = outputs.areFull
        if let image = picture.rendering?.image { $0.spare.append(image) }
      }
      return
    }
    StageClock.shared.measure(.waiting) { shared.room.wait() }
    let error = shared.state.withLock { state in
      if state.error == nil { state.waiting.append(picture) }
      return state.error
    }
    guard let error else {
      shared.ready.signal()
      return
    }
    shared.room.signal()
    throw error
  }

  /// Waits until all is written.
  ///
  /// - Throws: why a picture could not be.
  func finish() throws(BackdropError) {
    end()
    if let error = shared.state.withLock(\.error) { throw error }
  }

  /// Forgets what waits and ends.
  func stop() {
    shared.state.withLock { $0.waiting = [] }
    end()
  }

  private func end() {
    guard pictures > 0,
      !shared.state.withLock({ state in
        defer { state.isOver = true }
        return state.isOver
      })
    else { return }
    shared.ready.signal()
    StageClock.shared.measure(.waiting) { shared.ended.wait() }
  }
}
