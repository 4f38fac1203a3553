import BackdropImaging

extension DepthMap {
  /// The mean confidence of pixels with a value, 0…1; `nil` if there are none, or confidence is unknown.
  public var meanConfidence: Double? {
    guard let confidence else { return nil }
    var (sum, count) = (0, 0)
    for y in 0..<height {
      let (depths, numbers) = (metres.row(y), confidence.values.row(y))
      for x in depths.indices where !depths[x].isNaN {
        sum += Int(numbers[x])
        count += 1
      }
    }
    return count > 0 ? Double(sum) / Double(count) / 255 : nil
  }

  /// The map with holes at a confidence below `least` (0…1); unchanged if confidence is unknown.
  public func confident(atLeast least: Double) -> DepthMap {
    // The smallest step of 1/255 not below it.
    let number = (least * 255 - 1e-6).rounded(.up)
    guard let confidence, number > 0 else { return self }
    var result = metres
    result.update(with: confidence.values) { Double($1) < number ? .nan : $0 }
    return DepthMap(checked: result, intrinsics: intrinsics, isRegistered: isRegistered, confidence: confidence)
  }

  /// A confidence estimated from the map itself, for sensors that report none: 0 for holes, reduced beside holes and edges, and where
  /// neighbours disagree.
  ///
  /// It is the product of two parts. One grows from ¼ beside a hole or a step of depth of more than 6 % to 1 at the fourth pixel from it:
  /// sensors take depth from a window, so it is least certain at edges. The other is 1 / (1 + (n / s)²), where n is the bend of 1/z at the
  /// pixel (its second differences, which planes do not have, as the standard deviation of noise that would have that bend) and s = 0.02 /
  /// m, about twice the noise of structured light.
  public func estimatedConfidence() -> ConfidenceMap {
    let plane = FilterPlane(width: width, height: height)
    for y in 0..<height {
      let from = metres.row(y)
      let to = plane.row(y)
      for x in from.indices { to[x] = from[x].isNaN ? 0 : from[x] }
    }
    var estimator = ConfidenceEstimator()
    estimator.begin(plane, nil)
    return estimator.result(width, height)
  }
}
