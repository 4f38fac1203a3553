import BackdropDepth
import BackdropImaging
import Dispatch
import Synchronization

/// The frames of a simulated camera in order; other threads render the next ones in advance.
package final class SimulationStream: SceneSource {
  package let info: SourceInfo
  let camera: SimulatedCamera
  private var position = 0
  private var ahead: [Pending] = []

  /// A frame that is being rendered.
  private final class Pending: Sendable {
    private let frame = Mutex<SimulatedFrame?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ camera: SimulatedCamera, _ index: Int) {
      let render: @Sendable () -> Void = {
        let rendered = camera.frame(index)
        self.frame.withLock { $0 = rendered }
        self.done.signal()
      }
      // A queue of Dispatch waits for ever for a thread if the system has none to spare.
      do throws(BackdropError) { try DetachedThread.start(render) } catch { render() }
    }

    func finish() -> SimulatedFrame? {
      done.wait()
      return frame.withLock { $0.take() }
    }
  }

  package init(_ camera: SimulatedCamera, name: String) {
    self.camera = camera
    var info = SourceInfo(
      name, width: camera.width, height: camera.height, format: .bgra8, framesPerSecond: camera.framesPerSecond)
    (info.hasConstantRate, info.frameCount, info.isWorthReadingAhead) = (true, camera.frameCount, false)
    self.info = info
  }

  package func next() -> Scene? {
    while ahead.count < 2, position + ahead.count < camera.frameCount {
      ahead.append(Pending(camera, position + ahead.count))
    }
    guard !ahead.isEmpty, let frame = ahead.removeFirst().finish() else { return nil }
    position += 1
    return frame.frame
  }
}
