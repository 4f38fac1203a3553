import BackdropImaging

/// A stereo pair with known depth: a near ellipse in front of a slanted wall, both with grain.
public struct MadePair: Sendable {
  public let width: Int, height: Int
  /// Disparities of the wall at the top, and of the ellipse.
  public let wall: Double, near: Double

  /// Creates a pair with a width and height, and the disparities of the wall and of the ellipse in pixels.
  public init(width: Int, height: Int, wall: Double, near: Double) {
    (self.width, self.height, self.wall, self.near) = (width, height, wall, near)
  }

  private static let grain: [Float] = {
    var random = SeededRandom(seed: 5)
    return (0..<64 * 64).map { _ in Float.random(in: 0...255, using: &random) }
  }()

  /// Grain interpolated between samples, in two sizes.
  private func texture(_ x: Double, _ y: Double, _ seed: Int) -> Double {
    func layer(_ scale: Double) -> Double {
      let (u, v) = (x / scale + 1000, y / scale + 1000)
      let (i, j) = (Int(u), Int(v))
      let (p, q) = (u - Double(i), v - Double(j))
      func at(_ i: Int, _ j: Int) -> Double { Double(Self.grain[((j * 7 + seed) & 63) * 64 + (i & 63)]) }
      let above = at(i, j) * (1 - p) + at(i + 1, j) * p, below = at(i, j + 1) * (1 - p) + at(i + 1, j + 1) * p
      return above * (1 - q) + below * q
    }
    return 0.5 * layer(3) + 0.5 * layer(11)
  }

  /// Whether a position in the left picture is on the ellipse.
  public func isNear(_ x: Double, _ y: Double) -> Bool {
    let u = (x - 0.5 * Double(width)) / (0.22 * Double(width))
    let v = (y - 0.55 * Double(height)) / (0.35 * Double(height))
    return u * u + v * v < 1
  }
  /// The disparity of the wall in a row.
  public func wall(_ y: Double) -> Double { wall * (1 + 0.3 * y / Double(height)) }
  /// The true disparity for the left picture.
  public func disparity(_ x: Double, _ y: Double) -> Double { isNear(x, y) ? near : wall(y) }
  /// Whether a pixel of the left picture is hidden in the right one.
  public func isHidden(_ x: Int, _ y: Int) -> Bool {
    let (x, y) = (Double(x), Double(y))
    return !isNear(x, y) && isNear(x - wall(y) + near, y) || x - disparity(x, y) < 0
  }

  private func plane(_ value: (Double, Double) -> Double) -> Plane<UInt8> {
    Plane(width: width, height: height) { x, y in UInt8(min(max(value(Double(x), Double(y)), 0), 255)) }
  }
  /// The left eye's picture.
  public var left: Plane<UInt8> { plane { isNear($0, $1) ? texture($0, $1, 9) : texture($0, $1, 0) } }
  /// The right eye's picture, slightly darker.
  public var right: Plane<UInt8> {
    plane { x, y in
      let nearX = x + near
      return 0.9 * (isNear(nearX, y) ? texture(nearX, y, 9) : texture(x + wall(y), y, 0)) + 5
    }
  }
}
