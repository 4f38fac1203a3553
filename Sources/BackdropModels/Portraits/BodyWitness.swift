import BackdropDepth
import BackdropImaging

/// Somebody who knows bodies when it sees them, and where they end.
protocol BodyWitness {
  /// What it is called by.
  var names: [String] { get }
  /// The bodies that it is sure of in an upright picture.
  ///
  /// - Parameters:
  ///   - image: `rgba8`, `bgra8` or `rgb8`, not empty.
  ///   - frame: where people are said to be, as parts of the width and height; `nil` if nobody knows.
  func outlines(in image: Image, near frame: Rect?) throws(BackdropError) -> [BodyOutline]
}

/// MediaPipe's pose networks as a witness: they were trained on bodies, not on mattes, and so do not share the errors of the
/// person networks. One thread at a time.
final class PoseWitness: BodyWitness {
  let names = LandmarkNetworks<BodyLandmarks>.ids
  private let shelf: ModelCache
  private let threads: Int
  private let store: ModelStore

  /// How much longer than the people the square is in which they are looked for once more: most pictures end at the waist, and
  /// the network wants room for the legs.
  private static let room = 1.5
  /// A body counts from there on: how sure the detector is, times how sure the outline's network is.
  private static let enough = 0.5
  /// Bodies that are looked at closely, in the picture and in the square.
  static let maximumBodies = 4

  /// The networks of a shelf, which begins to load them; `nil` where they are not installed.
  init?(networks shelf: ModelCache, threads: Int, store: ModelStore = ModelStore()) {
    guard LandmarkNetworks<BodyLandmarks>.areInstalled(in: store) else { return nil }
    (self.shelf, self.threads, self.store) = (shelf, threads, store)
    shelf.expect(BodyLandmarks.self, threads: threads, store: store)
  }

  /// Refuses a store without the networks, which are loaded when a picture first asks for them.
  ///
  /// - Throws: `unsupported`.
  static func check(_ store: ModelStore) throws(BackdropError) {
    for network in [BodyLandmarks.detector, BodyLandmarks.landmarker] { _ = try store.installed(network.file) }
  }

  /// The square in which bodies are looked for once more.
  ///
  /// - Parameter frame: where people are said to be, as parts of the width and height.
  static func square(for frame: Rect, in image: Image) -> PictureSquare {
    let (width, height) = (frame.width * Double(image.width), frame.height * Double(image.height))
    let side = room * max(width, height, 1)
    return PictureSquare(
      x: frame.x * Double(image.width) + width / 2 - side / 2, y: frame.y * Double(image.height), side: side)
  }

  func outlines(in image: Image, near frame: Rect?) throws(BackdropError) -> [BodyOutline] {
    let poses = try shelf.networks(finding: BodyLandmarks.self, threads: threads, store: store)
    var result: [BodyOutline] = []
    for square in [nil] + (frame.map { [Self.square(for: $0, in: image)] } ?? []) {
      let found = try poses.detector.detect(in: image, square: square, minimumScore: Self.enough)
      for pose in found.prefix(Self.maximumBodies) {
        guard let outline = try poses.landmarker.look(at: pose, in: image) else { continue }
        if pose.score * outline.presence >= Self.enough { result.append(outline) }
      }
    }
    return result
  }
}
