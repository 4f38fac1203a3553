import BackdropDepth
import BackdropImaging
import Libc

/// Separates the people of a stream, and identifies each from picture to picture by position and movement, shape, and colours.
///
/// The networks examine a picture from time to time, with a run or two per picture. Between searches the tracker follows each person's
/// silhouette, including hidden parts. A person hidden for a moment keeps the number; a lost person gets it back only if the colours
/// match.
final class PeopleTracker {
  /// How long a person without visible parts counts as present, in seconds.
  static let gracePeriod = 0.6
  /// How long a person may be hidden behind others and still be identified by movement.
  private static let memory = 1.2
  static let maximumLost = 16
  /// The number of pictures between searches, normally, and while everybody is recognized and nobody touches.
  private static let searchInterval = 4, calmInterval = 8
  /// The network runs in one picture of a stream.
  private static let runs = 2
  /// The fraction by which each picture updates a velocity.
  private static let pace = 0.35

  /// Whether to examine each picture like a single one.
  var isThorough = false
  private let finder: PeopleFinder?
  var tracks: [Track] = []
  var lost: [Track] = []
  var unconfirmed: [(head: Rect, sightings: Int)] = []
  var order = DepthOrder()
  private var nextID = 1
  private(set) var lastTime = -Double.infinity
  private var gridSize = (width: 0, height: 0)
  /// Whether the last search recognized everybody, and nobody has touched since.
  private var isCalm = false
  private var search: Search?
  /// The number of pictures since the last search began, and of searches so far.
  private var sinceSearch = 0, searches = 0

  private struct Search {
    var people: PeopleDetection
    /// The stream's pixels per pixel of the examined picture.
    let scale: Double
    /// The positions of the tracks' heads in that picture.
    var heads: [(id: Int, head: Rect)] = []
  }

  struct Track {
    let id: Int
    /// The last sighting, in pixels of the picture; it moves with the person.
    var head: Rect
    var face: Rect?
    var score: Double
    /// In pixels a second.
    var velocity = SIMD2<Double>.zero
    /// The person's squares in the last picture, 0 or 1.
    var squares: [Float] = []
    /// The whole silhouette, at its expected position; `nil` if unknown.
    var shape: PersonShape?
    var colors: ColorHistogram?
    var lastSeen: Double
  }

  init(_ finder: PeopleFinder?) { self.finder = finder }

  /// At a cut, marks all people as lost.
  func cut() {
    lose { _ in true }
    (unconfirmed, search) = ([], nil)
  }

  /// Whether a person was seen a moment ago.
  func isSeen(_ id: Int, at time: Double) -> Bool {
    tracks.contains { $0.id == id && time - $0.lastSeen <= Self.gracePeriod }
  }

  /// Separates the people of the next picture; see ``PeopleFinder/find(in:matte:)``.
  func update(
    _ image: Image, matte: Matte, depth: DepthMap?, faces: [Rect]?, time: Double
  ) throws(BackdropError) -> PeopleInPicture {
    guard matte.width > 0 && matte.height > 0 else {
      return PeopleInPicture([], size: (image.width, image.height), matte: matte)
    }
    let guide = try GuidePicture(image, width: matte.width, height: matte.height)
    let grid = PeopleGrid(
      matte, guide, depth: depth, largestSide: isThorough ? PeopleGrid.largestSide : PeopleGrid.largestStreamSide)
    adopt(grid)
    let elapsed = time > lastTime ? min(time - lastTime, 1) : 0
    var found = try evidence(in: image, grid, given: faces, elapsed: elapsed)
    for index in found?.indices ?? 0..<0 { found?[index].lay(on: grid, width: image.width, height: image.height) }
    let owner = follow(found ?? [], grid, (image.width, image.height), time, isResting: found == nil)
    if search?.heads.isEmpty ?? false { search?.heads = tracks.map { ($0.id, $0.head) } }
    return describe(owner, grid, guide, matte, (image.width, image.height))
  }

