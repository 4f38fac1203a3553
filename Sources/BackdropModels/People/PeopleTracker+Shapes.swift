import Libc

/// Silhouettes, and people's order in depth.
extension PeopleTracker {
  /// The logarithm of the ratio of two people's colours at which a square clearly belongs to one of them.
  private static let clearRatio: Float = 1.5
  /// The claim to a square that shows somebody; near other people, colours change it.
  private static let plainClaim: Float = 0.35

  /// Moves each silhouette to its position in the next picture, from front to back; returns the moves, in squares.
  func moveShapes(_ grid: PeopleGrid, elapsed: Double, perSquare: Double) -> [SIMD2<Double>] {
    var moves = tracks.map { $0.velocity * (elapsed / max(perSquare, 1e-9)) }
    let shapes = tracks.map(\.shape)
    let bounds = shapes.map { $0?.bounds }
    guard bounds.contains(where: { $0 != nil }) else { return moves }
    let cells = grid.color.map { ColorHistogram.cell($0) }
    func touch(_ a: Int, _ b: Int) -> Bool {
      guard let a = bounds[a], let b = bounds[b] else { return false }
      return a.left <= b.right + 4 && b.left <= a.right + 4 && a.top <= b.bottom + 4 && b.top <= a.bottom + 4
    }
    // The person in front of most others goes first.
    let fronts = tracks.indices.map { a in
      tracks.indices.reduce(Float(0)) { touch(a, $1) && $1 != a ? $0 + order[tracks[a].id, tracks[$1].id] : $0 }
    }
    var isMoved = [Bool](repeating: false, count: tracks.count)
    for index in tracks.indices.sorted(by: { (fronts[$0], -$0) > (fronts[$1], -$1) }) {
      guard let shape = shapes[index] else { continue }
      let others = tracks.indices.filter { $0 != index && touch(index, $0) }
      var claims = grid.opacity.map { $0 < 0.3 ? Float(-1) : Self.plainClaim }
      if !others.isEmpty, let colors = tracks[index].colors {
        let known = others.compactMap { tracks[$0].colors }
        for square in claims.indices where claims[square] > 0 {
          var best: Float = 1e-6
          for other in known { best = max(best, other.likelihood(cells[square])) }
          let sign = log(colors.likelihood(cells[square]) / best) / Self.clearRatio
          claims[square] = min(max(claims[square] + sign, -1), 1)
        }
      }
      for other in others where isMoved[other] && order[tracks[other].id, tracks[index].id] > 0 {
        guard let before = tracks[other].shape else { continue }
        for square in claims.indices where before.values[square] > PersonShape.inside { claims[square] = 0 }
      }
      if let move = shape.move(near: moves[index], claims) { moves[index] = move }
      tracks[index].shape = shape.moved(by: moves[index])
      isMoved[index] = true
    }
    return moves
  }

  func learnShape(_ index: Int, _ labels: PeopleSplitter.Labels, _ grid: PeopleGrid) {
    guard var shape = tracks[index].shape, labels.sharing.contains(index) else {
      // Nobody is in front of the person.
      tracks[index].shape = PersonShape(tracks[index].squares, width: grid.width)
      return
    }
    let mine = Int16(index)
    // Only candidates cover each other; newcomers touch nobody.
    let isBehind = tracks.indices.map { $0 != index && order[tracks[$0].id, tracks[index].id] > 0 }
    shape.learn { square in
      let owner = labels.owner[square]
      if owner == mine { return true }
      return owner >= 0 && Int(owner) < isBehind.count && isBehind[Int(owner)] ? nil : false
    }
    tracks[index].shape = shape
  }

  /// Learns the depth order from colours where two silhouettes overlap.
  func learnOrder(_ labels: PeopleSplitter.Labels, _ candidates: [PeopleSplitter.Candidate], _ grid: PeopleGrid) {
    let sharing = labels.sharing.sorted()
    for (index, a) in sharing.enumerated() {
      for b in sharing.dropFirst(index + 1) {
        let (first, second) = (candidates[a].expected, candidates[b].expected)
        guard !first.isEmpty && !second.isEmpty, let mine = tracks[a].colors, let others = tracks[b].colors else {
          continue
        }
        var (sum, count) = (Float(0), 0)
        for square in first.indices where min(first[square], second[square]) > PersonShape.inside {
          guard grid.opacity[square] > 0.6 else { continue }
          let cell = ColorHistogram.cell(grid.color[square])
          sum += min(max(log(mine.likelihood(cell) / others.likelihood(cell)) / Self.clearRatio, -1), 1)
          count += 1
        }
        guard count > grid.count / 960 else { continue }
        order.learn(tracks[a].id, tracks[b].id, sign: sum / Float(count))
      }
    }
  }

  /// Whether a person's visible area is most of the expected area that others do not cover.
  func isLike(_ index: Int, _ labels: PeopleSplitter.Labels, _ expected: [Float]) -> Bool {
    guard expected.count == labels.owner.count else { return false }
    let mine = Int16(index)
    let isBehind = tracks.indices.map { $0 != index && order[tracks[$0].id, tracks[index].id] > 0 }
    var (both, either, all) = (0, 0, 0)
    for (square, owner) in labels.owner.enumerated() {
      let isWanted = expected[square] > PersonShape.inside
      if isWanted { all += 1 }
      if owner >= 0 && owner != mine && Int(owner) < isBehind.count && isBehind[Int(owner)] { continue }
      if owner == mine && isWanted { both += 1 }
      if owner == mine || isWanted { either += 1 }
    }
    return either > 0 && Double(both) > 0.6 * Double(either) && 10 * both > all
  }
}
