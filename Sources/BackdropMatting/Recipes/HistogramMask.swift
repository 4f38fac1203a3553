import BackdropDepth
import BackdropImaging

/// A matte of the nearest things, by the histogram of distances: threshold at a percentile, close gaps, soften the edge.
package struct HistogramMask: Sendable, Equatable {
  /// The percentage of the picture that is background.
  package var percentile: Double
  /// The radius of the disc that closes gaps, in samples: gaps narrower than twice this close; 0 closes none.
  package var closeRadius: Double
  /// Standard deviation of the soft edge, in samples.
  package var featherSigma: Double

  package init(percentile: Double, closeRadius: Double = 0, featherSigma: Double = 0) {
    self.percentile = percentile
    self.closeRadius = closeRadius
    self.featherSigma = featherSigma
  }

  /// The assumed depth of a subject behind its middle, in normalized disparity.
  private static let subjectDepth = 0.08

  /// The matte, at the size of `disparity`: everything nearer than the percentile.
  ///
  /// - Throws: `wrongArgument` for an invalid radius or sigma.
  package func matte(of disparity: NormalizedDisparity) throws(BackdropError) -> Matte {
    let map = DisparityMap(perMetre: disparity.values, accuracy: .relative)
    let threshold = map.percentile(percentile) ?? 1
    // If so much is at the nearest distance that nothing is nearer than the threshold, it counts as in front.
    let isNearest = percentile < 100 && threshold >= (map.extent?.upperBound ?? 1)
    var mask = Matte(mapping: disparity.values) { $0 > threshold || isNearest && $0 >= threshold ? 1 : 0 }
    if closeRadius >= 1 { mask.q15 = try mask.q15.closed(.disc(radius: closeRadius)) }
    if featherSigma > 0 { mask.q15 = try mask.q15.blurred(sigma: featherSigma) }
    return mask
  }

  /// The percentile, 0…100, that divides the whole picture's normalized disparity into the two most uniform groups (Otsu, 1979), the nearer
  /// one with the disparity `subject`, if given.
  package static func separating(_ disparity: NormalizedDisparity, before subject: Double? = nil) -> Double {
    // The subject's own depth must be in front, too.
    let limit = subject.map { $0 > 2 * Self.subjectDepth ? ($0 - Self.subjectDepth) * 255 : .infinity } ?? .infinity
    var counts = [Double](repeating: 0, count: 256)
    for y in 0..<disparity.height {
      let row = disparity.values.row(y)
      for x in row.indices where row[x] >= 0 { counts[Int(min(row[x], 1) * 255)] += 1 }
    }
    let total = counts.reduce(0, +)
    guard total > 0 else { return 50 }
    let sum = counts.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    var (behind, sumBehind, best, result) = (0.0, 0.0, -1.0, 50.0)
    for (value, count) in counts.enumerated() {
      behind += count
      sumBehind += Double(value) * count
      let front = total - behind
      guard behind > 0 && front > 0 && Double(value) < limit else { continue }
      let difference = sumBehind / behind - (sum - sumBehind) / front
      let between = behind * front * difference * difference
      if between > best { (best, result) = (between, behind / total * 100) }
    }
    return result
  }
}
