import Backdrop
import BackdropCodecs
import BackdropImaging
import Synchronization

/// Small pictures of a whole video, so that scrubbing shows one at once; made on a thread of their own when it is opened.
final class VideoThumbnails: Sendable {
  /// Pictures at most, and pixels in a row.
  private static let maximumCount = 300, maximumWidth = 360

  private let path: String
  private let duration: Double
  private let width: Int, height: Int
  private let state = Mutex((pictures: [(seconds: Double, jpeg: [UInt8])](), isComplete: false, isStopped: false))

  /// Of a video whose upright pictures have a shape.
  init(_ path: String, duration: Double, width: Int, height: Int) {
    (self.path, self.duration) = (path, duration)
    self.width = min(Self.maximumWidth, width)
    self.height = max(1, Int((Double(self.width) * Double(height) / Double(width)).rounded()))
  }

  /// How much of the video they are made of, 0…1, for the pages.
  var part: Double {
    state.withLock { $0.isComplete ? 1 : min(0.99, ($0.pictures.last?.seconds ?? 0) / max(duration, 0.1)) }
  }

  func stop() { state.withLock { $0.isStopped = true } }

  /// The picture that is nearest to a time; `nil` while there is none within a twentieth of the video.
  func nearest(_ seconds: Double) -> [UInt8]? {
    state.withLock { state in
      guard let best = state.pictures.min(by: { abs($0.seconds - seconds) < abs($1.seconds - seconds) }) else {
        return nil
      }
      return state.isComplete || abs(best.seconds - seconds) <= max(0.2, duration / 20) ? best.jpeg : nil
    }
  }

  /// Makes them, up to a damaged place at most.
  func make() {
    let step = max(0.1, duration / Double(Self.maximumCount))
    do throws(BackdropError) {
      // Far apart they are looked for, one by one; otherwise every picture is decoded.
      if step > 3 { try search(step) } else { try readAll(step) }
    } catch {
      // What is there serves; opening the video has said what is wrong with it.
    }
    state.withLock { $0.isComplete = true }
  }

  private func readAll(_ step: Double) throws(BackdropError) {
    var source = try SceneInput.open(path)
    var due = -Double.infinity
    while let scene = try source.next() {
      guard scene.time >= due else { continue }
      due = scene.time + step
      guard try add(scene.image, at: scene.time) else { return }
    }
  }

  private func search(_ step: Double) throws(BackdropError) {
    for index in 0..<Self.maximumCount {
      let seconds = Double(index) * step
      var options = SceneInput.Options()
      if seconds > 0 { options.part.start = TimeInVideo(seconds: seconds) }
      var source = try SceneInput.open(path, options: options)
      guard let scene = try source.next(), try add(scene.image, at: seconds) else { return }
    }
  }

  private func add(_ image: Image, at seconds: Double) throws(BackdropError) -> Bool {
    let jpeg = try JPEG.encode(try image.scaled(toWidth: width, height: height), quality: 76)
    return state.withLock { state in
      guard !state.isStopped, state.pictures.count < 2 * Self.maximumCount else { return false }
      state.pictures.append((seconds, jpeg))
      return true
    }
  }
}
