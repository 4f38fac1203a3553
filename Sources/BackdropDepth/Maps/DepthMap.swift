import BackdropImaging

/// Distance from the camera plane in metres for each pixel; holes are NaN and nothing else is.
public struct DepthMap: Sendable {
  /// Metres, positive and finite, or NaN.
  public private(set) var metres: Plane<Float>
  /// The camera that took it, for ``width`` × ``height`` or any other reference size.
  public var intrinsics: Intrinsics?
  /// Whether each pixel lies where the colour picture shows the same thing (up to scale).
  public var isRegistered: Bool

  /// Pixels in a row.
  public var width: Int { metres.width }
  /// Rows.
  public var height: Int { metres.height }

  /// A map from metres; 0, negative and infinite values are holes and become NaN.
  public init(metres: Plane<Float>, intrinsics: Intrinsics? = nil, isRegistered: Bool = true) {
    var metres = metres
    for y in 0..<metres.height {
      var row = metres.mutableRow(y)
      for x in row.indices where !(row[x] > 0 && row[x] < .infinity) { row[x] = .nan }
    }
    self.metres = metres
    self.intrinsics = intrinsics
    self.isRegistered = isRegistered
  }
}
