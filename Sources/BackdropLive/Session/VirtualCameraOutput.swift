import Backdrop
import BackdropCameras
import BackdropImaging
import Synchronization

/// A virtual camera as an output. If its service stops, the output reopens it as soon as the service is back.
public final class VirtualCameraOutput: BroadcastSink {
  private struct State {
    var camera: (any VirtualCamera)?
    var nextTry = 0.0
    var fault: BackdropError?
  }

  /// Its name in messages.
  public let name: String
  private let open: @Sendable () throws(BackdropError) -> any VirtualCamera
  private let state: Mutex<State>
  /// The time until a lost camera is reopened, in seconds.
  private static let retry = 2.0

  /// Opens it.
  ///
  /// - Throws: why it is unavailable; later losses only make it wait.
  public init(
    _ name: String, open: @escaping @Sendable () throws(BackdropError) -> any VirtualCamera
  ) throws(BackdropError) {
    self.name = name
    self.open = open
    state = Mutex(State(camera: try open()))
  }

  /// Why it is closed, if it is.
  public var fault: BackdropError? { state.withLock { $0.fault } }

  /// Whether a program is watching. Nobody watches a lost camera; its next standby frame reopens it.
  public var isPublic: Bool { true }
  /// Hands a picture to the watching programs.
  public var isWatched: Bool {
    let camera = state.withLock { $0.camera }
    return camera.map { $0.watchers > 0 } ?? false
  }

  /// Throws: nothing: a lost camera is reopened later, and ``fault`` gives the reason for the loss.
  ///
  /// - Throws: nothing: a camera that is lost is opened again later, and ``fault`` tells why it was lost.
  public func show(_ rendering: Rendering) throws(BackdropError) {
    guard let camera = camera() else { return }
    do throws(BackdropError) {
      try camera.show(rendering.image, at: rendering.time)
    } catch {
      camera.close()
      state.withLock { $0 = State(camera: nil, nextTry: MonotonicClock.seconds + Self.retry, fault: error) }
    }
  }

  /// Ends the camera.
  public func close() {
    let camera = state.withLock { state in
      defer { state = State(camera: nil, nextTry: .infinity) }
      return state.camera
    }
    camera?.close()
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
