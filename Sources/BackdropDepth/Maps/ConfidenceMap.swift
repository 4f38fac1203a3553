import BackdropImaging

/// The confidence in each pixel of a depth or disparity map: 0 (none) … 255 (the most).
///
/// Sensors report it in their own steps (ARKit: low, medium, high), which map to 0 … 255. Without a report,
/// ``DepthMap/estimatedConfidence()`` or a `DepthFilter` can estimate it. It is a rank, not a probability. Holes have 0, but 0 need not
/// be a hole.
public struct ConfidenceMap: Sendable {
  /// The numbers.
  public var values: Plane<UInt8>

  /// Pixels in a row.
  public var width: Int { values.width }
  /// Rows.
  public var height: Int { values.height }

  /// Makes a map from its values.
  public init(_ values: Plane<UInt8>) { self.values = values }

  /// Makes a map from confidences of 0…1; values outside are clamped, NaN becomes 0.
  public init(parts: Plane<Float>) {
    values = Plane(uninitializedWidth: parts.width, height: parts.height)
    for y in 0..<parts.height {
      let from = parts.row(y)
      var to = values.mutableRow(y)
      for x in to.indices { to[x] = Self.number(from[x]) }
    }
  }

  /// The confidence of a pixel, 0…1.
  public subscript(x: Int, y: Int) -> Float { Float(values[x, y]) / 255 }

  /// The stored value of a confidence of 0…1; values outside are clamped, NaN becomes 0.
  static func number(_ confidence: Float) -> UInt8 { confidence > 0 ? UInt8(min(confidence, 1) * 255 + 0.5) : 0 }

  /// Each pixel takes the source pixel that contains its centre.
  func nearest(width newWidth: Int, height newHeight: Int) -> ConfidenceMap {
    var result = Plane<UInt8>(uninitializedWidth: newWidth, height: newHeight)
    for y in 0..<newHeight {
      let from = values.row((2 * y + 1) * height / (2 * newHeight))
      var to = result.mutableRow(y)
      for x in to.indices { to[x] = from[(2 * x + 1) * width / (2 * newWidth)] }
    }
    return ConfidenceMap(result)
  }
}
