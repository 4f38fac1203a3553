import Backdrop
import BackdropDepth
import BackdropImaging
import BackdropModels

/// Cuts what ``AutoFraming`` chose out of the frames of a stream: looks for the face now and then, by a network of its own.
final class FaceFollower {
  /// Seconds between two looks.
  private static let period = 0.25

  private var framing = AutoFraming()
  private var detector: FaceDetector?
  private var found: [DetectedFace] = []
  private var nextLook = -Double.infinity

  /// - Throws: why no face can be looked for.
  init() throws(BackdropError) { detector = try ModelCache().faceDetector() }

  /// The part of a frame to show, at its size.
  ///
  /// - Throws: errors of scaling; `system` where the network does not run.
  func follow(_ scene: Scene) throws(BackdropError) -> Scene {
    let (width, height) = (scene.image.width, scene.image.height)
    if scene.time >= nextLook {
      nextLook = scene.time + Self.period
      try detector?.detect(in: scene.image, into: &found)
      framing.see(found.map(\.box), width: width, height: height, at: scene.time)
    }
    framing.move(to: scene.time)
    guard !framing.showsAll else { return scene }
    return try scene.taking(framing.region(width: width, height: height), width: width, height: height)
  }
}
