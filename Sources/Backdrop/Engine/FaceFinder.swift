/// Adds faces to frames that have none, with an installed network; without one it leaves the frames unchanged.
final class FaceFinder {
  /// The error that prevents the search for faces, known after the first frame.
  private(set) var warnings: [BackdropError] = []
  private var found: [DetectedFace] = []
  private let store: ModelStore
  private let networks: ModelCache

  /// The network; `nil` if it cannot be opened. It opens with the first frame, so that a job without depth never needs it.
  private lazy var detector: FaceDetector? = {
    do throws(BackdropError) { return try networks.faceDetector(store: store) } catch {
      warnings.append(
        BackdropError(error.kind, "Backdrop does not look for faces: \(error.description)", hint: error.hint))
      return nil
    }
  }()

  /// - Parameter networks: the cache that keeps the network for later jobs.
  init(store: ModelStore = ModelStore(), networks: ModelCache = ModelCache()) {
    (self.store, self.networks) = (store, networks)
  }

  /// Looks for faces in the frame's upright picture.
  func find(in scene: inout Scene) throws(BackdropError) {
    guard let detector else { return }
    try detector.detect(in: scene.image, into: &found)
    scene.faces = found.map(\.box).filter { Self.isPlausible($0, in: scene) }
  }

  /// Whether a box of that size can be a real face at its depth; true if the camera is unknown.
  ///
  /// A pattern on a far wall that the network mistakes for a face would move the cutoff behind the wall. Real boxes are 13 to 20 cm wide.
  static func isPlausible(_ box: Rect, in scene: Scene) -> Bool {
    guard let depth = scene.depth, let camera = depth.intrinsics,
      let metres = depth.depth(
        atX: box.center.x, y: box.center.y, inPictureWidth: scene.image.width, height: scene.image.height)
    else { return true }
    let tangent = box.width / Double(scene.image.width) * Double(camera.width) / camera.fx
    return tangent * Double(metres) <= 0.35
  }
}
