import BackdropImaging
import Libc

extension PeopleTracker {
  /// A lost person and a newcomer with colours this similar are the same.
  private static let sameColors: Float = 0.72
  /// The number of sightings that confirm an uncertain person.
  private static let minimumSightings = 3

  /// The track of each piece of evidence; `nil` for a new person.
  func matches(
    _ evidence: [PersonEvidence], _ colors: [ColorHistogram], _ expected: [[Float]], _ splitter: PeopleSplitter,
    elapsed: Double
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
        // A blob without recognition has no known head.
        let isStranger = track.score == 0
        let reach = isStranger ? 100 : 1.2 + 4 * (lastTime - track.lastSeen)
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
    // Swap two assignments if that costs less.
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

  /// The lost person with these colours.
  func revive(_ colors: ColorHistogram) -> Track? {
    let likeness = lost.map { $0.colors?.likeness(colors) ?? 0 }
    guard let best = likeness.indices.max(by: { likeness[$0] < likeness[$1] }), likeness[best] > Self.sameColors,
      !tracks.contains(where: { ($0.colors?.likeness(colors) ?? 0) > likeness[best] - 0.1 })
    else { return nil }
    var track = lost.remove(at: best)
    (track.squares, track.shape, track.velocity) = ([], nil, .zero)
    return track
  }

  /// Whether a body without a face is a different person from those expected there.
  func isNew(_ one: PersonEvidence, _ expected: [[Float]], _ splitter: PeopleSplitter) -> Bool {
    one.face != nil || expected.reduce(0) { $0 + splitter.overlap(one, $1) } < 0.5
  }

  func isConfirmed(_ one: PersonEvidence) -> Bool {
    guard let index = unconfirmed.firstIndex(where: { PeopleDetection.areOne($0.head, one.head) }) else {
      unconfirmed = unconfirmed.suffix(Self.maximumLost) + [(one.head, 1)]
      return false
    }
    unconfirmed[index] = (one.head, unconfirmed[index].sightings + 1)
    guard unconfirmed[index].sightings >= Self.minimumSightings else { return false }
    unconfirmed.remove(at: index)
    return true
  }
}
