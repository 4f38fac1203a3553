import BackdropImaging

/// A face in a picture, in its pixels: continuous coordinates, origin at the top left corner.
///
/// Parts of it may lie outside the picture.
package struct DetectedFace: Sendable, Equatable {
  /// From about the brows to the chin and from cheek to cheek: a square, within rounding.
  package var box: Rect
  /// The network's confidence, 0…1.
  package var score: Double
}
