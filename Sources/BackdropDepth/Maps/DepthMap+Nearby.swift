extension DepthMap {
  /// The depth at a pixel or, if that is a hole, the median of what is around it: in a window of 5×5, then 9×9, then
  /// 17×17. `nil` if that has only holes too.
  package func nearby(x: Int, y: Int) -> Float? {
    let exact = metres[x, y]
    if !exact.isNaN { return exact }
    for reach in [2, 4, 8] {
      var values: [Float] = []
      for v in max(0, y - reach)...min(height - 1, y + reach) {
        let row = metres.row(v)
        for u in max(0, x - reach)...min(width - 1, x + reach) where !row[u].isNaN { values.append(row[u]) }
      }
      if !values.isEmpty {
        values.sort()
        return values[values.count / 2]
      }
    }
    return nil
  }
}
