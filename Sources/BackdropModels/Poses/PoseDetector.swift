import BackdropDepth
import BackdropImaging

/// Finds bodies by MediaPipe's pose detection network (*BlazePose*, Bazarevsky et al., 2020), with the same results as
/// MediaPipe's own runtime, within rounding.
///
/// The network sees the picture at 224×224 and knows bodies by their heads, seen from any side: about a twentieth of the
/// longer side or more. It is sure of one or two at best; for one thread at a time.
package final class PoseDetector {
  /// The name it is listed by.
  package static let id = "pose-detection"
  /// What it is, in one line, and the licence of its model file.
  package static let summary = "MediaPipe pose detection", licence = "Apache-2.0"
  /// Name of the model file.
  package static let file = "pose_detection.tflite"
  /// Strides of the network's layers.
  static let strides = [8, 16, 32, 32, 32]

  private let detector: AnchorDetector

  /// Opens the network's file.
  ///
  /// - Parameters:
  ///   - path: the model file; `nil` looks for ``file`` in `store`.
  ///   - threads: that a run uses.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file holds something else.
  package static func load(
    path: String? = nil, threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> PoseDetector {
    let design = AnchorDetector.Design(file: file, size: 224, strides: strides, valueCount: 12)
    return PoseDetector(try AnchorDetector.load(design, path: path, threads: threads, store: store))
  }

  private init(_ detector: AnchorDetector) { self.detector = detector }

  /// The bodies in an upright picture of any format, the surest first.
  ///
  /// - Parameter minimumScore: less sure ones are left out; 0…1, in MediaPipe 0.5.
  /// - Throws: `system` if the network does not run.
  package func detect(in image: Image, minimumScore: Double = 0.5) throws(BackdropError) -> [DetectedPose] {
    guard image.width > 0 && image.height > 0 else { return [] }
    return try detect(in: image, square: nil, minimumScore: minimumScore)
  }

  /// The bodies in a square of an upright picture that has pixels.
  func detect(
    in image: Image, square: PictureSquare?, minimumScore: Double
  ) throws(BackdropError) -> [DetectedPose] {
    try detector.run(image, square: square, minimumScore: minimumScore)
    return detector.detections.map { found in
      let (corner, opposite) = (detector.point(0, of: found), detector.point(2, of: found))
      return DetectedPose(
        head: Rect(x: corner.x, y: corner.y, width: opposite.x - corner.x, height: opposite.y - corner.y),
        score: Double(found.score), hips: detector.point(4, of: found), crown: detector.point(6, of: found))
    }
  }
}
