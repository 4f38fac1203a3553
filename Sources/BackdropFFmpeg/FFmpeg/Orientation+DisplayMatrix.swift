import BackdropImaging

/// ISO/IEC 14496-12, 8.5.3: a stored point (x, y), y down, appears at (a·x + c·y + tx, b·x + d·y + ty); the nine numbers are a b u / c d v
/// / tx ty w, in 16.16 fixed point (u, v, w in 2.30).
extension Orientation {
  /// The orientation nearest to a display matrix; `nil` if it does not turn by a multiple of 90°.
  package init?(displayMatrix m: [Int32]) {
    guard m.count == 9 else { return nil }
    // A matrix may also scale, which does not matter for the orientation.
    let signs = [m[0], m[3], m[1], m[4]].map { Int($0.signum()) }
    guard let orientation = Orientation.allCases.first(where: { $0.matrix == signs }) else { return nil }
    self = orientation
  }

  /// The matrix for a `width × height` picture in this orientation with its corner at the origin.
  package func displayMatrix(width: Int, height: Int) -> [Int32] {
    let numbers = matrix.map(Int32.init)
    let (a, b, c, d) = (numbers[0], numbers[2], numbers[1], numbers[3])
    let one: Int32 = 1 << 16
    // Display matrices are limited to sizes of 16 bits.
    let (w, h) = (Int32(clamping: min(width, 32767)), Int32(clamping: min(height, 32767)))
    let tx = max(0, -a) * w + max(0, -c) * h
    let ty = max(0, -b) * w + max(0, -d) * h
    return [a * one, b * one, 0, c * one, d * one, 0, tx &* one, ty &* one, 1 << 30]
  }
}
