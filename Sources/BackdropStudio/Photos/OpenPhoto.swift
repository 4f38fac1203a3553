import BackdropLive
import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropPhotos
import Synchronization

/// A photo on the page: the file that was dropped, and small pictures of it to draw looks in.
///
/// Used on the photo room's queue alone.
final class OpenPhoto {
  /// Longer sides of the picture at rest, and of the tiles of looks.
  private static let fineSide = 1600, tileSide = 240

  var card: PhotoCard
  let path: String
  /// The photo itself, as long as it is looked at.
  private let fine: LookPreview, tile: LookPreview
  private let drafts: DraftPreviews

  init(
    _ photo: DepthPhoto, card: PhotoCard, path: String, networks: ModelCache, workers: WorkerPool
  ) throws(BackdropError) {
    (self.card, self.path) = (card, path)
    let background = BackgroundChoice.scenery(.northern)
    // Found in the whole picture, which is then given up.
    let found = try PhotoScene(PhotoSource(photo, name: path), workers: workers, networks: networks)
    let scene = try found.reduced(to: Self.fineSide)
    self.card.focus = scene.evidence.focus
    self.card.inactive = Look.builtIn.reduce(into: [:]) { all, look in
      let facts = scene.evidence.findings.facts(isStill: true, hasBackground: look.hasBackground)
      all[look.id] = look.inactive(where: facts)
    }
    // Looks that need nothing of the kind can be drawn all the same.
    self.card.missing = scene.fault?.message
    fine = try LookPreview(scene, side: Self.fineSide, background: background, workers: workers)
    drafts = DraftPreviews(scene, background: background, workers: workers)
    tile = try LookPreview(scene, side: Self.tileSide, background: background, workers: workers)
  }

  /// What can be seen of it.
  enum View: String {
    case picture, depth, matte, effect
  }

  /// A JPEG of a view.
  func jpeg(_ view: View, _ look: Look, _ values: [String: Double], size: Size) throws(BackdropError) -> [UInt8] {
    let preview =
      switch size {
      case .draft: try drafts.usual()
      case .fine: fine
      case .tile: tile
      }
    let image =
      switch view {
      case .picture: preview.image
      case .depth: try preview.disparityColors()
      case .matte: try preview.matte(look, values).gray
      case .effect: try size == .draft ? drafts.draw(look, values) : preview.draw(look, values)
      }
    return try JPEG.encode(image, quality: size == .fine ? 88 : 80)
  }

  enum Size: String {
    case draft, fine, tile
  }

  /// What the focus is set to for a point.
  func focus(x: Double, y: Double) throws(BackdropError) -> Double { try drafts.usual().disparity(atX: x, y: y) }
}
