import Dispatch
import Synchronization

/// The frames of a simulated camera in order, the next ones rendered on other threads while one is worked on.
final class SimulationStream {
  let camera: SimulatedCamera
  private var position = 0
  private var ahead: [Pending] = []

  /// A frame that is being rendered.
  private final class Pending: Sendable {
    private let frame = Mutex<SimulatedFrame?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ camera: SimulatedCamera, _ index: Int) {
      DispatchQueue.global().async {
        let rendered = camera.frame(index)
        self.frame.withLock { $0 = rendered }
        self.done.signal()
      }
    }

    func take() -> SimulatedFrame? {
      done.wait()
      return frame.withLock { frame in
        defer { frame = nil }
        return frame
      }
    }
  }

  init(_ camera: SimulatedCamera) { self.camera = camera }

  func next() -> (index: Int, frame: SimulatedFrame)? {
    while ahead.count < 2, position + ahead.count < camera.frameCount {
      ahead.append(Pending(camera, position + ahead.count))
    }
    guard !ahead.isEmpty, let frame = ahead.removeFirst().take() else { return nil }
    position += 1
    return (position - 1, frame)
  }
}
