import Backdrop
import BackdropLive

/// Pictures of a photo at the sizes that a page shows: at rest, as tiles, and during a drag at the largest size that the look can be
/// drawn at in time.
///
/// It has one caller at a time.
final class PhotoPreviews {
  enum Size: String {
    /// The largest size that can be drawn in time.
    case draft
    /// The size while nothing changes.
    case fine
    /// The size in the list of looks.
    case tile
  }

  /// The longer sides of drafts, the default first.
  private static let sides = [960, 640, 420, 300]
  /// The longer side of pictures at rest.
  static let fineSide = 1600
  /// The time limit for drawing a look, in seconds; the page and the encoder need additional time.
  private static let time = 0.035

  private var photo: PhotoScene
  private let workers: WorkerPool
  private let backgrounds: PhotoBackgrounds
  private var background: String
  private var drawing = Renderer.Options()
  private var previews: [Int: LookPreview] = [:]
  /// The seconds per pixel of each look.
  private var costs: [String: Double] = [:]

  init(_ photo: PhotoScene, workers: WorkerPool, _ backgrounds: PhotoBackgrounds, _ background: String) {
    (self.photo, self.workers, self.backgrounds, self.background) = (photo, workers, backgrounds, background)
  }

  func change(to photo: PhotoScene) {
    self.photo = photo
    for preview in previews.values { preview.change(to: photo) }
  }

  func change(background: String, drawing: Renderer.Options) throws(BackdropError) {
    (self.background, self.drawing) = (background, drawing)
    for (side, preview) in previews { preview.change(background: try choice(side), drawing: drawing) }
  }

  private func choice(_ side: Int) throws(BackdropError) -> BackgroundChoice {
    try backgrounds.choice(background, side: side, isPreview: true)
  }

  /// The preview of a size class; for drafts, the one of the default size.
  func preview(_ size: Size) throws(BackdropError) -> LookPreview {
    switch size {
    case .draft: try preview(Self.sides[0])
    case .fine: try preview(Self.fineSide)
    case .tile: try preview(LookTiles.side)
    }
  }

  func draw(_ look: Look, _ values: [String: Double], _ size: Size) throws(BackdropError) -> Image {
    guard size == .draft else { return try preview(size).draw(look, values) }
    let most = costs[look.id].map { Self.time / $0 } ?? .infinity
    let (width, height) = (Double(photo.scene.image.width), Double(photo.scene.image.height))
    let aspect = min(width, height) / max(width, height)
    let side = Self.sides.first { Double($0 * $0) * aspect <= most } ?? Self.sides[Self.sides.count - 1]
    let preview = try preview(side)
    let start = ContinuousClock.now
    let image = try preview.draw(look, values)
    let cost = (ContinuousClock.now - start) / .seconds(1) / Double(image.width * image.height)
    // A first drawing also prepares shared data, and a later one may be slow because the machine is busy, so it counts for a third.
    costs[look.id] = costs[look.id].map { min($0, cost) * 2 / 3 + cost / 3 } ?? cost
    return image
  }

  private func preview(_ side: Int) throws(BackdropError) -> LookPreview {
    if let known = previews[side] { return known }
    let made = try LookPreview(photo, side: side, background: try choice(side), drawing: drawing, workers: workers)
    previews[side] = made
    return made
  }
}
