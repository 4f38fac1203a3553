/// A square of a picture, in its pixels; parts of it may lie outside.
package struct PictureSquare: Sendable, Equatable {
  /// The left edge, the upper edge, and the length of a side.
  var x, y, side: Double
}

extension PictureSquare {
  /// The smallest square centred on a picture of that size that contains it.
  init(around width: Int, _ height: Int) {
    side = Double(max(width, height))
    (x, y) = ((Double(width) - side) / 2, (Double(height) - side) / 2)
  }
}
