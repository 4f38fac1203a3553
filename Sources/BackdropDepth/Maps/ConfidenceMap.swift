import BackdropImaging

/// How far to trust each pixel of a depth or disparity map: 0 (not at all) … 255 (as much as any).
///
/// Sensors tell it in steps of their own (ARKit: low, medium, high), of which the first is 0 and the last 255; else it is
/// estimated by ``DepthMap/estimatedConfidence()`` and by a ``DepthFilter`` that is asked for it. It is a rank, no probability.
/// Holes have 0, but 0 need not be a hole.
public struct ConfidenceMap: Sendable {
  /// The numbers.
  public var values: Plane<UInt8>

  /// Pixels in a row.
  public var width: Int { values.width }
  /// Rows.
  public var height: Int { values.height }

  /// Makes a map of its numbers.
  public init(_ values: Plane<UInt8>) { self.values = values }

  /// Makes a map of confidences of 0…1; values outside are clamped, NaN becomes 0.
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

  /// The number for a confidence of 0…1; values outside are clamped, NaN becomes 0.
  static func number(_ confidence: Float) -> UInt8 { confidence > 0 ? UInt8(min(confidence, 1) * 255 + 0.5) : 0 }

  /// Each pixel that in which its centre lies.
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
