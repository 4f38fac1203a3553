import BackdropImaging
import BackdropMatting

extension Compositor {
  /// Above so many pixels memory counts more than time.
  private static let wholePixels = 20_000_000

  /// Whether the pictures are so large that what was needed for one step is not to be kept for the next.
  var isLarge: Bool { width * height > Self.wholePixels }

  private var passingEstimator: ForegroundEstimator {
    isLarge ? ForegroundEstimator(workers: workers, cpu: cpu) : estimator
  }

  /// What is behind, without what the matte covers.
  func estimateRoom(_ scene: Scene, into output: inout Image) throws(BackdropError) {
    try passingEstimator.estimateBackground(scene.frame, matte: scene.matte, into: &output)
  }

  /// The foreground's own colours.
  func estimateForeground(_ scene: Scene, into output: inout Image) throws(BackdropError) {
    try passingEstimator.estimate(scene.frame, matte: scene.matte, into: &output)
  }
}
