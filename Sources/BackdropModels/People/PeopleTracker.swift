import BackdropDepth
import BackdropImaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells the people of a stream apart, and knows each from picture to picture: by place and movement, shape, and colours.
///
/// Somebody who is hidden for a moment keeps the number; somebody who was lost gets it back only if the colours are right.
final class PeopleTracker {
  /// So long somebody of whom nothing is seen counts as there, in seconds.
  static let gracePeriod = 0.6
  /// So long somebody may be hidden before others and be known again by the movement.
  private static let memory = 1.2
  /// Somebody who is lost is the same as a newcomer whose colours are so much alike.
  private static let sameColors: Float = 0.72
  /// People who are lost and may come back.
  private static let maximumLost = 16
  /// Pictures in which somebody has to be seen, if not surely, to be somebody.
  private static let minimumSightings = 3
  /// Every so many pictures of a stream are looked at closely.
  private static let closeLook = 12
  /// While everybody was recognised and nobody touches anybody, every so many pictures are looked at at all.
  private static let calmLook = 3

  /// Whether each picture is looked at closely, as single ones are.
  var isThorough = false
  private let finder: PeopleFinder?
  private var tracks: [Track] = []
  private var lost: [Track] = []
  private var doubtful: [(head: Rect, sightings: Int)] = []
  private var count = 0
  private var nextID = 1
  private var lastTime = -Double.infinity
  private var gridSize = (width: 0, height: 0)
  /// Whether everybody was recognised when it was last looked, and nobody has touched anybody since.
  private var isCalm = false

  struct Track {
    let id: Int
    /// What was seen last; its places move on with the person.
    var head: Rect
    var face: Rect?
    var score: Double
    /// In pixels of the picture that is looked at, a second.
    var velocity = SIMD2<Double>.zero
    /// The person's squares in the last picture, 0 or 1.
    var squares: [Float] = []
    var colors: ColorHistogram?
    var lastSeen: Double
  }

  init(_ finder: PeopleFinder?) { self.finder = finder }

  /// Another scene begins: those who were there are lost.
  func cut() {
    lose { _ in true }
    doubtful = []
  }

  /// Whether somebody was seen a moment ago.
  func isSeen(_ id: Int, at time: Double) -> Bool {
    tracks.contains { $0.id == id && time - $0.lastSeen <= Self.gracePeriod }
  }

  /// When somebody was last seen; `nil` for one who was never there, or is forgotten.
  func lastSeen(_ id: Int) -> Double? { (tracks + lost).first { $0.id == id }?.lastSeen }

  /// Tells the people of the next picture apart; see ``PeopleFinder/find(in:matte:depth:faces:)``.
  func update(
    _ image: Image, matte: Matte, depth: DepthMap?, faces: [Rect]?, time: Double
  ) throws(BackdropError) -> PeopleInPicture {
    guard matte.width > 0 && matte.height > 0 && image.width > 0 && image.height > 0 else {
      return PeopleInPicture([], width: image.width, height: image.height, matte: matte, edges: nil, owner: [])
    }
    let guide = try GuidePicture(image, width: matte.width, height: matte.height)
    let grid = PeopleGrid(matte, guide, depth: depth)
    let picture = try PortraitSegmenter.reduced(image)
    let scale = Double(picture.width) / Double(image.width)
    let given = faces?.map {
      Rect(x: $0.x * scale, y: $0.y * scale, width: $0.width * scale, height: $0.height * scale)
    }
    let isClose = isThorough || count % Self.closeLook == 0
    count += 1
    // Nobody has to be looked for where the matte shows nobody.
    let isEmpty = !grid.opacity.contains { $0 > 0.5 }
    let elapsed = time > lastTime ? min(time - lastTime, 1) : 0
    let expected = tracks.filter { $0.score > 0 }.map { $0.head(after: elapsed) }
    let isResting = isCalm && !isClose && (count - 1) % Self.calmLook != 0
    var evidence =
      isEmpty || isResting
      ? []
      : try finder?.evidence(in: picture, grid, given: given, expected: expected, isThorough: isClose) ?? []
    for index in evidence.indices { evidence[index].lay(on: grid, width: picture.width, height: picture.height) }
    let owner = follow(evidence, grid, (picture.width, picture.height), time, isResting: isResting)
    return describe(owner, grid, guide, matte, scale: 1 / scale, width: image.width, height: image.height, time: time)
  }

