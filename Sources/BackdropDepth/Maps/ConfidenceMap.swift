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
    values = parts.map(Self.number)
  }

  /// The stored value of a confidence of 0…1; values outside are clamped, NaN becomes 0.
  static func number(_ confidence: Float) -> UInt8 { confidence > 0 ? UInt8(min(confidence, 1) * 255 + 0.5) : 0 }

  /// The confidence of a pixel, 0…1.
  public subscript(x: Int, y: Int) -> Float { Float(values[x, y]) / 255 }
}
