import BackdropDepth
import BackdropImaging
import TestSupport

/// Semi-global matching by the definition of its paper, one pixel and one path at a time.
struct StereoOracle {
  let left, right: Plane<UInt8>
  let first, count: Int

  static let (small, large) = (30, 120)

  private func sample(_ plane: Plane<UInt8>, _ x: Int, _ y: Int) -> UInt8 {
    plane[min(max(x, 0), plane.width - 1), min(max(y, 0), plane.height - 1)]
  }

  private func census(_ plane: Plane<UInt8>, _ x: Int, _ y: Int) -> [Bool] {
    var result: [Bool] = []
    for dy in -3...3 {
      for dx in -4...4 where dy < 0 || dy == 0 && dx < 0 {
        result.append(sample(plane, x + dx, y + dy) > sample(plane, x - dx, y - dy))
      }
    }
    return result
  }

  private func cost(_ x: Int, _ y: Int, _ d: Int) -> Int {
    let other = min(max(x - first - d, 0), left.width - 1)
    return zip(census(left, x, y), census(right, other, y)).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
  }

  /// The costs of all candidates of all pixels, from the best paths in eight directions.
  private func sums() -> [[[Int]]] {
    let (width, height) = (left.width, left.height)
    var costs = [[[Int]]](repeating: [[Int]](repeating: [], count: width), count: height)
    for y in 0..<height { for x in 0..<width { costs[y][x] = (0..<count).map { cost(x, y, $0) } } }
    var sums = costs.map { $0.map { $0.map { _ in 0 } } }
    for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
      var paths = costs
      for y in dy >= 0 ? Array(0..<height) : (0..<height).reversed() {
        for x in dx >= 0 ? Array(0..<width) : (0..<width).reversed() {
          guard (0..<width).contains(x - dx) && (0..<height).contains(y - dy) else { continue }
          let before = paths[y - dy][x - dx]
          let least = before.min() ?? 0
          for d in 0..<count {
            var best = min(before[d], least + Self.large)
            if d > 0 { best = min(best, before[d - 1] + Self.small) }
            if d + 1 < count { best = min(best, before[d + 1] + Self.small) }
            paths[y][x][d] = costs[y][x][d] + best - least
          }
        }
      }
      for y in 0..<height { for x in 0..<width { for d in 0..<count { sums[y][x][d] += paths[y][x][d] } } }
    }
    return sums
  }

  /// The minimum of a V through the costs of three candidates, each summed over a window of 7×7.
  private func part(of whole: Int, _ x: Int, _ y: Int) -> Float {
    guard whole > 0 && whole + 1 < count else { return 0 }
    var sums = [0, 0, 0]
    for row in y - 3...y + 3 where (0..<left.height).contains(row) {
      for column in x - 3...x + 3 where (0..<left.width).contains(column) {
        for step in 0..<3 { sums[step] += cost(column, row, whole - 1 + step) }
      }
    }
    let rise = max(sums[0], sums[2]) - sums[1]
    return rise > 0 ? min(max(Float(sums[0] - sums[2]) / Float(2 * rise), -0.5), 0.5) : 0
  }

  func disparities() -> Plane<Float> {
    let sums = sums()
    return Plane<Float>(width: left.width, height: left.height) { x, y in
      let costs = sums[y][x]
      guard let best = costs.indices.min(by: { costs[$0] < costs[$1] }) else { return .nan }
      var found = best * 256
      if best > 0 && best + 1 < count {
        let curve = costs[best - 1] + costs[best + 1] - 2 * costs[best]
        if curve > 0 { found += (costs[best - 1] - costs[best + 1]) * 128 / curve }
      }
      let whole = (found + 128) >> 8
      let seen = x - whole
      guard (0..<left.width).contains(seen - first) else { return .nan }
      // The best candidate of the right picture's pixel, among all left pixels that may match it.
      let theirs = (0..<count).filter { (0..<left.width).contains(seen + $0) }
        .min { sums[y][seen + $0][$0] < sums[y][seen + $1][$1] }
      guard let theirs, abs(theirs - whole) <= 1 else { return .nan }
      return Float(whole + first) + part(of: whole, x, y)
    }
  }
}