  // MARK: - From picture to picture

  /// Finds out who is who, and whose each square is, by the tracks' numbers.
  ///
  /// - Parameter isResting: whether nobody was looked for in this picture.
  func follow(
    _ evidence: [PersonEvidence], _ grid: PeopleGrid, _ size: (width: Int, height: Int), _ time: Double,
    isResting: Bool = false
  ) -> [Int32] {
    if gridSize != (grid.width, grid.height) {
      // Of pictures of another shape nothing is known.
      if gridSize != (0, 0) { cut() }
      gridSize = (grid.width, grid.height)
    }
    let elapsed = time > lastTime ? min(time - lastTime, 1) : 0
    let isFirst = lastTime == -.infinity
    lastTime = time
    let perSquare = Double(grid.step) / Double(grid.matteWidth) * Double(size.width)
    let splitter = PeopleSplitter(grid: grid, pictureWidth: size.width, pictureHeight: size.height)
    let expected = tracks.map { $0.expected(grid, after: elapsed, perSquare: perSquare) }
    let colors = evidence.map { one in splitter.colors(of: one, among: evidence) }
    var match = matches(evidence, colors, expected, splitter, elapsed: elapsed, time: time)
    for (index, one) in evidence.enumerated() where match[index] == nil {
      if let back = revive(colors[index]) {
        match[index] = tracks.count
        tracks.append(back)
      } else if isFirst || isNew(one, expected, splitter) && (one.score >= 0.75 || isConfirmed(one)) {
        match[index] = tracks.count
        tracks.append(
          Track(id: nextID, head: one.head, face: one.face, score: one.score, lastSeen: time))
        nextID += 1
      }
    }
    let candidates = tracks.indices.map { index in
      var person = PeopleSplitter.Candidate(
        evidence: match.firstIndex { $0 == index }.map { evidence[$0] },
        expected: index < expected.count ? expected[index] : [], colors: tracks[index].colors)
      if person.evidence == nil && tracks[index].score > 0 {
        var guess = PersonEvidence(face: nil, head: tracks[index].head(after: elapsed), outline: nil, score: 0)
        guess.lay(on: grid, width: size.width, height: size.height)
        person.guess = guess
      }
      return person
    }
    let labels = splitter.split(candidates)
    learn(
      labels, candidates, expected, splitter, elapsed: elapsed, time: time, perSquare: perSquare, isResting: isResting)
    let areKnown = isResting ? isCalm : candidates.allSatisfy { $0.evidence != nil }
    isCalm = areKnown && labels.sharing.isEmpty && labels.strangers.isEmpty && tracks.allSatisfy { $0.lastSeen == time }
    let known = tracks.count
    for label in known..<known + labels.strangers.count {
      let squares = labels.owner.map { $0 == Int16(label) ? Float(1) : 0 }
      var stranger = Track(id: nextID, head: grid.top(of: squares, size), face: nil, score: 0, lastSeen: time)
      stranger.squares = squares
      stranger.colors = splitter.colors(of: squares)
      nextID += 1
      tracks.append(stranger)
    }
    let ids = tracks.map { Int32($0.id) }
    let owner = labels.owner.map { $0 < 0 ? -1 : ids[Int($0)] }
    lose { time - $0.lastSeen > Self.memory }
    return owner
  }

  private func lose(_ isLost: (Track) -> Bool) {
    // A blob in which nobody was seen is not known again.
    lost = (lost + tracks.filter { isLost($0) && $0.score > 0 }).suffix(Self.maximumLost)
    tracks.removeAll(where: isLost)
  }

