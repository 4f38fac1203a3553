import BackdropImaging
import BackdropMatting

extension Compositor {
  /// Whether the pictures are so large that memory matters more than time, so that no step keeps its memory for the next.
  var isLarge: Bool { width * height > largestWhole }

  /// Whether to draw with as little memory as the same result allows: for large pictures, and for single ones, drawn once.
  var savesMemory: Bool { isLarge || isStill && width * height > Self.largestKept }

  private var passingEstimator: ForegroundEstimator {
    guard savesMemory else { return estimator }
    let made = ForegroundEstimator(workers: workers, cpu: cpu)
    made.savesMemory = true
    return made
  }

  /// The background, without the parts under the matte.
  func estimateRealBackground(_ scene: LookInput, into output: inout Image) throws(BackdropError) {
    try passingEstimator.estimateBackground(scene.frame, matte: scene.matte, into: &output)
  }

  /// The foreground's own colours.
  func estimateForeground(_ scene: LookInput, into output: inout Image) throws(BackdropError) {
    try passingEstimator.estimate(scene.frame, matte: scene.matte, into: &output)
  }

  /// The foreground's own colours. For a single picture they are cached, because adjusting a look seldom changes the matte.
  func ownColors(_ scene: LookInput) throws(BackdropError) -> Image {
    if let kept = keptForeground, kept.frame.sharesMemory(with: scene.frame), kept.matte == scene.matte.q15 {
      return kept.foreground
    }
    keptForeground = nil
    var made = spareImage(like: scene.frame)
    try estimateForeground(scene, into: &made)
    if isStill && !savesMemory { keptForeground = (scene.frame, scene.matte.q15, made) }
    return made
  }

  private static let bandRows = 256

  /// Draws the foreground's own colours over the output, in place or moved, without a full picture of them: a few rows at a time. `front`
  /// is the frame, with its colour operations.
  func drawForeground(
    _ front: BlendInput, _ transform: Look.Transform?, _ scene: LookInput, _ matte: ScaledMatte,
    into output: inout Image
  ) throws(BackdropError) {
    let estimator = passingEstimator
    try estimator.gather(scene.frame, matte: scene.matte)
    let alpha = scene.frame.alpha
    var band = Image(format, width: width, height: min(Self.bandRows, height), color: color, alpha: alpha)
    if let transform {
      let step = ForegroundEstimator.rowStep
      return try drawMoved(transform, front, scene, into: &output) { rows throws(BackdropError) in
        let first = rows.lowerBound / step * step
        let last = min(self.height, (rows.upperBound + step - 1) / step * step)
        if band.height != last - first {
          band = Image(self.format, width: self.width, height: last - first, color: self.color, alpha: alpha)
        }
        estimator.rows(first..<last, of: scene.frame, matte: scene.matte, into: &band)
        return (band, first)
      }
    }
    for first in stride(from: 0, to: height, by: Self.bandRows) {
      let rows = first..<min(first + Self.bandRows, height)
      estimator.rows(rows, of: scene.frame, matte: scene.matte, into: &band)
      var side = front
      side.picture = .image(band)
      side.rows = rows
      paint(front: side, back: BlendInput(.output), frame: scene.frame, matte: matte, into: &output)
    }
  }
}
