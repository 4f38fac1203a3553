import Backdrop
import Libc
import Synchronization

/// The thumbnails of a video for scrubbing, and its pictures that are slow to decode. A separate thread makes both after the
/// video is opened.
final class VideoThumbnails: Sendable {
  /// The maximum number of thumbnails, and their maximum width in pixels.
  private static let maximumCount = 300, maximumWidth = 360
  /// Pictures that take longer than this many seconds to decode from their key frame are kept.
  private static let longDecoding = 0.04
  /// Times are sums of fractions, so those that differ by less than this many seconds are equal.
  private static let timeTolerance = 1e-4

  private let path: String
  private let duration: Double
  private let width: Int, height: Int
  /// Pictures that are slow to decode, at resting size.
  let frames: PreviewFrames?
  private let frameSize: FrameSize
  private let state = Mutex((pictures: [(seconds: Double, jpeg: [UInt8])](), isComplete: false, isStopped: false))

  /// Prepares the thumbnails of a video whose upright pictures have the given size.
  init(_ path: String, duration: Double, width: Int, height: Int, frameSize: FrameSize) {
    (self.path, self.duration, self.frameSize) = (path, duration, frameSize)
    frames = PreviewFrames(beside: path)
    self.width = min(Self.maximumWidth, width)
    self.height = max(1, Int((Double(self.width) * Double(height) / Double(width)).rounded()))
  }

  func stop() { state.withLock { $0.isStopped = true } }

  /// The last thumbnail at or before a time; `nil` while the next one is not made, because that may be the requested one.
  func picture(at seconds: Double) -> [UInt8]? {
    state.withLock { state in
      let next = state.pictures.firstIndex { $0.seconds > seconds + Self.timeTolerance } ?? state.pictures.endIndex
      guard state.isComplete || next < state.pictures.endIndex else { return nil }
      return state.pictures.isEmpty ? nil : state.pictures[max(0, next - 1)].jpeg
    }
  }

  /// Makes the thumbnails, up to the first damaged frame.
  func make() {
    let step = max(0.1, duration / Double(Self.maximumCount))
    // Thumbnails far apart are found by seeking; for close ones every picture is decoded. After an error those made so far remain, and
    // drawing the video reports it.
    try? step > 3 ? search(step) : readAll(step)
    state.withLock { $0.isComplete = true }
  }

  private func readAll(_ step: Double) throws(BackdropError) {
    // The pictures that a page shows have priority.
    _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 10)
    var options = SceneInput.Options()
    options.threads = 1
    var source = try SceneInput.open(path, options: options)
    let reader = source.video?.reader
    var (due, decoding) = (-Double.infinity, 0.0)
    while true {
      let begin = MonotonicClock.seconds
      guard let scene = try source.next() else { break }
      decoding = reader?.isKeyFrame ?? true ? 0 : decoding + MonotonicClock.seconds - begin
      // Kept pictures have no alpha.
      try keep(decoding > Self.longDecoding && scene.alpha == nil ? scene : nil, at: scene.time)
      if scene.time >= due - Self.timeTolerance {
        due = scene.time + step
        try add(scene.flattened, at: scene.time)
      }
      if state.withLock({ $0.isStopped }) { return }
    }
    frames?.finish()
  }

  private func keep(_ scene: Scene?, at seconds: Double) throws(BackdropError) {
    guard let frames else { return }
    let sized = try scene?.filling(width: frameSize.width, height: frameSize.height)
    frames.add(seconds, try sized.map { scene throws(BackdropError) in try JPEG.encode(scene.image, quality: 90) })
  }

  private func search(_ step: Double) throws(BackdropError) {
    for index in 0..<Self.maximumCount {
      let seconds = Double(index) * step
      var options = SceneInput.Options()
      if seconds > 0 { options.part.start = TimeInVideo(seconds: seconds) }
      var source = try SceneInput.open(path, options: options)
      guard let scene = try source.next() else { return }
      try add(scene.flattened, at: seconds)
      if state.withLock({ $0.isStopped }) { return }
    }
  }

  private func add(_ image: Image, at seconds: Double) throws(BackdropError) {
    let jpeg = try JPEG.encode(try image.scaled(toWidth: width, height: height), quality: 76)
    state.withLock { state in
      if state.pictures.count < 2 * Self.maximumCount { state.pictures.append((seconds, jpeg)) }
    }
  }
}