  /// The track of each piece of evidence; `nil` for somebody new.
  private func matches(
    _ evidence: [PersonEvidence], _ colors: [ColorHistogram], _ expected: [[Float]], _ splitter: PeopleSplitter,
    elapsed: Double, time: Double
  ) -> [Int?] {
    let impossible = 1e6
    var costs = [[Double]](repeating: [Double](repeating: impossible, count: tracks.count), count: evidence.count)
    for (i, one) in evidence.enumerated() {
      for (j, track) in tracks.enumerated() {
        let head = SIMD2(track.head.center.x, track.head.center.y) + track.velocity * elapsed
        let away = SIMD2(one.head.center.x, one.head.center.y) - head
        let width = max(one.head.width, track.head.width, 1)
        let distance = (away * away).sum().squareRoot() / width
        let overlap = splitter.overlap(one, expected[j])
        // A blob in which nobody was seen has no head that is known.
        let isStranger = track.score == 0
        let reach = isStranger ? 100 : 1.2 + 4 * (time - track.lastSeen)
        guard distance < reach, !isStranger || overlap > 0.4 else { continue }
        let size = isStranger ? 0.5 : abs(log(max(one.head.width, 1) / max(track.head.width, 1)))
        let likeness = track.colors.map { Double($0.likeness(colors[i])) } ?? 0.5
        let cost = (isStranger ? 0.5 : 0.6 * distance) + 0.5 * size + 1.6 * (1 - likeness) + 0.5 * (1 - overlap)
        if cost < 2.2 { costs[i][j] = cost }
      }
    }
    var match = [Int?](repeating: nil, count: evidence.count)
    var pairs: [(Int, Int)] = []
    for i in evidence.indices {
      for j in tracks.indices where costs[i][j] < impossible { pairs.append((i, j)) }
    }
    pairs.sort { (a: (Int, Int), b: (Int, Int)) in costs[a.0][a.1] < costs[b.0][b.1] }
    for (i, j) in pairs where match[i] == nil && !match.contains(j) { match[i] = j }
    // Two who were taken for each other cost less the other way round.
    for _ in 0..<evidence.count {
      var hasChanged = false
      for a in evidence.indices {
        for b in evidence.indices where b > a {
          guard let first = match[a], let second = match[b] else { continue }
          if costs[a][second] + costs[b][first] < costs[a][first] + costs[b][second] - 1e-9 {
            (match[a], match[b]) = (second, first)
            hasChanged = true
          }
        }
      }
      if !hasChanged { break }
    }
    return match
  }

  /// Somebody who was lost and looks like that.
  private func revive(_ colors: ColorHistogram) -> Track? {
    let likeness = lost.map { $0.colors?.likeness(colors) ?? 0 }
    guard let best = likeness.indices.max(by: { likeness[$0] < likeness[$1] }), likeness[best] > Self.sameColors,
      !tracks.contains(where: { ($0.colors?.likeness(colors) ?? 0) > likeness[best] - 0.1 })
    else { return nil }
    var track = lost.remove(at: best)
    (track.squares, track.velocity) = ([], .zero)
    return track
  }

  /// Whether a body without a face is somebody else than those who were expected there.
  private func isNew(_ one: PersonEvidence, _ expected: [[Float]], _ splitter: PeopleSplitter) -> Bool {
    one.face != nil || expected.reduce(0) { $0 + splitter.overlap(one, $1) } < 0.5
  }

  /// Whether somebody whom the networks are not sure of has been seen often enough.
  private func isConfirmed(_ one: PersonEvidence) -> Bool {
    guard let index = doubtful.firstIndex(where: { PeopleFinder.areOne($0.head, one.head) }) else {
      doubtful = doubtful.suffix(Self.maximumLost) + [(one.head, 1)]
      return false
    }
    doubtful[index] = (one.head, doubtful[index].sightings + 1)
    guard doubtful[index].sightings >= Self.minimumSightings else { return false }
    doubtful.remove(at: index)
    return true
  }

