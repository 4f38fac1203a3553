import Libc

/// The output of one anchor: a box and up to six points, as fractions of the input's side.
package struct DetectionCandidate: Sendable, Equatable {
  /// Left, top, right and bottom edge, then x and y of each point; the rest is 0.
  var places: SIMD16<Float>
  /// The confidence, 0…1.
  var score: Float

  /// Decodes an anchor's values like MediaPipe's *TensorsToDetectionsCalculator*. They are in pixels of the input; the box's centre and
  /// the points are relative to the anchor.
  ///
  /// - Parameter values: the anchor's values: four for the box and two per point. Points beyond the sixth are left out.
  /// - Returns: `nil` below `minimumScore`, for a box without area, and for values that are not finite.
  init?(values: UnsafeBufferPointer<Float>, logit: Float, anchor: SIMD2<Float>, size: Float, minimumScore: Float) {
    // A NaN logit gives NaN, which fails any comparison.
    let score = 1 / (1 + exp(-(logit < -100 ? -100 : logit > 100 ? 100 : logit)))
    guard score >= minimumScore else { return nil }
    var places = SIMD16<Float>()
    let valueCount = min(values.count, places.scalarCount)
    for i in 0..<valueCount { places[i] = values[i] / size }
    let (width, height) = (places[2], places[3])
    guard width > 0 && height > 0 else { return nil }
    for i in stride(from: 0, to: valueCount, by: 2) where i != 2 {
      places[i] += anchor.x
      places[i + 1] += anchor.y
    }
    (places[2], places[3]) = (places[0] + width / 2, places[1] + height / 2)
    places[0] -= width / 2
    places[1] -= height / 2
    guard places.indices.allSatisfy({ places[$0].isFinite }) else { return nil }
    (self.places, self.score) = (places, score)
  }

  init(places: SIMD16<Float>, score: Float) { (self.places, self.score) = (places, score) }

  private var area: Float { (places[2] - places[0]) * (places[3] - places[1]) }

  /// The intersection of two boxes divided by their union, 0…1; 0 if both are empty.
  func intersectionOverUnion(_ other: DetectionCandidate) -> Float {
    let width = min(places[2], other.places[2]) - max(places[0], other.places[0])
    let height = min(places[3], other.places[3]) - max(places[1], other.places[1])
    guard width > 0 && height > 0 else { return 0 }
    let shared = width * height
    return shared / (area + other.area - shared)
  }
}
