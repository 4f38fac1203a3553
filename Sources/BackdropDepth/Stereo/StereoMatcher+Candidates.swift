import BackdropImaging

extension StereoMatcher {
  /// The disparities in a pair of pictures, found at a width of ``searchWidth``; `nil` if too little of one picture is in the other.
  ///
  /// It searches disparities from −1/8 of the width, as in pictures with the screen inside the scene, to 1/4.
  package static func candidates(
    _ left: Plane<UInt8>, _ right: Plane<UInt8>, cpu: CPULevel = .current
  ) throws(BackdropError) -> Candidates? {
    let width = min(left.width, searchWidth)
    let height = max(1, left.height * width / left.width)
    let (a, b) = (try left.scaled(toWidth: width, height: height), try right.scaled(toWidth: width, height: height))
    let found = disparities(a, b, Candidates(first: -width / 8, count: width * 3 / 8), cpu: cpu)
    guard let (low, high) = quantiles(of: found, known: enough) else { return nil }
    let scale = Double(left.width) / Double(width)
    // Small things may have been missed.
    let margin = 2.0
    let first = Int(((Double(low) - margin) * scale).rounded(.down))
    let last = Int(((Double(high) + margin) * scale).rounded(.up))
    return Candidates(first: first, count: last - first + 1)
  }

  /// Enough for things of 1/40 of the picture's width.
  private static let searchWidth = 256
  /// The part of the pixels with a disparity that both pictures agree on. Pairs have 70 % and more, pictures of different things up to 45
  /// %.
  private static let enough = 0.55

  /// The smallest and the largest value, without 0.5 % at each end; `nil` if fewer than `known` of the pixels have a value.
  static func quantiles(of plane: Plane<Float>, known: Double = 0.1) -> (low: Float, high: Float)? {
    let values = plane.samples.filter { !$0.isNaN }.sorted()
    guard !values.isEmpty, Double(values.count) >= known * Double(plane.width * plane.height) else { return nil }
    let skipped = min(Int(0.005 * Double(values.count)), (values.count - 1) / 2)
    return (values[skipped], values[values.count - 1 - skipped])
  }
}
