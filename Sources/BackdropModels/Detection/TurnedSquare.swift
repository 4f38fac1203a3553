import BackdropImaging

/// A turned square of a picture that a network looks at closely, so that a body stands upright in it; in pixels of the picture.
package struct TurnedSquare: Sendable, Equatable {
  /// Its middle.
  private(set) var center: SIMD2<Double>
  /// Its edges: across what it is round, and down it.
  private(set) var right, down: SIMD2<Double>

  /// Added to the circle round a body, as when the network was trained.
  private static let bodyMargin = 1.25

  /// The square of a pose, as MediaPipe's *AlignmentPointsRectsCalculator* and *RectTransformationCalculator* make it: about
  /// the hips, a quarter wider than the circle, turned so that the body stands upright in it.
  ///
  /// - Returns: `nil` where the pose has no size, or none that a picture can have.
  init?(_ pose: DetectedPose) {
    let up = pose.crown - pose.hips
    self.init(center: pose.hips, up: up, side: 2 * Self.bodyMargin * (up.x * up.x + up.y * up.y).squareRoot())
  }

  private init?(center: SIMD2<Double>, up: SIMD2<Double>, side: Double) {
    let length = (up.x * up.x + up.y * up.y).squareRoot()
    guard length > 0, side >= 1 && side < 1e6, abs(center.x) < 1e6 && abs(center.y) < 1e6 else { return nil }
    self.center = center
    down = up * (-side / length)
    right = SIMD2(down.y, -down.x)
  }

  /// The same in a picture that is so many times as large, and moved by so many of its pixels.
  func scaled(by factor: Double, movedBy shift: SIMD2<Double>) -> TurnedSquare {
    var square = self
    square.center = factor * center + shift
    (square.right, square.down) = (factor * right, factor * down)
    return square
  }

  /// The point of the picture at parts of the square's width and height.
  func point(_ x: Double, _ y: Double) -> SIMD2<Double> { center + right * (x - 0.5) + down * (y - 0.5) }
}