  /// The evidence of the search that ends with this picture, moved to people's present positions; `nil` if none ends.
  private func evidence(
    in image: Image, _ grid: PeopleGrid, given: [Rect]?, elapsed: Double
  ) throws(BackdropError) -> [PersonEvidence]? {
    sinceSearch += 1
    // No search is needed if the matte shows nobody.
    guard let finder, grid.opacity.contains(where: { $0 > 0.5 }) else {
      search = nil
      return []
    }
    // The first people must be known at once.
    let isAtOnce = isThorough || tracks.isEmpty
    if search == nil && (isAtOnce || sinceSearch >= (isCalm ? Self.calmInterval : Self.searchInterval)) {
      let picture = try PortraitSegmenter.reduced(image)
      let scale = Double(image.width) / Double(picture.width)
      let expected = tracks.filter { $0.score > 0 }.map { $0.head(after: elapsed).scaled(by: 1 / scale) }
      search = Search(
        people: try finder.detection(
          at: picture, grid, given: given?.map { $0.scaled(by: 1 / scale) }, expected: expected,
          turn: isAtOnce ? nil : searches), scale: scale)
      (sinceSearch, searches) = (0, searches &+ 1)
    }
    try search?.people.advance(runs: isAtOnce ? .max : Self.runs)
    guard let ended = search, ended.people.isDone else { return nil }
    search = nil
    return ended.people.evidence.map { one in
      let seen = one.scaled(by: ended.scale, movedBy: .zero)
      // The track with the nearest head.
      let near = ended.heads.filter { PeopleDetection.distance($0.head, seen.head) < 1 }
        .min { PeopleDetection.distance($0.head, seen.head) < PeopleDetection.distance($1.head, seen.head) }
      guard let near, let track = tracks.first(where: { $0.id == near.id }) else { return seen }
      let now = track.head(after: elapsed)
      return seen.scaled(by: 1, movedBy: SIMD2(now.center.x - near.head.center.x, now.center.y - near.head.center.y))
    }
  }

  /// Adopts the grid's size, and loses everybody if it changes.
  private func adopt(_ grid: PeopleGrid) {
    guard gridSize != (grid.width, grid.height) else { return }
    if gridSize != (0, 0) { cut() }
    gridSize = (grid.width, grid.height)
  }

  // MARK: - From picture to picture

  /// Identifies people, and assigns squares by the tracks' numbers. With `isResting`, this picture was not searched.
  func follow(
    _ evidence: [PersonEvidence], _ grid: PeopleGrid, _ size: (width: Int, height: Int), _ time: Double,
    isResting: Bool = false
  ) -> [Int32] {
    adopt(grid)
    let elapsed = time > lastTime ? min(time - lastTime, 1) : 0
    let isFirst = lastTime == -.infinity
    lastTime = time
    let perSquare = Double(grid.step) / Double(grid.matteWidth) * Double(size.width)
    let splitter = PeopleSplitter(grid: grid, pictureWidth: size.width, pictureHeight: size.height)
    let moves = moveShapes(grid, elapsed: elapsed, perSquare: perSquare)
    let expected = tracks.map { $0.shape?.values ?? [] }
    let colors = evidence.map { one in splitter.colors(of: one, among: evidence) }
    var match = matches(evidence, colors, expected, splitter, elapsed: elapsed)
    for (index, one) in evidence.enumerated() where match[index] == nil {
      if let back = revive(colors[index]) {
        match[index] = tracks.count
        tracks.append(back)
      } else if isFirst || isNew(one, expected, splitter) && (one.score >= 0.75 || isConfirmed(one)) {
        match[index] = tracks.count
        tracks.append(Track(id: nextID, head: one.head, face: one.face, score: one.score, lastSeen: time))
        nextID += 1
      }
    }
    let candidates = tracks.indices.map { index in
      var person = PeopleSplitter.Candidate(
        evidence: match.firstIndex { $0 == index }.map { evidence[$0] },
        expected: index < expected.count ? expected[index] : [], colors: tracks[index].colors)
      if person.evidence == nil && person.expected.isEmpty && tracks[index].score > 0 {
        var guess = PersonEvidence(face: nil, head: tracks[index].head(after: elapsed), outline: nil, score: 0)
        guess.lay(on: grid, width: size.width, height: size.height)
        person.guess = guess
      }
      return person
    }
    for a in tracks.indices {
      for b in tracks.indices.dropFirst(a + 1) where tracks[a].score > 0 && tracks[b].score > 0 {
        order.add(tracks[a].id, tracks[b].id, widths: (tracks[a].head.width, tracks[b].head.width))
      }
    }
    let labels = splitter.split(candidates) { [self] in order[tracks[$0].id, tracks[$1].id] }
    move(by: moves.map { $0 * perSquare }, elapsed: elapsed)
    learn(labels, candidates, splitter, isResting: isResting)
    let areKnown = isResting ? isCalm : candidates.allSatisfy { $0.evidence != nil }
    isCalm = areKnown && labels.sharing.isEmpty && labels.newcomers.isEmpty && tracks.allSatisfy { $0.lastSeen == time }
    let known = tracks.count
    for label in known..<known + labels.newcomers.count {
      let squares = labels.owner.map { $0 == Int16(label) ? Float(1) : 0 }
      var newcomer = Track(id: nextID, head: grid.top(of: squares, size), face: nil, score: 0, lastSeen: time)
      newcomer.squares = squares
      newcomer.shape = PersonShape(squares, width: grid.width)
      newcomer.colors = splitter.colors(of: squares)
      nextID += 1
      tracks.append(newcomer)
    }
    order.keep(Set(tracks.map(\.id)))
    let ids = tracks.map { Int32($0.id) }
    let owner = labels.owner.map { $0 < 0 ? -1 : ids[Int($0)] }
    lose { time - $0.lastSeen > Self.memory }
    return owner
  }

