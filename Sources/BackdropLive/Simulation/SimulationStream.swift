import BackdropDepth
import BackdropImaging
import Dispatch
import Synchronization

/// The frames of a simulated camera in order, the next ones rendered on other threads while one is worked on.
final class SimulationStream: RGBDSource {
  let name: String
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

  init(_ camera: SimulatedCamera, name: String) {
    self.camera = camera
    self.name = name
  }

  var width: Int { camera.width }
  var height: Int { camera.height }
  var format: PixelFormat { .bgra8 }
  var framesPerSecond: Double { camera.framesPerSecond }
  var isSteady: Bool { true }
  var frameCount: Int? { camera.frameCount }
  var bringsFaces: Bool { true }
  var isWorthReadingAhead: Bool { false }

  func next() -> Frame? {
    while ahead.count < 2, position + ahead.count < camera.frameCount {
      ahead.append(Pending(camera, position + ahead.count))
    }
    guard !ahead.isEmpty, let frame = ahead.removeFirst().take() else { return nil }
    position += 1
    return frame.frame
  }
}
