/// Coefficients of the rational lens model.
///
/// With r² = x² + y² and d = (1 + k1 r² + k2 r⁴ + k3 r⁶) / (1 + k4 r² + k5 r⁴ + k6 r⁶), a point (x, y) at a distance of 1 moves to x d + 2
/// p1 x y + p2 (r² + 2 x²), and y likewise (OpenCV's `calib3d`; `K4A_CALIBRATION_LENS_DISTORTION_MODEL_BROWN_CONRADY` of the Azure Kinect,
/// whose centre of distortion is 0).
package struct RationalDistortion: Sendable, Codable, Equatable {
  package var k1, k2, k3: Double
  package var k4, k5, k6: Double
  package var p1, p2: Double

  /// Makes a lens from its eight coefficients in OpenCV's order: k1, k2, p1, p2, k3, k4, k5, k6; missing ones are 0.
  package init(_ coefficients: [Double]) {
    let c = coefficients + [Double](repeating: 0, count: max(0, 8 - coefficients.count))
    (k1, k2, p1, p2) = (c[0], c[1], c[2], c[3])
    (k3, k4, k5, k6) = (c[4], c[5], c[6], c[7])
  }

  var all: [Double] { [k1, k2, p1, p2, k3, k4, k5, k6] }

  func distorted(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let (scale, dx, dy) = parts(x, y)
    return (x * scale + dx, y * scale + dy)
  }

  /// The direction with that distorted position, by the iteration of OpenCV's `undistortPoints`.
  func straightened(_ u: Double, _ v: Double) -> (x: Double, y: Double) {
    var (x, y) = (u, v)
    for _ in 0..<100 {
      let (scale, dx, dy) = parts(x, y)
      let next = ((u - dx) / scale, (v - dy) / scale)
      guard next.0.isFinite && next.1.isFinite else { return (u, v) }
      let step = abs(next.0 - x) + abs(next.1 - y)
      (x, y) = next
      if step < 1e-12 { break }
    }
    return (x, y)
  }

  private func parts(_ x: Double, _ y: Double) -> (scale: Double, dx: Double, dy: Double) {
    let r = x * x + y * y
    let above = 1 + r * (k1 + r * (k2 + r * k3))
    let below = 1 + r * (k4 + r * (k5 + r * k6))
    return (
      above / (below == 0 ? 1 : below), 2 * p1 * x * y + p2 * (r + 2 * x * x), 2 * p2 * x * y + p1 * (r + 2 * y * y)
    )
  }
}
