import BackdropImaging

/// A palm in a picture; in pixels of the picture, origin at the top left corner. Parts of it may lie outside.
package struct DetectedPalm: Sendable, Equatable {
  /// The box round the palm, without the fingers.
  var box: Rect
  /// How sure the network is, 0…1.
  var score: Double
  /// Where the hand begins, and the knuckle of the middle finger.
  var wrist, knuckle: SIMD2<Double>
}