  private func lose(_ isLost: (Track) -> Bool) {
    // A blob without recognition cannot be identified again.
    lost = (lost + tracks.filter { isLost($0) && $0.score > 0 }).suffix(Self.maximumLost)
    tracks.removeAll(where: isLost)
  }

  /// Moves the tracks by pixels, as their shapes moved.
  private func move(by moves: [SIMD2<Double>], elapsed: Double) {
    for index in tracks.indices {
      let move = index < moves.count ? moves[index] : .zero
      tracks[index].head = tracks[index].head.moved(by: move)
      tracks[index].face = tracks[index].face?.moved(by: move)
      if elapsed > 0 { tracks[index].velocity += Self.pace * (move / elapsed - tracks[index].velocity) }
    }
  }

  /// Updates the positions and the appearance of the tracks' people.
  private func learn(
    _ labels: PeopleSplitter.Labels, _ candidates: [PeopleSplitter.Candidate], _ splitter: PeopleSplitter,
    isResting: Bool
  ) {
    for index in tracks.indices {
      let squares = labels.owner.map { $0 == Int16(index) ? Float(1) : 0 }
      let area = labels.owner.count { $0 == Int16(index) }
      let isSharing = labels.sharing.contains(index)
      let colors = splitter.colors(of: squares)
      if let evidence = candidates[index].evidence {
        (tracks[index].head, tracks[index].face) = (evidence.head, evidence.face)
        tracks[index].score = max(evidence.score, 0.01)
        tracks[index].lastSeen = lastTime
        // From a person who touches others, learn only parts that certainly do not belong to them.
        let learned = isSharing ? splitter.colors(of: evidence, among: candidates.compactMap(\.evidence)) : colors
        if tracks[index].colors == nil {
          tracks[index].colors = area > 0 ? colors : nil
        } else if !isSharing || evidence.face != nil && evidence.outline != nil {
          tracks[index].colors?.follow(learned, by: isSharing ? 0.02 : 0.06)
        }
      } else {
        // Nobody is recognized, but the expected person is there, and looks the same.
        let isThere =
          area > 0 && isLike(index, labels, candidates[index].expected)
          && (tracks[index].colors.map { $0.likeness(colors) > 0.6 } ?? true)
        if isThere { tracks[index].lastSeen = lastTime }
        if !isResting { tracks[index].face = nil }
      }
      tracks[index].squares = squares
      learnShape(index, labels, splitter.grid)
    }
    learnOrder(labels, candidates, splitter.grid)
  }
}

extension PeopleTracker.Track {
  func head(after elapsed: Double) -> Rect { head.moved(by: velocity * elapsed) }
}
