import BackdropImaging

/// The common part of depth and disparity maps: one number per pixel, holes as NaN, and the camera.
///
/// It implements everything that does not depend on the unit: resizing, turning, cropping, looking up a point, statistics. None of it ever
/// mixes a hole with a value.
public protocol RangeMap: Sendable {
  /// Finite numbers, or NaN for a hole.
  var values: Plane<Float> { get }
  /// The camera, for ``width`` × ``height`` or any other reference size of the same view.
  var intrinsics: Intrinsics? { get set }
  /// Whether each pixel shows the same thing as the colour picture at its position (up to scale).
  var isRegistered: Bool { get set }
  /// The confidence of each pixel if known, at the size of ``values``.
  var confidence: ConfidenceMap? { get set }

  /// A map of the same kind and unit with other valid ``values``; their confidence is unknown.
  func replacing(values: Plane<Float>, intrinsics: Intrinsics?) -> Self
}

extension RangeMap {
  /// Pixels in a row.
  public var width: Int { values.width }
  /// Rows.
  public var height: Int { values.height }

  /// Whether every pixel is a hole, for example because the sensor was covered.
  public var isEmpty: Bool {
    for y in 0..<height {
      let row = values.row(y)
      for x in row.indices where !row[x].isNaN { return false }
    }
    return true
  }

  /// The position on this map of a point in a picture of another size: x and y scale independently, as for a depth map with another aspect
  /// than its video frame.
  ///
  /// Coordinates are continuous, origin at the top left corner; pixel (i, j) covers `i ..< i + 1`, `j ..< j + 1`.
  public func coordinates(
    ofX x: Double, y: Double, inPictureWidth pictureWidth: Int, height pictureHeight: Int
  ) -> (x: Double, y: Double) {
    (x * Double(width) / Double(pictureWidth), y * Double(height) / Double(pictureHeight))
  }

  /// The median of the valid values in a window of `window × window` pixels round pixel (`x`, `y`), holes ignored.
  ///
  /// With an even number of values it is the smaller of the middle two, never a mean of both, since an edge may lie between them. The part
  /// of the window outside the map does not count.
  /// - Returns: `nil` if there is no valid value in the window.
  public func value(atX x: Int, y: Int, window: Int = 5) -> Float? {
    let before = max(0, window - 1) / 2
    let after = max(1, window) - before
    // Written so that nothing overflows.
    let (left, top) = (x > before ? x - before : 0, y > before ? y - before : 0)
    let (right, bottom) = (x < width - after ? x + after : width, y < height - after ? y + after : height)
    guard left < right && top < bottom else { return nil }
    // On the stack for small windows, since every frame needs this.
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: (right - left) * (bottom - top)) { all in
      var count = 0
      for row in top..<bottom {
        for column in left..<right {
          let value = values[column, row]
          if !value.isNaN {
            all.initializeElement(at: count, to: value)
            count += 1
          }
        }
      }
      guard count > 0 else { return nil }
      var found = UnsafeMutableBufferPointer(rebasing: all[..<count])
      found.sort()
      return found[(count - 1) / 2]
    }
  }
}
