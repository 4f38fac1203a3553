import Backdrop
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo
import Dispatch
import Libc
import Synchronization

/// Writes YUV4MPEG2 into a pipe on a separate thread. A slow reader misses pictures, but does not block the session.
public final class PipeOutput: BroadcastSink {
  private struct State {
    var newest: Image?
    var isEnding = false
    var fault: BackdropError?
  }

  /// Its name in messages.
  public let name: String
  /// Always true, since a program opened the pipe.
  public var isWatched: Bool { true }
  /// Whether other people may see the pictures.
  public let isPublic: Bool
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts writing with the stream's header.
  ///
  /// - Throws: `wrongArgument` for an empty size, `interrupted` if the reader left, `system` if the pipe cannot be written.
  public init(
    _ name: String, descriptor: Int32, width: Int, height: Int, rate: Double, isPublic: Bool = true
  ) throws(BackdropError) {
    self.name = name
    self.isPublic = isPublic
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
  public func show(_ rendering: Rendering) throws(BackdropError) {
    let fault = state.withLock { state in
      state.newest = rendering.image
      return state.fault
    }
    if let fault { throw fault }
    wake.signal()
  }

  /// Drops a picture that is not being written yet.
  public func withdraw() { state.withLock { $0.newest = nil } }

  /// Ends the stream after the current picture.
  public func close() {
    let wasEnding = state.withLock { state in
      defer { state.isEnding = true }
      return state.isEnding
    }
    guard !wasEnding else { return }
    wake.signal()
    // Without a limit, a stalled reader would block this forever.
    _ = ended.wait(timeout: .now() + 1)
  }

  private func write(_ writer: Y4MWriter) {
    while true {
      wake.wait()
      let (image, isEnding) = state.withLock { state in
        defer { state.newest = nil }
        return (state.newest, state.isEnding)
      }
      do throws(BackdropError) {
        if let image { try writer.write(image) }
      } catch {
        state.withLock { $0.fault = error }
        return
      }
      if isEnding { return }
    }
  }
}

/// An output that discards pictures, for measurements.
public final class NullOutput: BroadcastSink {
  /// `null`.
  public let name = "null"
  /// Always.
  public let isWatched = true
  /// No.
  public let isPublic = false

  /// Creates the output.
  public init() {}
  /// Does nothing.
  public func show(_ rendering: Rendering) {}
  /// Does nothing.
  public func close() {}
}
