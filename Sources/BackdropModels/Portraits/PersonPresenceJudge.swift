import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Decides whether there is somebody in a picture of which a matte says where: asks the face network, then the pose networks,
/// and ends as soon as there is somebody.
///
///     let result = try portraits.segment(image)
///     let judge = try PersonPresenceJudge.load()
///     switch try judge.judge(image, matte: result.matte, agreement: result.agreement).verdict {
///     case .person: …
///     case .nobody(let reason): …
///     }
///
/// One thread at a time. The pose networks are loaded when a picture first asks for them.
public final class PersonPresenceJudge {
  private let cache: ModelCache
  private let threads: Int
  private let store: ModelStore
  private let faces: FaceDetector

  /// Longer side of the map that a matte is reduced to.
  private static let side = 256
  /// Blobs smaller than this part of the largest do not decide where to look closely.
  private static let smallestBlob = 0.1
  /// The margin around the people on each side, as a part of their width and height.
  private static let air = 0.1
  /// Less sure faces and bodies are noise.
  private static let minimumFace = 0.1, minimumBody = 0.3

  /// How much longer than the people the square is in which bodies are looked for once more: most pictures end at the waist, and the
  /// network wants room for the legs.
  private static let margin = 1.5
  /// Bodies that are looked at closely, in the picture and in the square.
  private static let maximumBodies = 4

  /// Gets the networks ready, or takes those of `cache` that are loaded already.
  ///
  /// - Parameters:
  ///   - cache: where networks are that were loaded before.
  ///   - threads: for a run of the pose networks; the face network is too small to gain from more than one.
  ///   - store: where networks are installed.
  /// - Throws: `unsupported` if the runtime or a model is not installed.
  public static func load(
    networks cache: ModelCache = ModelCache(), threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> PersonPresenceJudge {
    let faces = try cache.faceDetector(store: store)
    try LandmarkNetworks<BodyLandmarks>.check(store)
    return PersonPresenceJudge(cache, threads, store, faces)
  }

  /// Begins to get ready what it asks first, where it will be asked.
  package static func expect(networks cache: ModelCache) { cache.expectFaces() }

  private init(_ cache: ModelCache, _ threads: Int, _ store: ModelStore, _ faces: FaceDetector) {
    self.cache = cache
    self.threads = threads
    self.store = store
    self.faces = faces
  }

  /// Whether there is somebody in what a matte keeps.
  ///
  /// - Parameters:
  ///   - image: upright, of any size and format.
  ///   - matte: of the whole picture, at any size.
  ///   - agreement: of the networks that made it, 0…1; 1 where it is not known.
  ///   - quality: `.best` asks everybody: the cost is a run of the face network where a face is seen at once, at most two of it
  ///     and ten of the pose networks. `.live` is for frames of a stream, whose next ones are asked too: one run of the face
  ///     network, so that a back is nobody.
  /// - Throws: errors of the networks.
  public func judge(
    _ image: Image, matte: Matte, agreement: Double = 1, quality: PersonMatteMaker.Quality = .best
  ) throws(BackdropError) -> PersonPresence {
    try judge(image, matte: matte, agreement: agreement, quality: quality, enough: PersonPresence.enough)
  }

  /// The same, for other bounds than the usual.
  ///
  /// - Parameter enough: nobody else is asked where it is as likely as that that there is somebody; above 1 all are, even where none
  ///   could make a difference.
  func judge(
    _ image: Image, matte: Matte, agreement: Double, quality: PersonMatteMaker.Quality = .best, enough: Double
  ) throws(BackdropError) -> PersonPresence {
    var presence = PersonPresence(coverage: matte.coverage, agreement: agreement)
    let map = ProbabilityMap(meansOf: matte, side: Self.side)
    guard image.width > 0 && image.height > 0, let blobs = map.frame(smallestBlob: Self.smallestBlob) else {
      // Nothing is more likely a person than not.
      presence.coverage = 0
      return presence
    }
    let picture = quality != .best ? image : try PortraitSegmenter.reduced(image)
    try seeFaces(in: picture, square: nil, map, &presence)
    func isDone() -> Bool { presence.probability >= enough }
    guard quality == .best && !isDone() else { return presence }

    let frame = blobs.grown(by: Self.air)
    let (width, height) = (frame.width * Double(picture.width), frame.height * Double(picture.height))
    let side = max(width, height, 1)
    let (left, top) = (frame.x * Double(picture.width), frame.y * Double(picture.height))
    try seeFaces(
      in: picture,
      square: PictureSquare(x: left + width / 2 - side / 2, y: top + height / 2 - side / 2, side: side), map, &presence)
    guard !isDone() else { return presence }
    let poses = try cache.networks(finding: BodyLandmarks.self, threads: threads, store: store)
    try seeBodies(poses, in: picture, square: nil, map, &presence, enough)
    guard !isDone() else { return presence }
    try seeBodies(
      poses, in: picture, square: Self.square(for: frame, in: picture), map, &presence, enough)
    return presence
  }

  /// The square in which bodies are looked for once more.
  ///
  /// - Parameter frame: of the people, as parts of the picture's width and height.
  private static func square(for frame: Rect, in image: Image) -> PictureSquare {
    let (width, height) = (frame.width * Double(image.width), frame.height * Double(image.height))
    let side = margin * max(width, height, 1)
    return PictureSquare(
      x: frame.x * Double(image.width) + width / 2 - side / 2, y: frame.y * Double(image.height), side: side)
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
    _ poses: LandmarkNetworks<BodyLandmarks>, in image: Image, square: PictureSquare?,
    _ map: ProbabilityMap, _ presence: inout PersonPresence, _ enough: Double
  ) throws(BackdropError) {
    let found = try poses.detector.detect(in: image, square: square, minimumScore: Self.minimumBody)
    for pose in found.prefix(Self.maximumBodies) {
      // Whoever is less sure could not make a difference: the other factors are 1 at most.
      guard pose.score >= presence.missingBody(for: enough) else { return }
      guard let outline = try poses.landmarker.look(at: pose, in: image) else { continue }
      let share = outline.share(of: map, width: image.width, height: image.height)
      presence.body = max(presence.body, pose.score * outline.presence * share)
      if presence.probability >= enough { return }
    }
  }
}
