import Libc

/// The output of one anchor: a box and up to six points, as fractions of the input's side.
package struct DetectionCandidate: Sendable, Equatable {
  /// Left, top, right and bottom edge, then x and y of each point; the rest is 0.
  var coordinates: SIMD16<Float>
  /// The confidence, 0…1.
  var score: Float

  /// Decodes an anchor's values like MediaPipe's *TensorsToDetectionsCalculator*: four for the box and two per point, in pixels of the
  /// input; the box's centre and the points are relative to the anchor. Points beyond the sixth are left out. `nil` below `minimumScore`,
  /// for a box without area, and for values that are not finite.
  init?(values: UnsafeBufferPointer<Float>, logit: Float, anchor: SIMD2<Float>, size: Float, minimumScore: Float) {
    // A NaN logit gives NaN, which fails any comparison.
    let score = 1 / (1 + exp(-(logit < -100 ? -100 : logit > 100 ? 100 : logit)))
    guard score >= minimumScore else { return nil }
    var coordinates = SIMD16<Float>()
    let valueCount = min(values.count, coordinates.scalarCount)
    for i in 0..<valueCount { coordinates[i] = values[i] / size }
    let (width, height) = (coordinates[2], coordinates[3])
    guard width > 0 && height > 0 else { return nil }
    for i in stride(from: 0, to: valueCount, by: 2) where i != 2 {
      coordinates[i] += anchor.x
      coordinates[i + 1] += anchor.y
    }
    (coordinates[2], coordinates[3]) = (coordinates[0] + width / 2, coordinates[1] + height / 2)
    coordinates[0] -= width / 2
    coordinates[1] -= height / 2
    guard coordinates.indices.allSatisfy({ coordinates[$0].isFinite }) else { return nil }
    (self.coordinates, self.score) = (coordinates, score)
  }

  init(coordinates: SIMD16<Float>, score: Float) { (self.coordinates, self.score) = (coordinates, score) }

  private var area: Float { (coordinates[2] - coordinates[0]) * (coordinates[3] - coordinates[1]) }

  /// The intersection of two boxes divided by their union, 0…1; 0 if both are empty.
  func intersectionOverUnion(_ other: DetectionCandidate) -> Float {
    let width = min(coordinates[2], other.coordinates[2]) - max(coordinates[0], other.coordinates[0])
    let height = min(coordinates[3], other.coordinates[3]) - max(coordinates[1], other.coordinates[1])
    guard width > 0 && height > 0 else { return 0 }
    let shared = width * height
    return shared / (area + other.area - shared)
  }
}