  /// Moves the tracks on to where their people are now.
  private func learn(
    _ labels: PeopleSplitter.Labels, _ candidates: [PeopleSplitter.Candidate], _ expected: [[Float]],
    _ splitter: PeopleSplitter, elapsed: Double, time: Double, perSquare: Double, isResting: Bool
  ) {
    for index in tracks.indices {
      let squares = labels.owner.map { $0 == Int16(index) ? Float(1) : 0 }
      let area = labels.owner.count { $0 == Int16(index) }
      let colors = splitter.colors(of: squares)
      let shift = splitter.grid.center(of: squares) - splitter.grid.center(of: tracks[index].squares)
      if let evidence = candidates[index].evidence {
        let old = tracks[index].head
        let moved = SIMD2(evidence.head.center.x - old.center.x, evidence.head.center.y - old.center.y)
        if elapsed > 0 && !tracks[index].squares.isEmpty {
          tracks[index].velocity += 0.35 * (moved / elapsed - tracks[index].velocity)
        }
        (tracks[index].head, tracks[index].face) = (evidence.head, evidence.face)
        tracks[index].score = max(evidence.score, 0.01)
        tracks[index].lastSeen = time
        // Of somebody who touches others only that is learned which is surely not the others'.
        let learned = labels.sharing.contains(index) ? splitter.colors(of: evidence, among: candidates) : colors
        if tracks[index].colors == nil {
          tracks[index].colors = area > 0 ? colors : nil
        } else if !labels.sharing.contains(index) || evidence.face != nil && evidence.outline != nil {
          tracks[index].colors?.follow(learned, by: labels.sharing.contains(index) ? 0.02 : 0.06)
        }
      } else {
        // Nobody is recognised, but what was expected is there, and looks the same.
        let wanted = index < expected.count ? expected[index] : []
        let isThere =
          area > 0 && splitter.isLike(squares, wanted)
          && (tracks[index].colors.map { $0.likeness(colors) > 0.6 } ?? true)
        // Of somebody whom others hide in part the middle of what is seen goes its own way.
        let isPlain = isThere && !labels.sharing.contains(index)
        let movement = isPlain ? shift * perSquare : tracks[index].velocity * elapsed
        if isThere {
          tracks[index].lastSeen = time
          if isPlain && elapsed > 0 { tracks[index].velocity += 0.35 * (movement / elapsed - tracks[index].velocity) }
        }
        tracks[index].head.x += movement.x
        tracks[index].head.y += movement.y
        tracks[index].face?.x += movement.x
        tracks[index].face?.y += movement.y
        if !isResting { tracks[index].face = nil }
      }
      tracks[index].squares = squares
    }
  }

  // MARK: - What is known of the people

  private func describe(
    _ owner: [Int32], _ grid: PeopleGrid, _ guide: GuidePicture, _ matte: Matte, scale: Double, width: Int, height: Int,
    time: Double
  ) -> PeopleInPicture {
    func large(_ box: Rect) -> Rect {
      Rect(x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale)
    }
    let side = (
      Double(grid.step) / Double(grid.matteWidth) * Double(width),
      Double(grid.step) / Double(grid.matteHeight) * Double(height)
    )
    let people = tracks.map { track in
      var (left, top, right, bottom, sum) = (Int.max, Int.max, 0, 0, Float(0))
      for square in owner.indices where owner[square] == Int32(track.id) {
        let (x, y) = (square % grid.width, square / grid.width)
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x + 1), max(bottom, y + 1))
        sum += grid.opacity[square]
      }
      let box =
        sum == 0
        ? Rect(x: 0, y: 0, width: 0, height: 0)
        : Rect(
          x: Double(left) * side.0, y: Double(top) * side.1,
          width: min(Double(width), Double(right) * side.0) - Double(left) * side.0,
          height: min(Double(height), Double(bottom) * side.1) - Double(top) * side.1)
      let coverage = Double(sum) / Double(max(1, grid.count))
      let aside = abs(box.center.x / Double(max(1, width)) - 0.5) * 2
      let known = track.face != nil ? 1 : track.score > 0 ? 0.4 : 0.1
      return PersonMask(
        id: track.id, box: box, face: track.face.map(large), score: track.score, coverage: coverage,
        weight: coverage * (1 - 0.6 * aside) * known)
    }
    return PeopleInPicture(
      people, width: width, height: height, matte: matte, edges: PeopleEdges(grid: grid, guide: guide),
      owner: grid.nearest(owner).owner)
  }
}

extension PeopleTracker.Track {
  /// Where the head should be by now.
  fileprivate func head(after elapsed: Double) -> Rect {
    Rect(x: head.x + velocity.x * elapsed, y: head.y + velocity.y * elapsed, width: head.width, height: head.height)
  }

  /// Where the person is expected in the next picture, 0…1 a square.
  fileprivate func expected(_ grid: PeopleGrid, after elapsed: Double, perSquare: Double) -> [Float] {
    guard squares.count == grid.count else { return [] }
    let shift = velocity * (elapsed / max(perSquare, 1e-9))
    let (right, down) = (Int(shift.x.rounded()), Int(shift.y.rounded()))
    let (width, height) = (grid.width, grid.height)
    var moved = [Float](repeating: 0, count: squares.count)
    for y in 0..<height where y - down >= 0 && y - down < height {
      for x in 0..<width where x - right >= 0 && x - right < width {
        moved[y * width + x] = squares[(y - down) * width + x - right]
      }
    }
    return grid.softened(moved)
  }
}
