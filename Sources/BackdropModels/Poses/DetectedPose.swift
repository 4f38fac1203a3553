import BackdropImaging

/// A body in a picture, from the pose detector: position, size and rotation, in pixels of the picture, origin at the top left corner. Parts
/// of it may lie outside.
package struct DetectedPose: Sendable, Equatable {
  /// The face, or its estimated position: a square, within rounding.
  package var head: Rect
  /// The network's confidence, 0…1.
  package var score: Double
  /// The middle between the hips, and a point straight above it on the smallest circle round the whole body.
  package var hips, crown: SIMD2<Double>
}
