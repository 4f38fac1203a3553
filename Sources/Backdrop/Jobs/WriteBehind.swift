import BackdropImaging
import Synchronization

/// Writes the pictures of a job on a thread of its own while the next ones are drawn.
///
/// Until ``finish()`` or ``stop()`` has returned nobody else may use the outputs.
final class WriteBehind {
  private let outputs: JobOutputs
  private let behind: WorkBehind
  private let shared: Shared

  private final class Shared: Sendable {
    let state: Mutex<State>

    init(_ state: State) { self.state = Mutex(state) }
  }

  private struct State {
    var spare: [Image] = []
    var isFull: Bool
  }

  /// - Parameter pictures: how many may wait; 0 writes each at once, on the caller's thread.
  init(_ outputs: JobOutputs, pictures: Int) {
    self.outputs = outputs
    behind = WorkBehind(pieces: pictures)
    shared = Shared(State(isFull: outputs.areFull))
  }

  /// Whether the outputs take no more pictures.
  var areFull: Bool { shared.state.withLock(\.isFull) }

  /// A picture that was written and may be drawn over.
  func takeSpare() -> Image {
    shared.state.withLock { $0.spare.popLast() } ?? Image(.gray8, width: 1, height: 1)
  }

  /// Adds a picture, once a slot is free.
  ///
  /// - Throws: why this one, or one before it, could not be written.
  func write(_ picture: JobOutputs.Picture) throws(BackdropError) {
    try behind.add { [outputs, shared] () throws(BackdropError) in
      defer { shared.state.withLock { if let image = picture.rendering?.image { $0.spare.append(image) } } }
      try StageClock.shared.measure(.encode) { () throws(BackdropError) in try outputs.write(picture) }
      shared.state.withLock { $0.isFull = outputs.areFull }
    }
  }

  /// Waits until all is written.
  ///
  /// - Throws: why a picture could not be.
  func finish() throws(BackdropError) { try behind.finish() }

  /// Forgets what waits and ends.
  func stop() { behind.stop() }
}
