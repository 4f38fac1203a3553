import BackdropImaging

/// The noise of a depth map, measured as the deviation from planes in small windows.
///
/// Planes are linear in a map of 1/z, at any angle. Each window of ``side`` × ``side`` pixels without holes or steps is fitted by least
/// squares; the residual divided by the degrees of freedom is the noise there. Windows across edges or on curved things have larger
/// residuals, so the result is the median of all windows.
package struct DepthNoise: Sendable, Codable, Equatable {
  package struct Band: Sendable, Codable, Equatable {
    /// The windows' distances in metres: from (inclusive) and to (exclusive).
    package var fromMetres, toMetres: Double
    /// Median standard deviation, in metres.
    package var metres: Double
    package var windows: Int
  }

  /// Pixels on the side of a window.
  package static let side = 7

  /// Median over all windows of the standard deviation, in metres.
  package var metres: Double
  /// The same divided by the square of the distance, so in metres at one metre: the quantity of ``DepthErrorModel``.
  package var atOneMetre: Double
  package var windows: Int
  /// The same for each band between two neighbours of ``edges`` with at least ten windows.
  package var bands: [Band]

  /// The limits of the bands, in metres: finer at distances of people, and few far away.
  package static let edges: [Double] = [0, 0.5, 1, 1.5, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000]

  /// Measures a map; `nil` if no window could be fitted.
  package init?(_ map: DepthMap) {
    var found: [(distance: Double, sigma: Double)] = []
    let side = Self.side
    for top in stride(from: 0, through: map.height - side, by: side) {
      for left in stride(from: 0, through: map.width - side, by: side) {
        if let window = Self.fit(map, left, top) { found.append(window) }
      }
    }
    guard !found.isEmpty else { return nil }
    func median(_ values: [Double]) -> Double { values.sorted()[(values.count - 1) / 2] }
    metres = median(found.map(\.sigma))
    atOneMetre = median(found.map { $0.sigma / ($0.distance * $0.distance) })
    windows = found.count
    bands = zip(Self.edges, Self.edges.dropFirst()).compactMap { from, to in
      let sigmas = found.filter { $0.distance >= from && $0.distance < to }.map(\.sigma)
      return sigmas.count < 10
        ? nil : Band(fromMetres: from, toMetres: to, metres: median(sigmas), windows: sigmas.count)
    }
  }

  /// Distance and standard deviation in metres of one window; `nil` for a window with a hole or a step of a tenth.
  private static func fit(_ map: DepthMap, _ left: Int, _ top: Int) -> (distance: Double, sigma: Double)? {
    let side = Self.side
    let half = Double(side - 1) / 2
    var values: [Double] = []
    values.reserveCapacity(side * side)
    for y in top..<top + side {
      let row = map.metres.row(y)
      for x in left..<left + side {
        guard !row[x].isNaN else { return nil }
        values.append(1 / Double(row[x]))
      }
    }
    guard let low = values.min(), let high = values.max(), high <= low * 1.1, high.isFinite else { return nil }
    // With coordinates about the middle of the window, the three unknowns are independent.
    let mean = values.reduce(0, +) / Double(values.count)
    let offsets = (0..<side).map { Double($0) - half }
    let squares = Double(side) * offsets.reduce(0) { $0 + $1 * $1 }
    var (across, down) = (0.0, 0.0)
    for (index, value) in values.enumerated() {
      across += value * offsets[index % side]
      down += value * offsets[index / side]
    }
    (across, down) = (across / squares, down / squares)
    var rest = 0.0
    for (index, value) in values.enumerated() {
      let error = value - mean - across * offsets[index % side] - down * offsets[index / side]
      rest += error * error
    }
    let distance = 1 / mean
    return (distance, (rest / Double(values.count - 3)).squareRoot() * distance * distance)
  }
}
