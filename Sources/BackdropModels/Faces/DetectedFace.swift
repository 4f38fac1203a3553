import BackdropImaging

/// A face in a picture, in its pixels: continuous coordinates, origin at the top left corner.
///
/// Parts of it may lie outside the picture.
package struct DetectedFace: Sendable, Equatable {
  /// From about the brows to the chin and from cheek to cheek: a square, within rounding.
  package var box: Rect
  /// The network's confidence, 0…1.
  package var score: Double
  package var landmarks: FaceLandmarks

  package init(box: Rect, score: Double, landmarks: FaceLandmarks) {
    self.box = box
    self.score = score
    self.landmarks = landmarks
  }
}

/// Six points of a face in pixels of the picture; left and right are the person's own.
package struct FaceLandmarks: Sendable, Equatable {
  /// The middle of each eye.
  package var rightEye, leftEye: SIMD2<Double>
  /// The tip of the nose, and the middle of the mouth.
  package var noseTip, mouth: SIMD2<Double>
  /// The tragion of each ear: the notch above the flap in front of the ear canal.
  package var rightEar, leftEar: SIMD2<Double>

  package init(
    rightEye: SIMD2<Double>, leftEye: SIMD2<Double>, noseTip: SIMD2<Double>, mouth: SIMD2<Double>,
    rightEar: SIMD2<Double>, leftEar: SIMD2<Double>
  ) {
    self.rightEye = rightEye
    self.leftEye = leftEye
    self.noseTip = noseTip
    self.mouth = mouth
    self.rightEar = rightEar
    self.leftEar = leftEar
  }
}
