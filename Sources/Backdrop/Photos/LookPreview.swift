import BackdropDepth
import BackdropImaging
import BackdropLooks

/// One photo at the size of a screen, with any look, drawn again and again while something is turned.
///
/// What looks are made from, nearness and subject, is found once, in the small picture. One caller at a time.
public final class LookPreview {
  /// The small scene.
  public let scene: LookScene
  private let drawing: LookDrawing
  private var colors: Image?

  /// A preview of a scene whose longer side has at most so many pixels.
  ///
  /// - Parameter background: what is behind, for looks that have something behind.
  public init(_ scene: LookScene, side: Int, background: String?, workers: WorkerPool) throws(BackdropError) {
    self.scene = try scene.reduced(to: side)
    drawing = LookDrawing(scene: self.scene, workers: workers, background: background)
  }

  /// The picture with a look, in `rgb8`.
  ///
  /// - Throws: `wrongArgument` for a parameter that the look does not have, or out of range; what finding the subject throws.
  public func draw(_ look: Look, _ wishes: [String: Double]) throws(BackdropError) -> Image {
    try drawing.draw(look, try look.settings(wishes))
  }

  /// Nearness at a point, given as parts of width and height, 0…1: what a look's focus is set to for it.
  public func nearness(atX x: Double, y: Double) throws(BackdropError) -> Double {
    try scene.nearness().around(min(max(x, 0), 0.9999), min(max(y, 0), 0.9999))
  }

  /// Nearness of what the picture is about.
  public func subjectFocus() throws(BackdropError) -> Double { try scene.subjectFocus() }

  /// Nearness as colours, near red to far blue, at its own size.
  public func nearnessColors() throws(BackdropError) -> Image {
    if let colors { return colors }
    let nearness = try scene.nearness()
    // The palette begins with what is near.
    var distance = Plane<Float>(uninitializedWidth: nearness.width, height: nearness.height)
    for y in 0..<nearness.height {
      let from = nearness.row(y)
      var to = distance.mutableRow(y)
      for x in to.indices { to[x] = 1 + (1 - from[x]) }
    }
    let image = DepthColors(range: 1...2).image(of: DepthMap(metres: distance))
    colors = image
    return image
  }

  /// The matte that a look makes, at its own size.
  public func matte(_ look: Look, _ wishes: [String: Double]) throws(BackdropError) -> Matte {
    try drawing.matte(look, try look.settings(wishes))
  }
}
