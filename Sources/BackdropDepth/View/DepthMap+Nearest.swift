extension DepthMap {
  /// The valid pixel nearest to a pixel, itself if it is valid; `nil` if all pixels are holes.
  ///
  /// Nearest by Euclidean distance; among equal ones, any of them. It searches growing squares, so that the cost follows the hole's size.
  public func nearestValid(x: Int, y: Int) -> (x: Int, y: Int, metres: Float)? {
    guard x >= 0 && x < width && y >= 0 && y < height else { return nil }
    var best: (x: Int, y: Int, metres: Float)?
    var least = Int.max
    for reach in 0...max(width, height) {
      // Larger squares cannot be nearer.
      if best != nil && reach * reach > least { break }
      for row in max(0, y - reach)...min(height - 1, y + reach) {
        let isEdge = abs(row - y) == reach
        let step = isEdge || reach == 0 ? 1 : 2 * reach
        for column in stride(from: x - reach, through: x + reach, by: step) where column >= 0 && column < width {
          let metres = metres[column, row]
          let distance = (column - x) * (column - x) + (row - y) * (row - y)
          if !metres.isNaN && distance < least { (best, least) = ((column, row, metres), distance) }
        }
      }
    }
    return best
  }
}
