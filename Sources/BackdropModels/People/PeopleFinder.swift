import BackdropDepth
import BackdropImaging

/// Finds the people in a picture whose matte is known, and tells them apart: by faces, and by bodies that the pose networks see.
///
/// People who do not touch in the matte are parted by it; others by the bodies' outlines and the picture's edges
/// (``PeopleInPicture``). It looks at sixteen bodies at most; in a crowd the others go with those beside them. Loaded networks are kept;
/// for one thread at a time.
public final class PeopleFinder {
  private let shelf: ModelCache
  private let threads: Int
  private let store: ModelStore
  private let faces: FaceDetector

  /// Less sure faces and bodies are noise.
  private static let minimumFace = 0.5, minimumBody = 0.4
  /// The part of a face's box, or of a body's outline, that has to lie in the matte.
  private static let minimumShare = 0.35
  /// Views of a picture, bodies that are looked at closely, and faces.
  private static let maximumViews = 14, maximumBodies = 16
  private static let maximumFaces = PeopleChoice.Count.maximum

  /// Gets the networks ready, or takes those of `shelf` that are loaded already.
  ///
  /// - Parameters:
  ///   - shelf: where networks are that were loaded before.
  ///   - threads: for a run of the pose networks.
  ///   - store: where networks are installed.
  /// - Throws: `unsupported` if the runtime or a model is not installed.
  public static func load(
    networks shelf: ModelCache = ModelCache(), threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> PeopleFinder {
    let faces = try shelf.faceDetector(store: store)
    try PoseWitness.check(store)
    return PeopleFinder(shelf, threads, store, faces)
  }

  private init(_ shelf: ModelCache, _ threads: Int, _ store: ModelStore, _ faces: FaceDetector) {
    (self.shelf, self.threads, self.store, self.faces) = (shelf, threads, store, faces)
  }

  /// Tells the people of a single picture apart.
  ///
  /// - Parameters:
  ///   - image: upright, of any size and format.
  ///   - matte: of all people in the whole picture, at any size.
  ///   - depth: registered to the picture: a step in it is an edge.
  ///   - faces: in pixels of the picture, where they are known; `nil` to look for them.
  /// - Throws: what the networks throw.
  public func find(
    in image: Image, matte: Matte, depth: DepthMap? = nil, faces: [Rect]? = nil
  ) throws(BackdropError) -> PeopleInPicture {
    let tracker = PeopleTracker(self)
    tracker.isThorough = true
    return try tracker.update(image, matte: matte, depth: depth, faces: faces, time: 0)
  }

  /// What speaks for people in a picture.
  ///
  /// - Parameters:
  ///   - picture: as ``PortraitSegmenter/reduced(_:)`` makes it.
  ///   - given: faces in its pixels; `nil` to look for them.
  ///   - expected: heads that are looked for from nearby, where they are not found at first.
  ///   - isThorough: whether it is looked at from several views, or as a whole only.
  func evidence(
    in picture: Image, _ grid: PeopleGrid, given: [Rect]?, expected: [Rect] = [], isThorough: Bool
  ) throws(BackdropError) -> [PersonEvidence] {
    var map = ProbabilityMap(width: grid.width, height: grid.height)
    map.values = grid.opacity
    let squares = isThorough ? views(grid, picture) : [nil]
    let poses = try shelf.poseNetworks(threads: threads, store: store)
    var found: [(box: Rect, score: Double)] = (given ?? []).map { ($0, 1) }
    var bodies: [DetectedPose] = []
    for square in squares {
      if given == nil {
        found += try faces.detect(in: picture, square: square, minimumScore: Self.minimumFace).map {
          ($0.box, $0.score)
        }
      }
      bodies += try poses.detector.detect(in: picture, square: square, minimumScore: Self.minimumBody)
    }
    for head in expected.prefix(Self.maximumBodies) where given == nil {
      guard !found.contains(where: { Self.areOne($0.box, head) }) else { continue }
      let side = 4 * max(head.width, head.height)
      let square = PictureSquare(x: head.center.x - side / 2, y: head.center.y - side / 2, side: side)
      found += try faces.detect(in: picture, square: square, minimumScore: Self.minimumFace).map { ($0.box, $0.score) }
    }
    var people = Self.distinct(found).filter { isCovered($0.box, map, picture) }.prefix(Self.maximumFaces).map {
      PersonEvidence(face: $0.box, head: $0.box, outline: nil, score: $0.score)
    }
    // The network wants room for the legs, and is sure of one body at best: it looks for each face's alone.
    for head in people.map(\.head) + expected where !bodies.contains(where: { Self.areOne($0.head, head) }) {
      guard bodies.count < 3 * Self.maximumBodies else { break }
      let side = 8 * max(head.width, head.height)
      let square = PictureSquare(x: head.center.x - side / 2, y: head.y - 0.12 * side, side: side)
      let near = try poses.detector.detect(in: picture, square: square, minimumScore: Self.minimumBody)
      bodies += near.filter { Self.areOne($0.head, head) }.prefix(1)
    }
    try look(at: bodies, in: picture, map, &people)
    // A face on a shirt is on somebody's body, and much smaller than the head above it.
    return people.filter { person in
      guard person.outline == nil else { return true }
      return !people.contains { other in
        other.head.width > 2.2 * person.head.width
          && other.outline?.shows(SIMD2(person.head.center.x, person.head.center.y)) ?? false
      }
    }
  }

  /// Looks closely at bodies: each belongs to a face, or to somebody whose face is not seen.
  private func look(
    at bodies: [DetectedPose], in picture: Image, _ map: ProbabilityMap, _ people: inout [PersonEvidence]
  ) throws(BackdropError) {
    let poses = try shelf.poseNetworks(threads: threads, store: store)
    var seen: [DetectedPose] = []
    for pose in bodies.sorted(by: { $0.score > $1.score }) {
      guard seen.count < Self.maximumBodies else { return }
      guard !seen.contains(where: { Self.areOne($0.head, pose.head) }) else { continue }
      guard let outline = try poses.landmarker.look(at: pose, in: picture) else { continue }
      let share = outline.share(of: map, width: picture.width, height: picture.height)
      guard outline.presence > 0.3 && share > Self.minimumShare else { continue }
      seen.append(pose)
      let score = pose.score * outline.presence
      // The nearest face without a body; elsewhere somebody's back, or head from above: then it has nobody's face in it.
      let near = people.indices.filter {
        people[$0].outline == nil && Self.distance(people[$0].head, pose.head) < 1
          && outline.shows(SIMD2(people[$0].head.center.x, people[$0].head.center.y))
      }.min { Self.distance(people[$0].head, pose.head) < Self.distance(people[$1].head, pose.head) }
      if let near {
        people[near].outline = outline
        people[near].score = max(people[near].score, score)
      } else if score > 0.5 && isCovered(pose.head, map, picture)
        && !people.contains(where: { other in
          other.outline?.isSame(as: outline, map, picture) ?? false
            || outline.shows(SIMD2(other.head.center.x, other.head.center.y))
        })
      {
        people.append(PersonEvidence(face: nil, head: pose.head, outline: outline, score: score))
      }
    }
  }

  /// Between the middles of two heads, in widths of the larger.
  private static func distance(_ a: Rect, _ b: Rect) -> Double {
    let away = SIMD2(a.center.x - b.center.x, a.center.y - b.center.y)
    return (away * away).sum().squareRoot() / max(a.width, b.width, 1e-6)
  }

  private func isCovered(_ box: Rect, _ map: ProbabilityMap, _ picture: Image) -> Bool {
    let (width, height) = (Double(picture.width), Double(picture.height))
    let part = Rect(
      x: box.x / width, y: box.y / height, width: box.width / width, height: box.height / height)
    return map.mean(over: part) > Self.minimumShare
  }

  /// Whether two heads are one person's.
  static func areOne(_ a: Rect, _ b: Rect) -> Bool {
    min(a.width, b.width) > 0.4 * max(a.width, b.width) && distance(a, b) < 0.6
  }

  private static func distinct(_ faces: [(box: Rect, score: Double)]) -> [(box: Rect, score: Double)] {
    var result: [(box: Rect, score: Double)] = []
    for face in faces.sorted(by: { $0.score > $1.score })
    where !result.contains(where: { areOne($0.box, face.box) }) { result.append(face) }
    return result.sorted { $0.box.width * $0.box.height > $1.box.width * $1.box.height }
  }

  /// The whole picture, and squares round and along the matte's large blobs.
  private func views(_ grid: PeopleGrid, _ picture: Image) -> [PictureSquare?] {
    let blobs = GridBlobs(grid.opacity.map { $0 > 0.5 }, width: grid.width).members.sorted { $0.count > $1.count }
    var squares: [PictureSquare] = []
    for members in blobs.prefix(6) where 20 * members.count >= blobs[0].count {
      var box = (left: Int.max, top: Int.max, right: 0, bottom: 0)
      for square in members {
        let (x, y) = (square % grid.width, square / grid.width)
        box = (min(box.left, x), min(box.top, y), max(box.right, x + 1), max(box.bottom, y + 1))
      }
      let scale = Double(grid.step) * Double(picture.width) / Double(grid.matteWidth)
      let (left, top) = (Double(box.left) * scale, Double(box.top) * scale)
      let (width, height) = (Double(box.right - box.left) * scale, Double(box.bottom - box.top) * scale)
      let side = 1.2 * max(width, height)
      squares.append(PictureSquare(x: left + width / 2 - side / 2, y: top + height / 2 - side / 2, side: side))
      // Along its longer side, squares that overlap by half; at its upper edge, where heads are.
      let short = max(0.6 * side, 1.2 * min(width, height))
      let count = min(6, Int((max(width, height) / (0.5 * short)).rounded(.up)))
      guard short < 0.95 * side && count > 1 else { continue }
      for i in 0..<count {
        let part = (Double(i) + 0.5) / Double(count)
        let (x, y) =
          width > height
          ? (left + part * width - short / 2, top + height / 2 - short / 2)
          : (left + width / 2 - short / 2, top + part * height - short / 2)
        squares.append(PictureSquare(x: x, y: y, side: short))
      }
    }
    return [nil] + squares.prefix(Self.maximumViews).map { $0 }
  }
}

extension BodyOutline {
  /// Whether two outlines are mostly one, where the matte shows somebody.
  fileprivate func isSame(as other: BodyOutline, _ map: ProbabilityMap, _ picture: Image) -> Bool {
    var (both, either) = (0, 0)
    let step = 2
    for y in stride(from: 0, to: map.height, by: step) {
      for x in stride(from: 0, to: map.width, by: step) where map.values[y * map.width + x] > 0.5 {
        let point = SIMD2(
          (Double(x) + 0.5) / Double(map.width) * Double(picture.width),
          (Double(y) + 0.5) / Double(map.height) * Double(picture.height))
        let (a, b) = (shows(point), other.shows(point))
        if a && b { both += 1 }
        if a || b { either += 1 }
      }
    }
    return either > 0 && Double(both) > 0.6 * Double(either)
  }
}
