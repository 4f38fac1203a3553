import BackdropImaging

extension DisparityMap {
  /// The map as nearness: 1 where `range` has its upper end and 0 where it has its lower one, beyond it no more; by default
  /// from the farthest to the nearest value of the map.
  ///
  /// A hole takes the farther of the next values to its left and right, since holes lie behind the edges of what is near; a
  /// row of holes takes the row above it. A map of holes only, or of one value, is 0 everywhere.
  public func nearness(in range: ClosedRange<Float>? = nil) -> Plane<Float> {
    var result = Plane<Float>(repeating: 0, width: width, height: height)
    guard let range = range ?? extent, range.upperBound > range.lowerBound else { return result }
    let (low, scale) = (range.lowerBound, 1 / (range.upperBound - range.lowerBound))
    var firstKnown: Int?
    for y in 0..<height {
      let from = perMetre.row(y)
      var row = [Float](repeating: .nan, count: width)
      var last = Float.nan
      for x in 0..<width {
        if !from[x].isNaN { last = min(max((from[x] - low) * scale, 0), 1) }
        row[x] = last
      }
      last = .nan
      for x in stride(from: width - 1, through: 0, by: -1) {
        if !from[x].isNaN { last = row[x] }
        // One of both is known, or the row has holes only.
        if row[x].isNaN { row[x] = last } else if !last.isNaN { row[x] = min(row[x], last) }
      }
      if let first = row.first, first.isNaN {
        guard firstKnown != nil else { continue }
        row = (0..<width).map { result[$0, y - 1] }
      } else if firstKnown == nil {
        firstKnown = y
      }
      var target = result.mutableRow(y)
      for x in 0..<width { target[x] = row[x] }
    }
    for y in 0..<(firstKnown ?? 0) {
      let known = (0..<width).map { result[$0, firstKnown ?? 0] }
      var target = result.mutableRow(y)
      for x in 0..<width { target[x] = known[x] }
    }
    return result
  }
}
