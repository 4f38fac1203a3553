/// The turned square round a whole body that the landmark network looks at, in pixels of the picture.
struct BodySquare: Sendable, Equatable {
  /// Its middle.
  let center: SIMD2<Double>
  /// Its edges: along the shoulders, and down the body.
  let right, down: SIMD2<Double>

  /// Added to the circle round the body, as when the network was trained.
  private static let margin = 1.25

  /// The square of a pose, as MediaPipe's *AlignmentPointsRectsCalculator* and *RectTransformationCalculator* make it: about
  /// the hips, a quarter wider than the circle, turned so that the body stands upright in it.
  ///
  /// - Returns: `nil` where the pose has no size, or none that a picture can have.
  init?(_ pose: DetectedPose) {
    let up = pose.crown - pose.hips
    let side = 2 * Self.margin * (up.x * up.x + up.y * up.y).squareRoot()
    guard side >= 1 && side < 1e6, abs(pose.hips.x) < 1e6 && abs(pose.hips.y) < 1e6 else { return nil }
    center = pose.hips
    down = up * (-2 * Self.margin)
    right = SIMD2(down.y, -down.x)
  }

  /// The point of the picture at parts of the square's width and height.
  func point(_ x: Double, _ y: Double) -> SIMD2<Double> { center + right * (x - 0.5) + down * (y - 0.5) }
}
