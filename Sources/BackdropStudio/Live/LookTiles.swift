import Backdrop

/// Small pictures of one moment of a camera or a video, one with each look, from which the page's user chooses a look.
///
/// Used only on one queue.
final class LookTiles {
  /// The longer side of a picture.
  static let side = 240
  /// The longer side of the picture in which the subject is found.
  private static let analyzedSide = 640
  /// A matte that keeps less of the picture may have missed the subject.
  private static let smallestCoverage = 0.02
  private let workers: WorkerPool
  private let networks: ModelCache
  private var last: (moment: String, time: Double, preview: LookPreview)?

  /// - Parameter networks: the networks that find the subject of a moment without a matte.
  init(workers: WorkerPool, networks: ModelCache) { (self.workers, self.networks) = (workers, networks) }

  /// Whether the last pictures are of a moment, which is named by any text that is different for another moment or background.
  func isOf(_ moment: String, notOlderThan seconds: Double = .infinity) -> Bool {
    last.map { $0.moment == moment && MonotonicClock.seconds - $0.time < seconds } ?? false
  }

  /// Shows the pictures of another moment from now on; `matte` is its subject, if known.
  func update(_ moment: String, _ scene: Scene, matte: Matte? = nil, background: String) throws(BackdropError) {
    last = nil
    var options = AnalyzerOptions()
    let width = scene.image.width
    var scene = try scene.reduced(to: Self.analyzedSide)
    if let matte, matte.coverage >= Self.smallestCoverage {
      scene.mattes = [.portrait: matte]
    } else {
      options.quality = .fast
    }
    let photo = try PhotoScene(scene, options: options, workers: workers, networks: networks)
    let scale = min(1, Double(Self.side) / Double(max(scene.image.width, scene.image.height)))
    let choice = try BackgroundChoice(single: background).scaled(by: Double(scene.image.width) * scale / Double(width))
    let preview = try LookPreview(photo, side: Self.side, background: choice, workers: workers)
    last = (moment, MonotonicClock.seconds, preview)
  }

  /// A JPEG of the last moment with a look.
  ///
  /// - Throws: `badData` for a look that needs a subject where there is none.
  func jpeg(_ look: Look) throws(BackdropError) -> [UInt8] {
    guard let last else { throw BackdropError(.badData, "there is no picture yet") }
    return try JPEG.encode(last.preview.draw(look, [:]).overChecks(), quality: 80)
  }
}
