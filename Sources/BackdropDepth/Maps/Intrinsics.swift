import BackdropImaging

/// A pinhole camera: focal lengths and principal point in pixels, at a reference size.
///
/// Pixel centres are at half-integers of the picture plane, so scaling multiplies all four values: a point at column
/// `u` of a picture `width` wide moves to `u · newWidth / width`.
public struct Intrinsics: Sendable, Codable, Equatable {
  /// Focal lengths in pixels.
  public var fx, fy: Double
  /// The principal point in pixels from the upper left corner.
  public var cx, cy: Double
  /// The reference size of the values.
  public var width, height: Int

  /// Makes intrinsics for pictures of `width × height`.
  public init(fx: Double, fy: Double, cx: Double, cy: Double, width: Int, height: Int) {
    self.fx = fx
    self.fy = fy
    self.cx = cx
    self.cy = cy
    self.width = width
    self.height = height
  }

  /// The same camera for pictures of another size; x and y scale independently.
  public func scaled(toWidth newWidth: Int, height newHeight: Int) -> Intrinsics {
    let sx = Double(newWidth) / Double(width)
    let sy = Double(newHeight) / Double(height)
    return Intrinsics(fx: fx * sx, fy: fy * sy, cx: cx * sx, cy: cy * sy, width: newWidth, height: newHeight)
  }

  /// The same camera for a picture cropped to this rectangle.
  public func cropped(x: Int, y: Int, width: Int, height: Int) -> Intrinsics {
    Intrinsics(fx: fx, fy: fy, cx: cx - Double(x), cy: cy - Double(y), width: width, height: height)
  }

  /// The camera for a picture turned upright from a stored `orientation`.
  ///
  /// Focal lengths stay positive: a mirrored picture is that of a camera in the mirrored world.
  public func oriented(_ orientation: Orientation) -> Intrinsics {
    var (x, y) = (cx, cy)
    switch orientation {
    case .up, .leftMirrored: break
    case .upMirrored, .left: x = Double(width) - cx
    case .downMirrored, .right: y = Double(height) - cy
    case .down, .rightMirrored: (x, y) = (Double(width) - cx, Double(height) - cy)
    }
    return orientation.swapsSides
      ? Intrinsics(fx: fy, fy: fx, cx: y, cy: x, width: height, height: width)
      : Intrinsics(fx: fx, fy: fy, cx: x, cy: y, width: width, height: height)
  }
}
