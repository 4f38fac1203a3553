/// The distribution of distances in a map: near objects, a gap, and the background.
package struct DepthBands: Sendable, Equatable {
  /// The 5th, 50th and 95th percentiles of depth in metres; the second is the median plane.
  package var nearest, median, farthest: Float
  /// Almost no distances lie in this range: nearer ones are one or several objects, and farther ones the background. `nil` if depth has no
  /// gap.
  package var gap: ClosedRange<Float>?

  /// The middle of the gap in 1/metre: a cutoff here separates objects from the background.
  package var cutoffMetres: Float? { gap.map { 2 / (1 / $0.lowerBound + 1 / $0.upperBound) } }
}

extension DepthMap {
  /// The map's bands of distance; `nil` if all pixels are holes.
  ///
  /// The gap is the widest in 1/metre between percentiles of the sorted distances that are two apart, so that a hundredth of the pixels may
  /// lie in it. At least 5 % of the pixels lie on each side, and its far end is at least 1.3 times as far as its near one.
  package var bands: DepthBands? {
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
