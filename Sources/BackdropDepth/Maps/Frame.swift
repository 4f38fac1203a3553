import BackdropImaging

/// A rectangle in pixels of the colour picture, origin top left; may have fractions.
public struct PixelRect: Sendable, Codable, Equatable {
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
}

/// One moment of a stream: the colour picture and what is known about it.
public struct Frame: Sendable {
  /// The colour picture.
  public var image: Image
  /// Depth of the same moment, at its own resolution.
  public var depth: DepthMap?
  /// Faces found in the colour picture, largest first.
  public var faces: [PixelRect]
  /// Seconds since the stream began.
  public var time: Double

  /// Makes a frame.
  public init(image: Image, depth: DepthMap? = nil, faces: [PixelRect] = [], time: Double = 0) {
    self.image = image
    self.depth = depth
    self.faces = faces
    self.time = time
  }
}
