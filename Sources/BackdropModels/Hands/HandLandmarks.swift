import BackdropImaging

/// Hands, by MediaPipe's hand networks (*MediaPipe Hands*, Zhang et al., 2020): the detector finds palms in the picture at 192×192, the
/// landmark network the joints of a hand.
package enum HandLandmarks: LandmarkKind {
  package static let detector = LandmarkNetwork(
    id: "palm-detection", summary: "MediaPipe palm detection, lite", licence: "Apache-2.0",
    file: "palm_detection_lite.tflite")
  package static let landmarker = LandmarkNetwork(
    id: "hand-landmark", summary: "MediaPipe hand landmarks, lite", licence: "Apache-2.0",
    file: "hand_landmark_lite.tflite")

  package static let design = AnchorDetector.Design(
    file: detector.file, size: 192, strides: [8, 16, 16, 16], valueCount: 18, darkest: 0)

  package static func found(_ detection: DetectionCandidate, by detector: AnchorDetector) -> DetectedPalm {
    DetectedPalm(
      box: detector.box(of: detection), score: Double(detection.score), wrist: detector.point(4, of: detection),
      knuckle: detector.point(8, of: detection))
  }

  package static let size = 224
  /// Joints (across, down and deep of each) in the picture come before those in metres, and presence before which hand it is.
  package static let outputs = [[1, 3 * HandShape.jointCount], [1, 1]]

  package static func square(round palm: DetectedPalm) -> TurnedSquare? { TurnedSquare(palm) }

  package static func shape(_ numbers: [UnsafeBufferPointer<Float>], in square: TurnedSquare) -> HandShape? {
    let presence = Double(numbers[1][0])
    let joints = (0..<HandShape.jointCount).map {
      square.point(Double(numbers[0][3 * $0]) / Double(size), Double(numbers[0][3 * $0 + 1]) / Double(size))
    }
    guard joints.allSatisfy({ abs($0.x) < 1e6 && abs($0.y) < 1e6 }) else { return nil }
    return HandShape(presence: presence > 0 ? min(presence, 1) : 0, joints: joints)
  }
}
