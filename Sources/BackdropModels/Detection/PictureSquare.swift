/// A square of a picture, in its pixels; parts of it may lie outside.
struct PictureSquare: Sendable, Equatable {
  /// The left and the upper edge, and the length of all edges.
  var x, y, side: Double

  init(x: Double, y: Double, side: Double) {
    self.x = x
    self.y = y
    self.side = side
  }

  /// The smallest square that a picture of that size lies in the middle of.
  init(around width: Int, _ height: Int) {
    side = Double(max(width, height))
    x = (Double(width) - side) / 2
    y = (Double(height) - side) / 2
  }
}
