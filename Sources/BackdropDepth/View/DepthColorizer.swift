import BackdropImaging

/// Chooses the colours of consecutive depth maps, so that a stream's colours follow the scene slowly.
///
///     var colorizer = DepthColorizer()
///     while let frame = try source.next() { if let map = frame.depth { show(colorizer.colors(for: map).image(of: map)) } }
package struct DepthColorizer: Sendable {
  package var palette: DepthPalette
  /// The range in metres; `nil` for that of the maps, from the 2nd to the 98th percentile.
  package var range: ClosedRange<Float>?
  /// Whether to equalize the histogram, so that all colours get equal numbers of pixels.
  package var equalizes: Bool
  /// The fraction of the way that each frame moves the range to its own, 0…1; the first frame's range applies at once.
  package var pace: Float = 0.05

  private var followed: ClosedRange<Float>?
  private var curve: [Float] = []

  private static let divisions = 2048

  package init(_ palette: DepthPalette = .spectrum, range: ClosedRange<Float>? = nil, equalizes: Bool = false) {
    self.palette = palette
    self.range = range
    self.equalizes = equalizes
  }

  /// The colours for the next map of the stream. A map of holes changes nothing.
  package mutating func colors(for map: DepthMap) -> DepthColors {
    let range = range ?? follow(map)
    guard equalizes else { return DepthColors(palette, range: range) }
    let own = Self.positions(of: map, in: range)
    if !own.isEmpty {
      let share = curve.isEmpty || self.range == nil && pace >= 1 ? 1 : min(max(pace, 0), 1)
      curve = curve.isEmpty ? own : zip(curve, own).map { $0 + ($1 - $0) * share }
    }
    guard !curve.isEmpty else { return DepthColors(palette, range: range) }
    return DepthColors(palette, range: range, positions: curve)
  }

  private mutating func follow(_ map: DepthMap) -> ClosedRange<Float> {
    let ends = map.percentiles([2, 98])
    if ends.count == 2 {
      if let old = followed {
        let share = min(max(pace, 0), 1)
        let low = old.lowerBound + (ends[0] - old.lowerBound) * share
        let high = old.upperBound + (ends[1] - old.upperBound) * share
        followed = low...max(low, high)
      } else {
        followed = ends[0]...ends[1]
      }
    }
    return followed ?? 0...1
  }

  /// For each division of the range, the fraction of the pixels in the range that are nearer; empty if no pixels are in it.
  private static func positions(of map: DepthMap, in range: ClosedRange<Float>) -> [Float] {
    let span = range.upperBound - range.lowerBound
    guard span > 0 && span.isFinite else { return [] }
    var counts = [UInt32](repeating: 0, count: divisions)
    let scale = Float(divisions - 1) / span
    for y in 0..<map.height {
      let row = map.metres.row(y)
      for x in row.indices {
        let division = (row[x] - range.lowerBound) * scale
        // False for holes.
        if division >= 0 && division <= Float(divisions - 1) { counts[Int(division)] += 1 }
      }
    }
    let total = counts.reduce(0) { $0 + Double($1) }
    guard total > 0 else { return [] }
    var nearer = 0.0
    var result = counts.map { count in
      defer { nearer += Double(count) }
      return Float((nearer + Double(count) / 2) / total)
    }
    result[divisions - 1] = 1
    return result
  }
}
