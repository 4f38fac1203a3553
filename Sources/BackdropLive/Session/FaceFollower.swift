import Backdrop

/// Crops a stream's frames to the part that ``AutoFraming`` chooses. It detects faces periodically, with its own network.
final class FaceFollower {
  /// The seconds between two detections.
  private static let period = 0.25

  private var framing = AutoFraming()
  private let detector: FaceDetector
  private var found: [DetectedFace] = []
  private var nextDetection = -Double.infinity

  init() throws(BackdropError) { detector = try ModelCache().faceDetector() }

  /// Crops a frame to the visible part, scaled to the frame's size.
  func follow(_ scene: Scene) throws(BackdropError) -> Scene {
    let (width, height) = (scene.image.width, scene.image.height)
    if scene.time >= nextDetection {
      nextDetection = scene.time + Self.period
      try detector.detect(in: scene.image, into: &found)
      framing.see(found.map(\.box), width: width, height: height, at: scene.time)
    }
    framing.move(to: scene.time)
    guard !framing.showsAll else { return scene }
    return try scene.taking(framing.region(width: width, height: height), width: width, height: height)
  }
}
