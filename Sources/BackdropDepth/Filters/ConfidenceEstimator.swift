import BackdropImaging

/// Follows a map through the steps of a chain, and computes the confidence of each pixel.
///
/// Values are 0…1. A hole has a negative value, so that filled pixels can be recognized afterwards.
struct ConfidenceEstimator {
  /// The confidence of pixels that a step filled in from their surroundings.
  static let filled: Float = 0.1
  /// The maximum confidence of pixels held from earlier frames.
  static let held: Float = 0.5

  private var plane, smaller, inverse, current: FilterPlane?
  private var distance: [UInt8] = []
  private static let hole: Float = -1

  /// At this distance from an edge or a hole, in pixels, a pixel has full confidence.
  private static let reach = 4
  /// An edge: the depths of neighbours differ by more than this ratio.
  private static let edge: Float = 1.06
  /// The noise, in 1/metre, for a confidence of one half.
  private static let noise: Float = 0.02

  /// Starts from a map before the first step, with holes as 0, and the sensor's confidence or an estimate.
  mutating func begin(_ map: FilterPlane, _ known: ConfidenceMap?) {
    let plane = FilterPlane.fitting(&plane, map.width, map.height)
    current = plane
    if let known {
      for y in 0..<map.height {
        let (from, depths, to) = (known.values.row(y), map.row(y), plane.row(y))
        for x in from.indices { to[x] = depths[x] > 0 ? Float(from[x]) * (1 / 255) : Self.hole }
      }
    } else {
      measureDistance(map)
      estimate(map, plane)
    }
  }

  /// The city-block distance of each pixel to the nearest one beside an edge or a hole, plus 1; up to ``reach``.
  private mutating func measureDistance(_ map: FilterPlane) {
    let (width, height) = (map.width, map.height)
    if distance.count != width * height { distance = [UInt8](repeating: 0, count: width * height) }
    let far = UInt8(Self.reach)
    distance.withUnsafeMutableBufferPointer { distance in
      for y in 0..<height {
        let (row, below, start) = (map.row(y), map.row(min(y + 1, height - 1)), y * width)
        let above = map.row(max(y - 1, 0))
        for x in 0..<width {
          let z = row[x]
          let left = row[max(x - 1, 0)], right = row[min(x + 1, width - 1)]
          let low = min(min(left, right), min(above[x], below[x]))
          let high = max(max(left, right), max(above[x], below[x]))
          let isEven = low * Self.edge >= z && high <= z * Self.edge
          // False for holes and their neighbours: the minimum is 0.
          distance[start + x] = isEven && low > 0 ? far : 1
        }
      }
      for y in 0..<height {
        for x in 0..<width {
          let index = y * width + x
          var least = distance[index]
          if x > 0 { least = min(least, distance[index - 1] + 1) }
          if y > 0 { least = min(least, distance[index - width] + 1) }
          distance[index] = least
        }
      }
      for y in stride(from: height - 1, through: 0, by: -1) {
        for x in stride(from: width - 1, through: 0, by: -1) {
          let index = y * width + x
          var least = distance[index]
          if x + 1 < width { least = min(least, distance[index + 1] + 1) }
          if y + 1 < height { least = min(least, distance[index + width] + 1) }
          distance[index] = least
        }
      }
    }
  }

  private mutating func estimate(_ map: FilterPlane, _ plane: FilterPlane) {
    let (width, height) = (map.width, map.height)
    let inverse = FilterPlane.fitting(&inverse, width, height)
    for y in 0..<height {
      let (from, to) = (map.row(y), inverse.row(y))
      for x in 0..<width { to[x] = from[x] > 0 ? 1 / from[x] : 0 }
    }
    // The variance of a - 2 b + c is six times that of each term.
    let scale = 1 / (6 * Self.noise * Self.noise)
    for y in 0..<height {
      let (row, to) = (inverse.row(y), plane.row(y))
      let (above, below) = (inverse.row(max(y - 1, 0)), inverse.row(min(y + 1, height - 1)))
      let hasBoth = y > 0 && y < height - 1
      for x in 0..<width {
        let d = row[x]
        let isInside = x > 0 && x < width - 1
        // Bends over holes are meaningless; beside holes the distance decides.
        let left = row[max(x - 1, 0)], right = row[min(x + 1, width - 1)]
        let across = isInside && left > 0 && right > 0 ? left - 2 * d + right : 0
        let down = hasBoth && above[x] > 0 && below[x] > 0 ? above[x] - 2 * d + below[x] : 0
        let bend = max(across * across, down * down)
        let sure = Float(distance[y * width + x]) / Float(Self.reach)
        to[x] = d > 0 ? sure / (1 + bend * scale) : Self.hole
      }
    }
  }

  /// After `decimate`: the mean of the merged pixels, with holes as 0.
  mutating func decimate(_ map: FilterPlane, by scale: Int) {
    // A map smaller than one pixel of the result stays unchanged.
    guard let from = current, map.width * scale <= from.width, map.height * scale <= from.height else { return }
    let to = FilterPlane.fitting(&smaller, map.width, map.height)
    let part = 1 / Float(scale * scale)
    for y in 0..<map.height {
      let (depths, row) = (map.row(y), to.row(y))
      for x in 0..<map.width {
        var sum: Float = 0
        for j in 0..<scale {
          let source = from.row(y * scale + j) + x * scale
          for i in 0..<scale { sum += max(source[i], 0) }
        }
        row[x] = depths[x] > 0 ? sum * part : Self.hole
      }
    }
    current = to
  }

  /// After a step: handles new holes and filled holes.
  func update(_ map: FilterPlane) {
    update(map) { _, _ in (1, Self.filled) }
  }

  /// After a step with memory: `known` gives the factor for values, and the confidence of filled holes.
  func update(_ map: FilterPlane, _ known: (_ x: Int, _ y: Int) -> (value: Float, held: Float)) {
    guard let current else { return }
    for y in 0..<map.height {
      let (depths, row) = (map.row(y), current.row(y))
      for x in 0..<map.width {
        guard depths[x] > 0 else {
          row[x] = Self.hole
          continue
        }
        let part = known(x, y)
        row[x] = row[x] < 0 ? part.held : row[x] * part.value
      }
    }
  }

  func result(_ width: Int, _ height: Int) -> ConfidenceMap {
    var result = Plane<UInt8>(repeating: 0, width: width, height: height)
    guard let current else { return ConfidenceMap(result) }
    for y in 0..<height {
      let from = current.row(y)
      var to = result.mutableRow(y)
      for x in to.indices { to[x] = ConfidenceMap.number(from[x]) }
    }
    return ConfidenceMap(result)
  }
}
