import BackdropImaging

/// Inverse distance in 1/metre for each pixel, as stereo cameras measure it and photos store it; holes are NaN.
public struct DisparityMap: RangeMap {
  /// The accuracy of the values (as in Apple's `AVDepthData.Accuracy`).
  public enum Accuracy: String, Sendable, Codable, CaseIterable {
    /// 1 / disparity is a distance in metres.
    case absolute
    /// Only the order and the ratio of the values are meaningful. The offset or scale is unknown, as with a phone's two rear cameras or a
    /// network that estimates depth.
    case relative
  }

  /// 1/metre: positive and finite, or NaN. With relative accuracy, 0 and negative values are valid too.
  public private(set) var perMetre: Plane<Float>
  /// The accuracy of the values.
  public let accuracy: Accuracy
  /// The camera, for ``width`` × ``height`` or any other reference size.
  public var intrinsics: Intrinsics?
  /// Whether each pixel shows the same thing as the colour picture at its position (up to scale).
  public var isRegistered: Bool
  /// The confidence of each pixel, at the map's size; `nil` if unknown.
  public var confidence: ConfidenceMap? {
    didSet { precondition(confidence.map { $0.width == width && $0.height == height } ?? true, "of another size") }
  }

  /// Pixels in a row.
  public var width: Int { perMetre.width }
  /// Rows.
  public var height: Int { perMetre.height }
  /// The same as ``perMetre``.
  public var values: Plane<Float> { perMetre }

  /// A map from values in 1/metre.
  ///
  /// Infinite values are holes and become NaN; with absolute accuracy 0 and negative ones do too. With relative accuracy they stay: 0 is
  /// then the farthest point of the scale, not a missing one.
  public init(perMetre: Plane<Float>, accuracy: Accuracy, intrinsics: Intrinsics? = nil, isRegistered: Bool = true) {
    var perMetre = perMetre
    let least: Float = accuracy == .absolute ? .leastNonzeroMagnitude : -.greatestFiniteMagnitude
    perMetre.update { $0 >= least && $0 < .infinity ? $0 : .nan }
    self.perMetre = perMetre
    self.accuracy = accuracy
    self.intrinsics = intrinsics
    self.isRegistered = isRegistered
  }

  /// A map of the same kind with other values, cleaned as in ``init(perMetre:accuracy:intrinsics:isRegistered:)``.
  public func replacing(values: Plane<Float>, intrinsics: Intrinsics?) -> DisparityMap {
    DisparityMap(perMetre: values, accuracy: accuracy, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// The same map as 1 / disparity, in metres; values that are not positive become holes.
  ///
  /// With a relative ``accuracy`` the result has the right order but no true distances.
  public var depth: DepthMap {
    var result = DepthMap(metres: perMetre.reciprocals, intrinsics: intrinsics, isRegistered: isRegistered)
    result.confidence = confidence
    return result
  }
}
