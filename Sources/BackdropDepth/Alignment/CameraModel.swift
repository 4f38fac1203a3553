import BackdropImaging

/// A camera with its lens: maps directions to pixels and back.
///
/// Directions are points at a distance of 1: x to the right, y down. Pixel coordinates are continuous from the upper left
/// corner: pixel (0, 0) has its middle at (0.5, 0.5).
package struct CameraModel: Sendable, Codable, Equatable {
  package var intrinsics: Intrinsics
  package var lens: LensDistortion

  package init(_ intrinsics: Intrinsics, lens: LensDistortion = .none) {
    self.intrinsics = intrinsics
    self.lens = lens
  }

  /// Whether a formula gives a direction's pixel, without a search or a table.
  var isFormula: Bool {
    if case .brownConrady = lens { return true }
    return lens.isNone
  }

  /// The pixel, at the intrinsics' reference size, for a direction.
  package func pixel(x: Double, y: Double) -> (x: Double, y: Double) {
    var (u, v) = (x, y)
    switch lens {
    case .none: break
    case .brownConrady(let k1, let k2, let p1, let p2, let k3):
      (u, v) = Self.brownConrady(x, y, (k1, k2, p1, p2, k3))
    case .inverseBrownConrady(let k1, let k2, let p1, let p2, let k3):
      (u, v) = Self.inverse(x, y, (k1, k2, p1, p2, k3))
    case .rational(let lens): (u, v) = lens.distorted(x, y)
    case .radial(let tables):
      return moved(projected(x, y), tables, tables.distorting)
    }
    return projected(u, v)
  }

  /// The direction of a pixel of the reference size.
  package func direction(x: Double, y: Double) -> (x: Double, y: Double) {
    var pixel = (x: x, y: y)
    if case .radial(let tables) = lens { pixel = moved(pixel, tables, tables.straightening) }
    let (u, v) = ((pixel.x - intrinsics.cx) / intrinsics.fx, (pixel.y - intrinsics.cy) / intrinsics.fy)
    switch lens {
    case .none, .radial: return (u, v)
    case .brownConrady(let k1, let k2, let p1, let p2, let k3): return Self.inverse(u, v, (k1, k2, p1, p2, k3))
    case .rational(let lens): return lens.straightened(u, v)
    case .inverseBrownConrady(let k1, let k2, let p1, let p2, let k3):
      return Self.brownConrady(u, v, (k1, k2, p1, p2, k3))
    }
  }

  /// Calls `body` with the direction of each pixel of a picture of that size, row by row, in the axes of another camera.
  func forEachDirection(
    _ width: Int, _ height: Int, turnedBy extrinsics: Extrinsics, _ body: (_ x: Int, _ y: Int, SIMD3<Float>) -> Void
  ) {
    let (sx, sy) = (Double(intrinsics.width) / Double(width), Double(intrinsics.height) / Double(height))
    for y in 0..<height {
      for x in 0..<width {
        let ray = direction(x: (Double(x) + 0.5) * sx, y: (Double(y) + 0.5) * sy)
        let turned = extrinsics.turned(ray.x, ray.y, 1)
        body(x, y, SIMD3(Float(turned.x), Float(turned.y), Float(turned.z)))
      }
    }
  }

  /// - Throws: `badData` for focal lengths that are not positive, and NaN.
  package func check(_ name: String) throws(BackdropError) {
    let i = intrinsics
    guard i.isPossible else {
      throw BackdropError(
        .badData,
        "the \(name) camera has impossible intrinsics: focal lengths \(i.fx), \(i.fy) and centre \(i.cx), \(i.cy)",
        hint: "give focal lengths above 0, in pixels")
    }
    guard lens.isFinite else {
      throw BackdropError(
        .badData, "the \(name) camera's distortion coefficients are impossible", hint: "remove the distortion")
    }
  }

  typealias Coefficients = (k1: Double, k2: Double, p1: Double, p2: Double, k3: Double)

  private func projected(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (intrinsics.fx * x + intrinsics.cx, intrinsics.fy * y + intrinsics.cy)
  }

  private func moved(
    _ point: (x: Double, y: Double), _ tables: RadialDistortion, _ table: [Float]
  ) -> (x: Double, y: Double) {
    let sx = Double(tables.width) / Double(intrinsics.width)
    let sy = Double(tables.height) / Double(intrinsics.height)
    let result = tables.moved(point.x * sx, point.y * sy, by: table)
    return (result.x / sx, result.y / sy)
  }

  private static func brownConrady(_ x: Double, _ y: Double, _ k: Coefficients) -> (x: Double, y: Double) {
    let r = x * x + y * y
    let radial = 1 + r * (k.k1 + r * (k.k2 + r * k.k3))
    return (
      x * radial + 2 * k.p1 * x * y + k.p2 * (r + 2 * x * x), y * radial + 2 * k.p2 * x * y + k.p1 * (r + 2 * y * y)
    )
  }

  /// By fixed-point iteration, as in OpenCV's `undistortPoints`; it converges for lenses that do not fold the picture.
  private static func inverse(_ u: Double, _ v: Double, _ k: Coefficients) -> (x: Double, y: Double) {
    var (x, y) = (u, v)
    for _ in 0..<20 {
      let bent = brownConrady(x, y, k)
      (x, y) = (x + u - bent.x, y + v - bent.y)
      guard x.isFinite && y.isFinite else { return (u, v) }
    }
    return (x, y)
  }
}
