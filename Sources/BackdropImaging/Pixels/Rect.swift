/// A rectangle in pixels of a picture, or in parts of its width and height; origin top left. Edges may be inside pixels.
public struct Rect: Sendable, Codable, Hashable {
  /// Left and top edge, width and height.
  public var x, y, width, height: Double

  /// Makes a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  package init(_ pixels: IntegerRect) {
    self.init(x: Double(pixels.x), y: Double(pixels.y), width: Double(pixels.width), height: Double(pixels.height))
  }

  /// The middle.
  public var center: (x: Double, y: Double) { (x + width / 2, y + height / 2) }

  package func contains(_ x: Double, _ y: Double) -> Bool {
    x >= self.x && x < self.x + width && y >= self.y && y < self.y + height
  }

  /// This rectangle in pixels of a picture of that size, as parts of its width and height.
  public func relative(to size: (width: Int, height: Int)) -> Rect {
    let (w, h) = (Double(size.width), Double(size.height))
    return Rect(x: x / w, y: y / h, width: width / w, height: height / h)
  }

  /// The rectangle after a picture of `width` × `height` is turned upright.
  package func oriented(_ orientation: Orientation, width wide: Double, height high: Double) -> Rect {
    let matrix = orientation.matrix
    // The distances from the edges that become the left and the upper one.
    let (right, bottom) = (wide - x - width, high - y - height)
    let (column, row) = (matrix[0] + matrix[2] < 0 ? right : x, matrix[1] + matrix[3] < 0 ? bottom : y)
    return orientation.swapsSides
      ? Rect(x: row, y: column, width: height, height: width) : Rect(x: column, y: row, width: width, height: height)
  }

  /// The largest centred part of a `width` × `height` picture with the aspect of `targetWidth` × `targetHeight`.
  public static func filling(width: Int, height: Int, targetWidth: Int, targetHeight: Int) -> Rect {
    let (w, h) = (Double(width), Double(height))
    let aspect = Double(targetWidth) / Double(targetHeight)
    let cropWidth = min(w, h * aspect)
    let cropHeight = min(h, w / aspect)
    return Rect(x: (w - cropWidth) / 2, y: (h - cropHeight) / 2, width: cropWidth, height: cropHeight)
  }
}
