/// Finds bodies with MediaPipe's pose networks (*BlazePose*, Bazarevsky et al., 2020).
///
/// The detector sees the picture at 224×224 and recognizes bodies by their heads, from any side, if the heads are about a twentieth of
/// the longer side or more. It is confident of one or two at most. Backdrop uses the landmark network's outline and presence.
package enum BodyLandmarks {
  package static let detector = LandmarkNetwork(
    id: "pose-detection", summary: "MediaPipe pose detection", licence: "Apache-2.0", file: "pose_detection.tflite")
  package static let landmarker = LandmarkNetwork(
    id: "pose-landmark", summary: "MediaPipe pose landmarks and outline, full", licence: "Apache-2.0",
    file: "pose_landmark_full.tflite")

  package static let design = AnchorDetector.Design(
    file: detector.file, size: 224, strides: [8, 16, 32, 32, 32], valueCount: 12)

  /// The width and height of the landmark network's input.
  static let size = 256
  /// The shapes of the landmark network's outputs in use. Of several outputs with one shape, the first is used.
  static let outputs = [[1, 1], [1, size, size, 1]]

  /// The landmark network's result from the values of ``outputs``, in order.
  static func shape(_ numbers: [UnsafeBufferPointer<Float>], in square: TurnedSquare) -> BodyOutline {
    let presence = Double(numbers[0][0])
    // The network returns log odds.
    return BodyOutline(
      presence: presence > 0 ? min(presence, 1) : 0, square: square,
      likelihood: numbers[1].map { 1 / (1 + exponential(-$0)) }, side: size)
  }
}
