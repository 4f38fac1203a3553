import BackdropLive
import Backdrop
import BackdropImaging
import BackdropLooks

/// Small pictures of a photo for while a slider moves: as large as each look can be drawn in time for the hand.
///
/// One caller at a time.
final class DraftPreviews {
  /// Longer sides, the usual one first.
  private static let sides = [960, 640, 420, 300]
  /// A look is to be drawn in this, in seconds; the page and the encoder need some more.
  private static let time = 0.035

  private let photo: PhotoScene
  private let background: BackgroundChoice
  private let workers: WorkerPool
  private var previews: [Int: LookPreview] = [:]
  /// Seconds that a pixel of a look takes.
  private var costs: [String: Double] = [:]

  init(_ photo: PhotoScene, background: BackgroundChoice, workers: WorkerPool) {
    (self.photo, self.background, self.workers) = (photo, background, workers)
  }

  /// The one of the usual size.
  func usual() throws(BackdropError) -> LookPreview { try preview(Self.sides[0]) }

  /// The picture with a look, as large as time allows by what the look took before.
  func draw(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Image {
    let most = costs[look.id].map { Self.time / $0 } ?? .infinity
    let (width, height) = (Double(photo.scene.image.width), Double(photo.scene.image.height))
    let aspect = min(width, height) / max(width, height)
    let side = Self.sides.first { Double($0 * $0) * aspect <= most } ?? Self.sides[Self.sides.count - 1]
    let preview = try preview(side)
    let clock = ContinuousClock()
    let start = clock.now
    let image = try preview.draw(look, values)
    let cost = (clock.now - start) / .seconds(1) / Double(image.width * image.height)
    // The first time finds what looks are made from; a moment when the machine is busy counts for a third.
    costs[look.id] = costs[look.id].map { min($0, cost) * 2 / 3 + cost / 3 } ?? cost
    return image
  }

  private func preview(_ side: Int) throws(BackdropError) -> LookPreview {
    if let known = previews[side] { return known }
    let made = try LookPreview(photo, side: side, background: background, workers: workers)
    previews[side] = made
    return made
  }
}
