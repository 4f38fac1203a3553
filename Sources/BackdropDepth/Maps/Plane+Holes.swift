import BackdropImaging

extension Plane<Float> {
  /// Fills holes from the left or the right, whichever is farther: an area visible to one eye only is behind the thing that hides it. An
  /// empty row takes the row above or below; a plane of holes only stays one.
  mutating func fillRows() {
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
    }
    // At this point a row has either no hole, or only holes.
    guard width > 0, var source = (0..<height).first(where: { !self[0, $0].isNaN }) else { return }
    for y in 0..<height {
      if !self[0, y].isNaN { source = y } else { for x in 0..<width { self[x, y] = self[x, source] } }
    }
  }
}
