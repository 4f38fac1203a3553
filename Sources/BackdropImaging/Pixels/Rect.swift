/// A rectangle in pixels of a picture, or in parts of its width and height; origin top left. Edges may lie within pixels.
public struct Rect: Sendable, Codable, Hashable {
  /// Left and top edge, width and height.
  public var x, y, width, height: Double

  /// Makes a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The middle.
  public var center: (x: Double, y: Double) { (x + width / 2, y + height / 2) }

  /// The largest centred part of a `width` × `height` picture that has the aspect of `targetWidth` × `targetHeight`.
  public static func filling(width: Int, height: Int, targetWidth: Int, targetHeight: Int) -> Rect {
    let (w, h) = (Double(width), Double(height))
    let aspect = Double(targetWidth) / Double(targetHeight)
    let cropWidth = min(w, h * aspect)
    let cropHeight = min(h, w / aspect)
    return Rect(x: (w - cropWidth) / 2, y: (h - cropHeight) / 2, width: cropWidth, height: cropHeight)
  }
}
