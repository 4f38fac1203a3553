import BackdropImaging

/// ISO/IEC 14496-12, 8.5.3: a stored point (x, y), y down, appears at (a·x + c·y + tx, b·x + d·y + ty); the nine numbers are a b u / c d v
/// / tx ty w, in 16.16 fixed point (u, v, w in 2.30).
extension Orientation {
  /// The orientation nearest to a display matrix; `nil` if it does not turn by a multiple of 90°.
  package init?(displayMatrix m: [Int32]) {
    guard m.count == 9 else { return nil }
    let (a, b, c, d) = (m[0], m[1], m[3], m[4])
    // A matrix may also scale, which does not matter for the orientation.
    switch (a.signum(), b.signum(), c.signum(), d.signum()) {
    case (1, 0, 0, 1): self = .up
    case (-1, 0, 0, 1): self = .upMirrored
    case (-1, 0, 0, -1): self = .down
    case (1, 0, 0, -1): self = .downMirrored
    case (0, 1, 1, 0): self = .leftMirrored
    case (0, 1, -1, 0): self = .right
    case (0, -1, -1, 0): self = .rightMirrored
    case (0, -1, 1, 0): self = .left
    default: return nil
    }
  }

  /// The matrix for a `width × height` picture in this orientation with its corner at the origin.
  package func displayMatrix(width: Int, height: Int) -> [Int32] {
    let linear: (Int32, Int32, Int32, Int32) =
      switch self {
      case .up: (1, 0, 0, 1)
      case .upMirrored: (-1, 0, 0, 1)
      case .down: (-1, 0, 0, -1)
      case .downMirrored: (1, 0, 0, -1)
      case .leftMirrored: (0, 1, 1, 0)
      case .right: (0, 1, -1, 0)
      case .rightMirrored: (0, -1, -1, 0)
      case .left: (0, -1, 1, 0)
      }
    let (a, b, c, d) = linear
    let one: Int32 = 1 << 16
    // Display matrices are limited to sizes of 16 bits.
    let (w, h) = (Int32(clamping: min(width, 32767)), Int32(clamping: min(height, 32767)))
    let tx = max(0, -a) * w + max(0, -c) * h
    let ty = max(0, -b) * w + max(0, -d) * h
    return [a * one, b * one, 0, c * one, d * one, 0, tx &* one, ty &* one, 1 << 30]
  }
}
