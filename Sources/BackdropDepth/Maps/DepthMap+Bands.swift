import BackdropImaging

/// How the distances in a map are spread: near objects, a gap, and the background.
public struct DepthBands: Sendable, Equatable {
  /// Metres up to which 5, 50 and 95 % of the pixels with depth lie; the second is the median plane.
  public var nearest, median, farthest: Float
  /// The distances between which there is next to nothing: what is nearer is one thing, or some, and what is farther
  /// the background. `nil` where depth goes on without a gap.
  public var gap: ClosedRange<Float>?

  /// A distance in the middle of the gap, counted in 1/metre: what ends there is cut off from the background.
  public var cutoffMetres: Float? { gap.map { 2 / (1 / $0.lowerBound + 1 / $0.upperBound) } }
}

extension DepthMap {
  /// The bands of distance of the map; `nil` if all is holes.
  ///
  /// The gap is the widest in 1/metre between two per cents of the sorted distances that are two apart, so that a hundredth
  /// of the pixels may fly in it. At least 5 % of the pixels lie on each side, and its far end is at least 1.3 times as far
  /// as its near one.
  public var bands: DepthBands? {
    let sorted = percentiles((0...100).map(Double.init))
    guard sorted.count == 101 else { return nil }
    var result = DepthBands(nearest: sorted[5], median: sorted[50], farthest: sorted[95])
    var widest: Float = 0
    for percent in 5...93 {
      let (low, high) = (sorted[percent], sorted[percent + 2])
      let width = 1 / low - 1 / high
      if width > widest && high >= 1.3 * low { (widest, result.gap) = (width, low...high) }
    }
    return result
  }
}
