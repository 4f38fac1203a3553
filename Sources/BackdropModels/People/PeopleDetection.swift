import BackdropImaging

/// A search for people in one picture, one network run at a time, so that a stream spreads its cost over several pictures.
struct PeopleDetection {
  /// The remaining steps, the next one last.
  private enum Task {
    case faces(PictureSquare?)
    case bodies(PictureSquare?)
    /// In a crowd: search everywhere for faces as small as the found ones.
    case crowd
    case smallFaces(PictureSquare, width: Double)
    /// A face at an expected position, unless it was found.
    case face(near: Rect)
    /// A body under a head, unless it was found, because the network is confident of one body at most.
    case body(under: Rect)
    case gatherFaces
    case gatherBodies
    case outline(DetectedPose)
  }

  struct Networks {
    let faces: FaceDetector
    let poses: LandmarkNetworks
  }

  /// Faces and bodies with less confidence are noise.
  private static let minimumFace = 0.5, minimumBody = 0.4
  /// Squares of a crowd show some objects that look like faces, but seldom with this confidence.
  private static let minimumCrowdFace = 0.75
  /// Widths of a crowd's faces relative to the median, and the width of the search squares in face widths: the network finds faces of a
  /// tenth of its picture.
  private static let crowdWidths = 0.5...2.0, crowdSquare = 6.0
  /// The most squares in a crowd, and their largest side relative to the picture: larger squares would find nobody new.
  private static let maximumCrowdSquares = 96, largestCrowdSquare = 0.5
  /// The fraction of a face's box, or of a body's outline, that must lie in the matte.
  private static let minimumShare = 0.35
  /// The most bodies to examine, and the most faces.
  private static let maximumBodies = 16
  private static let maximumFaces = PeopleChoice.Count.maximum

  private let picture: Image
  private let map: ProbabilityMap
  private let networks: Networks
  private let expected: [Rect]
  private var tasks: [Task] = []
  private var faces: [(box: Rect, score: Double)]
  private var bodies: [DetectedPose] = []
  private var seen: [DetectedPose] = []
  private var people: [PersonEvidence] = []

  var isDone: Bool { tasks.isEmpty }

  /// Starts a search in the picture from ``PortraitSegmenter/reduced(_:)``, in all of it without `squares`. Faces are given in its pixels,
  /// or detected if `nil`; `expected` are heads to search for in close-up views, if they are not found at first. With `seeksCrowd` it looks
  /// for many small faces if some are small.
  init(
    at picture: Image, _ grid: PeopleGrid, squares: [PictureSquare?], given: [Rect]?, expected: [Rect],
    seeksCrowd: Bool, networks: Networks
  ) {
    (self.picture, self.expected, self.networks) = (picture, expected, networks)
    var map = ProbabilityMap(width: grid.width, height: grid.height)
    map.values = grid.opacity
    self.map = map
    faces = (given ?? []).map { ($0, 1) }
    for square in squares {
      if given == nil { tasks.append(.faces(square)) }
      tasks.append(.bodies(square))
    }
    if given == nil { tasks += expected.prefix(Self.maximumBodies).map { .face(near: $0) } }
    if given == nil && seeksCrowd { tasks.append(.crowd) }
    tasks.append(.gatherFaces)
    tasks.reverse()
  }

  /// Continues for a number of network runs, or to the end.
  ///
  /// - Throws: `system` if a network fails to run.
  mutating func advance(runs: Int) throws(BackdropError) {
    var count = 0
    while count < runs, let task = tasks.popLast() {
      if try perform(task) { count += 1 }
    }
  }

  /// The evidence of people in the picture, once no task is left.
  var evidence: [PersonEvidence] {
    // A face on a shirt lies on a body, and is much smaller than the head above it.
    people.filter { person in
      guard person.outline == nil else { return true }
      return !people.contains { other in
        other.head.width > 2.2 * person.head.width
          && other.outline?.shows(SIMD2(person.head.center.x, person.head.center.y)) ?? false
      }
    }
  }

  /// Performs a task; returns whether it ran a network.
  private mutating func perform(_ task: Task) throws(BackdropError) -> Bool {
    switch task {
    case .faces(let square):
      try findFaces(in: square)
    case .bodies(let square):
      bodies += try networks.poses.detector.detect(in: picture, square: square, minimumScore: Self.minimumBody)
    case .crowd:
      let (squares, width) = crowd()
      tasks += squares.map { .smallFaces($0, width: width) }
      return false
    case .smallFaces(let square, let width):
      try findFaces(in: square, width: width)
    case .face(let head):
      guard !faces.contains(where: { Self.areOne($0.box, head) }) else { return false }
      let side = 4 * max(head.width, head.height)
      try findFaces(in: PictureSquare(x: head.center.x - side / 2, y: head.center.y - side / 2, side: side))
    case .body(let head):
      guard bodies.count < 3 * Self.maximumBodies, !bodies.contains(where: { Self.areOne($0.head, head) }) else {
        return false
      }
      // The network needs space for the legs.
      let side = 8 * max(head.width, head.height)
      let square = PictureSquare(x: head.center.x - side / 2, y: head.y - 0.12 * side, side: side)
      let near = try networks.poses.detector.detect(in: picture, square: square, minimumScore: Self.minimumBody)
      bodies += near.filter { Self.areOne($0.head, head) }.prefix(1)
    case .gatherFaces:
      people = Self.distinct(faces).filter { isCovered($0.box) }.prefix(Self.maximumFaces).map {
        PersonEvidence(face: $0.box, head: $0.box, outline: nil, score: $0.score)
      }
      tasks.append(.gatherBodies)
      tasks += (people.map(\.head) + expected).reversed().map { .body(under: $0) }
      return false
    case .gatherBodies:
      tasks += bodies.sorted { $0.score > $1.score }.reversed().map { .outline($0) }
      return false
    case .outline(let pose):
      return try examine(pose)
    }
    return true
  }

