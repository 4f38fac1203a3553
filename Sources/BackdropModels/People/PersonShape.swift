import BackdropImaging

/// A person's whole silhouette learned over time, 0…1 for each square of a grid, including parts that others hide.
///
/// It moves with the person and learns from visible parts. Parts that others cover are remembered.
struct PersonShape {
  /// Squares with at least this value belong to the person.
  static let inside: Float = 0.5
  /// The fraction by which each picture updates a square.
  private static let pace: Float = 0.6
  /// Moving softens edges; this steepness restores them.
  private static let steepness: Float = 1.3
  /// The search range round the expected position, in squares.
  private static let reach = 2
  /// The fraction of a silhouette that must be visible to find its position.
  private static let minimumSeen: Float = 0.15

  private(set) var values: [Float]
  private let width: Int

  /// The silhouette of a person who covers these squares of rows of `width`, each 0 or 1.
  init(_ squares: [Float], width: Int) { (values, self.width) = (squares, width) }

  /// The bounding squares: first and last column, first and last row; `nil` if empty.
  var bounds: (left: Int, right: Int, top: Int, bottom: Int)? {
    IntegerRect(round: values.indices.lazy.filter { values[$0] > 0.02 }, width: width).map {
      ($0.x, $0.x + $0.width - 1, $0.y, $0.y + $0.height - 1)
    }
  }

  /// The silhouette moved by a vector in squares, which need not be whole. Beyond the grid its edge repeats.
  func moved(by shift: SIMD2<Double>) -> PersonShape {
    let height = values.count / max(width, 1)
    guard shift != .zero, height > 0 else { return self }
    var result = self
    let limit = Double(max(width, height)) + 1
    let (u, v) = (min(max(shift.x, -limit), limit), min(max(shift.y, -limit), limit))
    let (right, down) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
    let (across, along) = (Float(u - Double(right)), Float(v - Double(down)))
    values.withUnsafeBufferPointer { from in
      result.values.withUnsafeMutableBufferPointer { to in
        for y in 0..<height {
          let lower = min(max(y - down, 0), height - 1) * width
          let upper = min(max(y - down - 1, 0), height - 1) * width
          for x in 0..<width {
            let (near, far) = (min(max(x - right, 0), width - 1), min(max(x - right - 1, 0), width - 1))
            let a = from[lower + near] + across * (from[lower + far] - from[lower + near])
            let b = from[upper + near] + across * (from[upper + far] - from[upper + near])
            to[y * width + x] = min(max((a + along * (b - a) - 0.5) * Self.steepness + 0.5, 0), 1)
          }
        }
      }
    }
    return result
  }

  /// Finds the person's move, in squares: to the position near the expected one where the silhouette best fits the claims; `nil` if too
  /// little of the person is visible. The claim of a square is −1 if it certainly does not show the person, up to 1 if it certainly does,
  /// and 0 if the person may be hidden there.
  func move(near expected: SIMD2<Double>, _ claims: [Float]) -> SIMD2<Double>? {
    guard let bounds, claims.count == values.count else { return nil }
    let height = values.count / width
    let (right, down) = (Int(expected.x.rounded()), Int(expected.y.rounded()))
    let side = 2 * Self.reach + 1
    var fits = [Float](repeating: 0, count: side * side)
    var (seen, all) = (Float(0), Float(0))
    for index in fits.indices {
      let (u, v) = (right + index % side - Self.reach, down + index / side - Self.reach)
      var sum: Float = 0
      for y in max(bounds.top, -v)..<max(max(bounds.top, -v), min(bounds.bottom + 1, height - v)) {
        let (from, to) = (y * width, (y + v) * width + u)
        for x in max(bounds.left, -u)..<max(max(bounds.left, -u), min(bounds.right + 1, width - u)) {
          let (value, claim) = (values[from + x], claims[to + x])
          sum += value * claim
          if u == right && v == down {
            all += value
            if claim > 0 { seen += value }
          }
        }
      }
      fits[index] = sum
    }
    guard all > 0 && seen > Self.minimumSeen * all else { return nil }
    // Among equals, prefer the expected move.
    let middle = fits.count / 2
    var best = middle
    for index in fits.indices where fits[index] > fits[best] { best = index }
    func peak(_ before: Float, _ at: Float, _ after: Float) -> Double {
      let curve = before - 2 * at + after
      return curve < 0 ? Double(min(max(0.5 * (before - after) / curve, -0.5), 0.5)) : 0
    }
    let (column, row) = (best % side, best / side)
    var move = SIMD2(Double(right + column - Self.reach), Double(down + row - Self.reach))
    if column > 0 && column + 1 < side { move.x += peak(fits[best - 1], fits[best], fits[best + 1]) }
    if row > 0 && row + 1 < side { move.y += peak(fits[best - side], fits[best], fits[best + side]) }
    return move
  }

  /// Updates the silhouette from a picture. `shows` returns whether a square shows the person; `nil` means another person in front.
  mutating func learn(_ shows: (Int) -> Bool?) {
    for square in values.indices {
      guard let isShown = shows(square) else { continue }
      values[square] += Self.pace * ((isShown ? 1 : 0) - values[square])
    }
  }
}
