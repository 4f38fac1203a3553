import BackdropImaging

extension Plane<Float> {
  /// Fills holes from the left or the right, whichever is farther: an area visible to one eye only is behind the thing that hides it. An
  /// empty row takes the row above or below; a plane of holes only stays one.
  mutating func fillRows() {
    var known: [Int] = []
    for y in 0..<height {
      var row = mutableRow(y)
      var before = Float.nan
      var start = 0
      for x in 0...row.count where x == row.count || !row[x].isNaN {
        let after = x < row.count ? row[x] : .nan
        // The smaller of both, or the existing one.
        let value = Float.minimum(before, after)
        for hole in start..<x { row[hole] = value }
        (before, start) = (after, x + 1)
      }
      if !row.isEmpty && !row[0].isNaN { known.append(y) }
    }
    guard let first = known.first, known.count < height else { return }
    let isKnown = Set(known)
    var source = first
    for y in 0..<height {
      if isKnown.contains(y) {
        source = y
        continue
      }
      let copied = (0..<width).map { self[$0, source] }
      for x in 0..<width { self[x, y] = copied[x] }
    }
  }
}