  private mutating func findFaces(in square: PictureSquare?) throws(BackdropError) {
    faces += try networks.faces.detect(in: picture, square: square, minimumScore: Self.minimumFace).map {
      ($0.box, $0.score)
    }
  }

  /// Squares for a search for more faces like the found ones: they overlap by half, and show people in the matte. With them comes the width
  /// of such faces. There are no squares if the faces are large.
  private func crowd() -> ([PictureSquare], width: Double) {
    let widths = Self.distinct(faces).filter { isCovered($0.box) }.map(\.box.width).sorted()
    guard !widths.isEmpty else { return ([], 0) }
    let width = widths[widths.count / 2]
    let (across, down) = (Double(picture.width), Double(picture.height))
    let side = max(Self.crowdSquare * width, 2 * (across * down / Double(Self.maximumCrowdSquares)).squareRoot())
    guard side < Self.largestCrowdSquare * max(across, down) else { return ([], width) }
    var squares: [PictureSquare] = []
    for y in stride(from: 0, to: max(down - side / 2, 1), by: side / 2) {
      for x in stride(from: 0, to: max(across - side / 2, 1), by: side / 2) {
        let seen = Rect(
          x: x / across, y: y / down, width: min(side, across - x) / across, height: min(side, down - y) / down)
        // The matte must cover at least a quarter of a face there.
        guard Double(map.mean(over: seen)) * side * side > width * width / 4 else { continue }
        squares.append(PictureSquare(x: x, y: y, side: side))
      }
    }
    return (Array(squares.prefix(Self.maximumCrowdSquares)), width)
  }

  /// Finds the faces in a square of a crowd with about the width of the others.
  private mutating func findFaces(in square: PictureSquare, width: Double) throws(BackdropError) {
    let found = try networks.faces.detect(in: picture, square: square, minimumScore: Self.minimumCrowdFace)
    for face in found where Self.crowdWidths.contains(face.box.width / width) && isCovered(face.box) {
      // In close-up, a nose or an eye of a larger face looks like a face.
      let isPart = faces.contains { other in
        other.box.width > face.box.width && abs(other.box.center.x - face.box.center.x) < other.box.width / 2
          && abs(other.box.center.y - face.box.center.y) < other.box.height / 2
      }
      if !isPart { faces.append((face.box, face.score)) }
    }
  }

  /// Examines a body, which belongs to a face, or to a person with a hidden face.
  private mutating func examine(_ pose: DetectedPose) throws(BackdropError) -> Bool {
    guard seen.count < Self.maximumBodies, !seen.contains(where: { Self.areOne($0.head, pose.head) }) else {
      return false
    }
    guard let outline = try networks.poses.landmarker.shape(of: pose, in: picture) else { return false }
    let share = outline.share(of: map, width: picture.width, height: picture.height)
    guard outline.presence > 0.3 && share > Self.minimumShare else { return true }
    seen.append(pose)
    let score = pose.score * outline.presence
    // The nearest face without a body. If there is none, it is a person from behind or above, without a face.
    let near = people.indices.filter {
      people[$0].outline == nil && Self.distance(people[$0].head, pose.head) < 1
        && outline.shows(SIMD2(people[$0].head.center.x, people[$0].head.center.y))
    }.min { Self.distance(people[$0].head, pose.head) < Self.distance(people[$1].head, pose.head) }
    if let near {
      people[near].outline = outline
      people[near].score = max(people[near].score, score)
    } else if score > 0.5 && isCovered(pose.head)
      && !people.contains(where: { other in
        other.outline?.isSame(as: outline, map, picture) ?? false
          || outline.shows(SIMD2(other.head.center.x, other.head.center.y))
      })
    {
      people.append(PersonEvidence(face: nil, head: pose.head, outline: outline, score: score))
    }
    return true
  }

  /// The distance between the centres of two heads, in widths of the larger.
  static func distance(_ a: Rect, _ b: Rect) -> Double {
    let away = SIMD2(a.center.x - b.center.x, a.center.y - b.center.y)
    return (away * away).sum().squareRoot() / max(a.width, b.width, 1e-6)
  }

  private func isCovered(_ box: Rect) -> Bool {
    map.mean(over: box.relative(to: (picture.width, picture.height))) > Self.minimumShare
  }

  /// Whether two heads belong to one person.
  static func areOne(_ a: Rect, _ b: Rect) -> Bool {
    min(a.width, b.width) > 0.4 * max(a.width, b.width) && distance(a, b) < 0.6
  }

  private static func distinct(_ faces: [(box: Rect, score: Double)]) -> [(box: Rect, score: Double)] {
    var result: [(box: Rect, score: Double)] = []
    for face in faces.sorted(by: { $0.score > $1.score })
    where !result.contains(where: { areOne($0.box, face.box) }) { result.append(face) }
    return result.sorted { $0.box.width * $0.box.height > $1.box.width * $1.box.height }
  }
}

extension BodyOutline {
  /// Whether two outlines mostly coincide, where the matte shows a person.
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
