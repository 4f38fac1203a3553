import Backdrop
import Dispatch
import Synchronization

/// Writes YUV4MPEG2 into a pipe on a separate thread. A slow reader misses pictures, but does not block the session.
package final class PipeOutput: BroadcastSink {
  private struct State {
    var newest: Image?
    var isEnding = false
    var fault: BackdropError?
  }

  package let name: String
  /// Always true, since a program opened the pipe.
  package var isWatched: Bool { true }
  package let isPublic: Bool
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts writing with the stream's header.
  package init(
    _ name: String, descriptor: Int32, width: Int, height: Int, rate: Double, isPublic: Bool = true
  ) throws(BackdropError) {
    (self.name, self.isPublic) = (name, isPublic)
    let writer = UncheckedTransfer(
      try Y4MWriter(
        descriptor: descriptor, width: width, height: height, frameRate: Rational(approximating: rate),
        color: .assumed(width: width, height: height)))
    try DetachedThread.start { [self] in
      write(writer.value)
      ended.signal()
    }
  }

  /// Queues a picture, which replaces one that is not written yet.
  ///
  /// - Throws: the error of an earlier picture: `interrupted` if the reader left, `system` if the pipe cannot be written.
  package func show(_ rendering: Rendering) throws(BackdropError) {
    let fault = state.withLock { state in
      state.newest = rendering.image
      return state.fault
    }
    if let fault { throw fault }
    wake.signal()
  }

  /// Drops a picture that is not being written yet.
  package func withdraw() { state.withLock { $0.newest = nil } }

  /// Ends the stream after the current picture.
  package func close() {
    let wasEnding = state.withLock { exchange(&$0.isEnding, with: true) }
    guard !wasEnding else { return }
    wake.signal()
    // Without a limit, a stalled reader would block this forever.
    _ = ended.wait(timeout: .now() + 1)
  }

  private func write(_ writer: Y4MWriter) {
    while true {
      wake.wait()
      let (image, isEnding) = state.withLock { ($0.newest.take(), $0.isEnding) }
      do throws(BackdropError) { if let image { try writer.write(image) } } catch {
        return state.withLock { $0.fault = error }
      }
      if isEnding { return }
    }
  }
}

/// An output that discards pictures, for measurements.
package final class NullOutput: BroadcastSink {
  package let name = "null"
  package let isWatched = true
  package let isPublic = false

  package init() {}
  package func show(_ rendering: Rendering) {}
  package func close() {}
}
