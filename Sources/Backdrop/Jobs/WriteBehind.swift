import Synchronization

/// Writes the pictures of a job on a separate thread while the next ones are drawn.
///
/// No other code may use the outputs until ``finish()`` or ``stop()`` has returned.
final class WriteBehind {
  private let outputs: JobOutputs
  private let behind: WorkBehind
  private let state: Mutex<State>

  private struct State {
    var spare: [Image] = []
    var isFull: Bool
  }

  /// - Parameter pictures: how many may wait; 0 writes each at once, on the caller's thread.
  init(_ outputs: JobOutputs, pictures: Int) {
    self.outputs = outputs
    behind = WorkBehind(pieces: pictures)
    state = Mutex(State(isFull: outputs.areFull))
  }

  var areFull: Bool { state.withLock(\.isFull) }

  /// A written picture whose memory can be reused.
  func spareImage() -> Image {
    state.withLock { $0.spare.popLast() } ?? Image(.gray8, width: 1, height: 1)
  }

  /// Adds a picture when a slot is free.
  ///
  /// - Throws: the error of writing this picture or an earlier one.
  func write(_ picture: JobOutputs.Picture) throws(BackdropError) {
    try behind.add { [self] () throws(BackdropError) in
      defer { state.withLock { if let image = picture.rendering?.image { $0.spare.append(image) } } }
      try StageClock.shared.measure(.encode) { () throws(BackdropError) in try outputs.write(picture) }
      state.withLock { $0.isFull = outputs.areFull }
    }
  }

  /// Waits until everything is written.
  func finish() throws(BackdropError) { try behind.finish() }

  /// Drops the waiting pictures and ends.
  func stop() { behind.stop() }
}
