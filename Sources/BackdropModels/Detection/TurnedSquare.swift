/// A rotated square of a picture for a network to examine, with the body upright in it; in pixels of the picture.
package struct TurnedSquare: Sendable, Equatable {
  private(set) var center: SIMD2<Double>
  /// The edges as vectors: across the subject, and down it.
  private(set) var right, down: SIMD2<Double>

  /// The margin added to the circle round a body, as in the network's training.
  private static let bodyMargin = 1.25

  /// The square of a pose, as in MediaPipe's *AlignmentPointsRectsCalculator* and *RectTransformationCalculator*: round the hips, a quarter
  /// wider than the circle, rotated so that the body is upright in it. `nil` if the pose has no size, or an impossible one.
  init?(_ pose: DetectedPose) {
    let up = pose.crown - pose.hips
    let length = (up.x * up.x + up.y * up.y).squareRoot()
    let side = 2 * Self.bodyMargin * length
    guard length > 0, side >= 1 && side < 1e6, abs(pose.hips.x) < 1e6 && abs(pose.hips.y) < 1e6 else { return nil }
    center = pose.hips
    down = up * (-side / length)
    right = SIMD2(down.y, -down.x)
  }

  /// The square in a picture enlarged by `factor` and moved by `shift` of its pixels.
  func scaled(by factor: Double, movedBy shift: SIMD2<Double>) -> TurnedSquare {
    var square = self
    square.center = factor * center + shift
    (square.right, square.down) = (factor * right, factor * down)
    return square
  }

  /// The point of the picture at fractions of the square's width and height.
  func point(_ x: Double, _ y: Double) -> SIMD2<Double> { center + right * (x - 0.5) + down * (y - 0.5) }
}
