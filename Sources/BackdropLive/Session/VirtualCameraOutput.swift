import Backdrop
import Synchronization

/// A virtual camera as an output. If its service stops, the output reopens it as soon as the service is back.
package final class VirtualCameraOutput: BroadcastSink {
  private struct State {
    var camera: (any VirtualCamera)?
    var nextTry = 0.0
    var fault: BackdropError?
  }

  package let name: String
  private let open: @Sendable () throws(BackdropError) -> any VirtualCamera
  private let state: Mutex<State>
  /// The time until a lost camera is reopened, in seconds.
  private static let retry = 2.0

  /// Opens the virtual camera.
  ///
  /// - Throws: the reason why it is unavailable. A later loss does not throw; the output then waits.
  package init(
    _ name: String, open: @escaping @Sendable () throws(BackdropError) -> any VirtualCamera
  ) throws(BackdropError) {
    (self.name, self.open) = (name, open)
    state = Mutex(State(camera: try open()))
  }

  /// The error that closed the camera; `nil` while it is open.
  package var fault: BackdropError? { state.withLock { $0.fault } }

  /// Always true: other people see the camera.
  package var isPublic: Bool { true }
  /// Whether a program is watching. A lost camera has no viewers; its next standby frame reopens it.
  package var isWatched: Bool { state.withLock { $0.camera }.map { $0.watchers > 0 } ?? false }

  /// Sends a picture to the watching programs.
  ///
  /// - Throws: nothing; a lost camera is reopened later, and ``fault`` gives the reason for the loss.
  package func show(_ rendering: Rendering) throws(BackdropError) {
    guard let camera = camera() else { return }
    do throws(BackdropError) {
      try camera.show(rendering.image, at: rendering.time)
    } catch {
      camera.close()
      state.withLock { $0 = State(camera: nil, nextTry: MonotonicClock.seconds + Self.retry, fault: error) }
    }
  }

  package func close() {
    let last = state.withLock { exchange(&$0, with: State(camera: nil, nextTry: .infinity)) }
    last.camera?.close()
  }

  private func camera() -> (any VirtualCamera)? {
    let now = MonotonicClock.seconds
    let (camera, isDue) = state.withLock { ($0.camera, now >= $0.nextTry) }
    guard camera == nil, isDue else { return camera }
    do throws(BackdropError) {
      let camera = try open()
      state.withLock { $0 = State(camera: camera) }
      return camera
    } catch {
      state.withLock { $0 = State(camera: nil, nextTry: now + Self.retry, fault: error) }
      return nil
    }
  }
}
