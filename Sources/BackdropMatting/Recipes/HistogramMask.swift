import BackdropDepth
import BackdropImaging

/// A matte of what is nearest, by the histogram of distances: threshold at a percentile, close gaps, soften the edge.
public struct HistogramMask: Sendable, Equatable {
  /// The part of the picture, in per cent, that is background.
  public var percentile: Double
  /// Gaps narrower than twice this are closed (radius of a disc, in samples); 0 closes none.
  public var closeRadius: Double
  /// Standard deviation of the soft edge, in samples.
  public var featherSigma: Double

  /// Makes a mask.
  public init(percentile: Double, closeRadius: Double = 0, featherSigma: Double = 0) {
    self.percentile = percentile
    self.closeRadius = closeRadius
    self.featherSigma = featherSigma
  }

  /// How far behind its middle a subject is taken to reach, in normalized disparity.
  private static let subjectDepth = 0.08

  /// The matte, at the size of `disparity`: what is nearer than the percentile.
  ///
  /// - Throws: `wrongArgument` for a radius or sigma that is not possible.
  public func matte(of disparity: NormalizedDisparity) throws(BackdropError) -> Matte {
    let map = DisparityMap(perMetre: disparity.values, accuracy: .relative)
    let threshold = map.percentile(percentile) ?? 1
    // Where as much as that is nearest of all, nothing is nearer; it is not all to be behind for that.
    let isNearest = percentile < 100 && threshold >= (map.extent?.upperBound ?? 1)
    var mask = Matte(mapping: disparity.values) { $0 > threshold || isNearest && $0 >= threshold ? 1 : 0 }
    if closeRadius >= 1 { mask.q15 = try mask.q15.closed(.disc(radius: closeRadius)) }
    if featherSigma > 0 { mask.q15 = try mask.q15.blurred(sigma: featherSigma) }
    return mask
  }

  /// The percentile that parts normalized disparity into two groups which are as uniform as possible (Otsu, 1979), 0…100.
  ///
  /// - Parameters:
  ///   - disparity: of the whole picture.
  ///   - subject: the normalized disparity of what is to be in the nearer group; `nil` for nothing.
  public static func separating(_ disparity: NormalizedDisparity, before subject: Double? = nil) -> Double {
    // What the subject has of depth itself is in front, too.
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
