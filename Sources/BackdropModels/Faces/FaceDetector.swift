import BackdropImaging

/// Finds faces by MediaPipe's short-range network (*BlazeFace*, Bazarevsky et al., 2019), with the same results as MediaPipe's own runtime,
/// within rounding.
///
/// The network sees the whole picture at 128×128. It finds faces of about a tenth of the longer side or more, as in front of a webcam or a
/// depth camera. It keeps its memory between pictures. Use it from one thread at a time.
///
///     let detector = try FaceDetector()
///     let largest = try detector.detect(in: image).first?.box
package final class FaceDetector {
  package static let id = "face-short-range"
  package static let summary = "MediaPipe face detection, short range", licence = "Apache-2.0"
  package static let file = "face_detection_short_range.tflite"
  /// Faces with a lower score are dropped; 0…1. The default is 0.5, as in MediaPipe.
  package var minimumScore = 0.5

  private let detector: AnchorDetector

  /// Opens the network's file; the network is too small to gain from more than one thread.
  ///
  /// - Throws: `unsupported` without a runtime or the file; `badData` for a file with other contents.
  package init(threads: Int = 1, store: ModelStore = ModelStore()) throws(BackdropError) {
    let design = AnchorDetector.Design(file: Self.file, size: 128, strides: Self.strides, valueCount: 16)
    detector = try AnchorDetector(design, threads: threads, store: store)
  }

  static let strides = [8, 16, 16, 16]

  /// The faces in an upright picture of any format, largest first.
  ///
  /// - Throws: `system` if the network fails to run.
  package func detect(in image: Image) throws(BackdropError) -> [DetectedFace] {
    var faces: [DetectedFace] = []
    try detect(in: image, into: &faces)
    return faces
  }

  /// Finds the faces as ``detect(in:)`` does, and reuses the array's memory, for streams.
  ///
  /// - Throws: as ``detect(in:)``.
  package func detect(in image: Image, into faces: inout [DetectedFace]) throws(BackdropError) {
    faces.removeAll(keepingCapacity: true)
    try detector.run(image, minimumScore: minimumScore)
    for found in detector.detections {
      let face = face(found)
      let area = face.box.width * face.box.height
      faces.insert(face, at: faces.firstIndex { $0.box.width * $0.box.height < area } ?? faces.count)
    }
  }

  /// The faces in a square of a nonempty upright picture, the most confident first.
  func detect(in image: Image, square: PictureSquare?, minimumScore: Double) throws(BackdropError) -> [DetectedFace] {
    try detector.run(image, square: square, minimumScore: minimumScore)
    return detector.detections.map(face)
  }

  private func face(_ found: DetectionCandidate) -> DetectedFace {
    DetectedFace(box: detector.box(of: found), score: Double(found.score))
  }
}
