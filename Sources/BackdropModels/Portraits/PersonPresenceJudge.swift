import BackdropDepth
import BackdropImaging

/// Decides whether the person in a matte is real. It runs the face network, then the pose networks, and stops as soon as one confirms a
/// person.
///
///     let result = try portraits.segment(image)
///     let judge = try PersonPresenceJudge()
///     switch try judge.judge(image, matte: result.matte, agreement: result.agreement).verdict {
///     case .person: …
///     case .nobody(let reason): …
///     }
///
/// Use it from one thread at a time. The pose networks are loaded when first needed.
package final class PersonPresenceJudge {
  private let cache: ModelCache
  private let threads: Int
  private let store: ModelStore
  private let faces: FaceDetector

  /// The longer side of the map to which a matte is reduced.
  private static let side = 256
  /// Blobs smaller than this fraction of the largest do not influence the close-up.
  private static let smallestBlob = 0.1
  /// The margin around the people on each side, as a fraction of their width and height.
  private static let air = 0.1
  /// Faces and bodies with less confidence are noise.
  private static let minimumFace = 0.1, minimumBody = 0.3

  /// The side of the square for a second search for bodies, in sides of the people's frame: most pictures end at the waist, and the network
  /// needs space for the legs.
  private static let margin = 1.5
  /// The most bodies to examine, in the picture and in the square.
  private static let maximumBodies = 4

  /// Loads the networks, or takes loaded ones from `cache`.
  ///
  /// - Parameter threads: the threads of a run of the pose networks; the face network is too small to gain from more than one.
  /// - Throws: `unsupported` if the runtime or a model is not installed.
  package init(
    networks cache: ModelCache = ModelCache(), threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) {
    (self.cache, self.threads, self.store) = (cache, threads, store)
    faces = try cache.faceDetector(store: store)
    try LandmarkNetworks.check(store)
  }

  /// Whether the area kept by a matte contains a person.
  ///
  /// - Parameters:
  ///   - image: upright, of any size and format.
  ///   - matte: the matte of the whole picture, at any size.
  ///   - agreement: the agreement of its networks, 0…1; 1 if unknown.
  ///   - quality: `.best` runs all networks: one run of the face network if it finds a face at once, at most two of it and ten of the pose
  ///     networks. `.live` is for frames of a stream, whose next ones are judged too: one run of the face network, so that a back counts as
  ///     nobody.
  ///   - enough: the probability that ends the search; above 1 all networks run, even if they could not change the verdict.
  /// - Throws: errors of the networks.
  package func judge(
    _ image: Image, matte: Matte, agreement: Double = 1, quality: PersonMatteMaker.Quality = .best,
    enough: Double = PersonPresence.enough
  ) throws(BackdropError) -> PersonPresence {
    var presence = PersonPresence(coverage: matte.coverage, agreement: agreement)
    let map = ProbabilityMap(meansOf: matte, side: Self.side)
    guard let blobs = map.frame(smallestBlob: Self.smallestBlob) else {
      // No sample is more likely a person than not.
      presence.coverage = 0
      return presence
    }
    let picture = quality != .best ? image : try PortraitSegmenter.reduced(image)
    try seeFaces(in: picture, square: nil, map, &presence)
    func isDone() -> Bool { presence.probability >= enough }
    guard quality == .best && !isDone() else { return presence }

    let frame = blobs.grown(by: Self.air)
    let (width, height) = (frame.width * Double(picture.width), frame.height * Double(picture.height))
    let longer = max(width, height, 1)
    let (left, top) = (frame.x * Double(picture.width), frame.y * Double(picture.height))
    func square(_ side: Double, top: Double) -> PictureSquare {
      PictureSquare(x: left + width / 2 - side / 2, y: top, side: side)
    }
    try seeFaces(in: picture, square: square(longer, top: top + height / 2 - longer / 2), map, &presence)
    guard !isDone() else { return presence }
    try seeBodies(in: picture, square: nil, map, &presence, enough)
    guard !isDone() else { return presence }
    try seeBodies(in: picture, square: square(Self.margin * longer, top: top), map, &presence, enough)
    return presence
  }

  private func seeFaces(
    in image: Image, square: PictureSquare?, _ map: ProbabilityMap, _ presence: inout PersonPresence
  ) throws(BackdropError) {
    for face in try faces.detect(in: image, square: square, minimumScore: Self.minimumFace) {
      let box = face.box.relative(to: (image.width, image.height))
      presence.face = max(presence.face, face.score * map.mean(over: box))
    }
  }

  private func seeBodies(
    in image: Image, square: PictureSquare?, _ map: ProbabilityMap, _ presence: inout PersonPresence, _ enough: Double
  ) throws(BackdropError) {
    let poses = try cache.bodyNetworks(threads: threads, store: store)
    let found = try poses.detector.detect(in: image, square: square, minimumScore: Self.minimumBody)
    for pose in found.prefix(Self.maximumBodies) {
      // A lower confidence cannot change the verdict: the other factors are at most 1.
      guard pose.score >= presence.missingBody(for: enough) else { return }
      guard let outline = try poses.landmarker.shape(of: pose, in: image) else { continue }
      let share = outline.share(of: map, width: image.width, height: image.height)
      presence.body = max(presence.body, pose.score * outline.presence * share)
      if presence.probability >= enough { return }
    }
  }
}
