import BackdropImaging
import Libc

/// Assigns each part of the matte of several people to a person, coarsely.
///
/// Separate parts of the matte belong to the person visible in them. In a part shared by several people, each square has a score for each
/// of them: by the pose network's outlines, the shape of a person under a face, colours, and the person's last position. A random walker
/// with these scores as priors (Grady, "Multilabel Random Walker Image Segmentation Using Prior Models", CVPR 2005) then smooths them along
/// the picture's surfaces, so that the border between two people follows edges of the picture. A separate remainder goes to the person next
/// to it.
struct PeopleSplitter {
  /// A person whom the matte may show.
  struct Candidate {
    /// The evidence of the person in this picture; `nil` for a person seen only before.
    var evidence: PersonEvidence?
    /// A person of standard shape at the head's expected position, for one without evidence in this picture.
    var guess: PersonEvidence?
    /// The person's silhouette at its expected position, including hidden parts, 0…1 per square; empty if unknown.
    var expected: [Float] = []
    /// The person's learned colours; `nil` before.
    var colors: ColorHistogram?
  }

  /// The owners of the squares.
  struct Labels {
    /// The number of the candidate, or of a body without a candidate, counted from the number of candidates on; −1 for nobody.
    var owner: [Int16]
    /// Candidates who share a part of the matte with others.
    var sharing: Set<Int> = []
    /// Blobs of the matte without a candidate or a neighbouring one, by their numbers of squares.
    var newcomers: [Int] = []
  }

  /// A smaller opacity shows nobody.
  static let minimumOpacity: Float = 0.08
  /// A blob without a known person is another person if its area exceeds this fraction of the nearest person's, and its distance this
  /// fraction of that person's width.
  private static let newcomerArea = 0.12, newcomerGap = 0.15
  private static let sweeps = 18, rounds = 3
  /// The weight of a learned silhouette: alone, and besides evidence in this picture; and the weight of the depth order.
  private static let shapeAlone: Float = 10, shapeBesides: Float = 8, orderWeight: Float = 5
  /// The weight of the network's outline: alone, and besides a silhouette, which has better edges.
  private static let outlineAlone: Float = 5, outlineBesides: Float = 2
  /// The weight of scores relative to neighbours: for one picture, and with silhouettes.
  private static let priorWeight: Float = 0.03, shapePriorWeight: Float = 0.3

  let grid: PeopleGrid
  let pictureWidth: Int, pictureHeight: Int

  /// - Parameter order: above 0 if the first of two is in front of the second, by their numbers, −1…1.
  func split(_ people: [Candidate], order: (Int, Int) -> Float = { _, _ in 0 }) -> Labels {
    let active = grid.opacity.map { $0 > Self.minimumOpacity }
    let blobs = GridBlobs(active, width: grid.width)
    var owner = [Int16](repeating: -1, count: grid.count)
    var newcomers: [Int] = []
    var sharing: Set<Int> = []
    guard !blobs.members.isEmpty else { return Labels(owner: owner) }
    let shares = people.map { presence($0, blobs) }
    // Process blobs with a person first, because the others attach to them.
    var orphans: [Int] = []
    for blob in blobs.members.indices {
      let here = people.indices.filter { shares[$0][blob] > 0.25 }
      switch here.count {
      case 0:
        orphans.append(blob)
      case 1: for square in blobs.members[blob] { owner[square] = Int16(here[0]) }
      default:
        walk(blobs.members[blob], here, people, order, &owner)
        sharing.formUnion(here)
      }
    }
    if !people.isEmpty { orphans = adopt(orphans, blobs, &owner, people.count) }
    for blob in orphans.sorted(by: { blobs.members[$0].count > blobs.members[$1].count }) {
      // A separate label for each, the most that people can have.
      let label = people.count + newcomers.count
      guard label < PeopleChoice.Count.maximum else { break }
      for square in blobs.members[blob] { owner[square] = Int16(label) }
      newcomers.append(blobs.members[blob].count)
    }
    return Labels(owner: owner, sharing: sharing, newcomers: newcomers)
  }

  /// How likely each blob shows a candidate, 0…1: whether it contains the head, or much of the outline or of the expected silhouette.
  private func presence(_ person: Candidate, _ blobs: GridBlobs) -> [Double] {
    var sums = [Double](repeating: 0, count: blobs.members.count)
    var total = 0.0
    for (blob, members) in blobs.members.enumerated() {
      for square in members {
        var share: Float = 0
        if let evidence = person.evidence {
          share = evidence.isSeen(square) ? 1 : 0
        } else if !person.expected.isEmpty {
          share = person.expected[square]
        }
        sums[blob] += Double(share * grid.opacity[square])
      }
      total += sums[blob]
    }
    guard total > 0 else { return sums }
    var result = zip(sums, blobs.members).map { sum, members in
      // A small piece completely inside the outline also belongs to the person.
      max(sum / total, sum / Double(members.count) > 0.6 ? 0.5 : 0)
    }
    if let head = person.evidence?.head {
      // The head's own blob.
      let index = square(at: SIMD2(head.center.x, head.center.y))
      if let index, let blob = blobs.blob(of: index) { result[blob] = 1 }
    }
    return result
  }

  /// The square at a point of the picture; `nil` outside.
  func square(at point: SIMD2<Double>) -> Int? {
    let x = point.x / Double(pictureWidth) * Double(grid.matteWidth) / Double(grid.step)
    let y = point.y / Double(pictureHeight) * Double(grid.matteHeight) / Double(grid.step)
    guard x >= 0 && y >= 0 && x < Double(grid.width) && y < Double(grid.height) else { return nil }
    return Int(y) * grid.width + Int(x)
  }

  // MARK: - Blobs shared by several people

  /// Splits a blob among several people.
  private func walk(
    _ members: [Int], _ here: [Int], _ people: [Candidate], _ order: (Int, Int) -> Float, _ owner: inout [Int16]
  ) {
    let links = RandomWalker(grid, members)
    let cells = members.map { ColorHistogram.cell(grid.color[$0]) }
    var fixed = here.map { scores(people[$0], members) }
    /// Where two silhouettes overlap, the one in front is visible.
    func put(_ one: Int, before other: Int, _ scores: inout [Float]) {
      let (mine, others, sign) = (people[one].expected, people[other].expected, order(one, other))
      guard !mine.isEmpty && !others.isEmpty && sign != 0 else { return }
      for (i, square) in members.enumerated() {
        scores[i] += Self.orderWeight * sign * min(mine[square], others[square])
      }
    }
    for a in here.indices {
      for b in here.indices where b != a { put(here[a], before: here[b], &fixed[a]) }
    }
    var learned = here.map { people[$0].colors }
    // Learned colours are more reliable than this picture's first guess; silhouettes are more reliable than both.
    let hasShapes = here.allSatisfy { !people[$0].expected.isEmpty }
    let trust: Float = hasShapes || learned.contains { $0 == nil } ? 0.7 : 1.2
    let weight = hasShapes ? Self.shapePriorWeight : Self.priorWeight
    var parts = [[Float]](repeating: [Float](repeating: 0, count: members.count), count: here.count)
    for round in 0..<Self.rounds {
      var priors = fixed
      for (k, histogram) in learned.enumerated() {
        guard let histogram else { continue }
        for i in members.indices {
          // Compare with the best of the others, so that a colour that all share decides nothing.
          var others: Float = 1e-6
          for (j, other) in learned.enumerated() where j != k { others = max(others, other?.likelihood(cells[i]) ?? 0) }
          let ratio = log(histogram.likelihood(cells[i]) / others)
          priors[k][i] += trust * min(max(ratio, -2.5), 2.5)
        }
      }
      Self.normalize(&priors)
      if round == 0 { parts = priors }
      // All parts add up to 1, so the last person gets the remainder.
      for k in here.indices.dropLast() {
        var walker = links
        for i in members.indices { walker.pull(i, to: priors[k][i], weight) }
        walker.relax(&parts[k], sweeps: round + 1 < Self.rounds ? Self.sweeps / 3 : Self.sweeps)
      }
      let last = here.count - 1
      for i in members.indices { parts[last][i] = (0..<last).reduce(1) { $0 - parts[$1][i] } }
      guard round + 1 < Self.rounds else { break }
      learned = here.indices.map { k in
        var histogram = ColorHistogram()
        for i in members.indices {
          let part = parts[k][i]
          if part > 0.6 { histogram.add(cells[i], part * grid.opacity[members[i]]) }
        }
        histogram.finish()
        guard var known = people[here[k]].colors else { return histogram }
        known.follow(histogram, by: 0.3)
        return known
      }
    }
    var labels = [Int16](repeating: 0, count: members.count)
    for i in members.indices {
      var best = 0
      for k in 1..<here.count where parts[k][i] > parts[best][i] { best = k }
      labels[i] = Int16(best)
    }
    var certainty = [Int: Float]()
    for (i, square) in members.enumerated() {
      owner[square] = Int16(here[Int(labels[i])])
      certainty[square] = parts[Int(labels[i])][i]
    }
    joinPieces(members, here, people, certainty, &owner)
  }

  /// The evidence of each square for one person, as logarithms of odds.
  private func scores(_ person: Candidate, _ members: [Int]) -> [Float] {
    let away = distances(person, members)
    return members.map { square in
      var score = -2 * min(away[square], 1.6)
      if let evidence = person.evidence {
        let shape = evidence.shapes[square]
        if evidence.outline != nil {
          let weight = person.expected.isEmpty ? Self.outlineAlone : Self.outlineBesides
          score += weight * (evidence.outlineShares[square] - 0.5) * Float(min(1, 0.4 + evidence.score))
          score += min(max(shape, -1.5), 0.3)
        } else {
          score += min(max(3 * shape + 1, -4), 2)
        }
        if let face = evidence.face {
          let point = grid.point(square, width: pictureWidth, height: pictureHeight)
          let u = (point.x - face.center.x) / (0.5 * face.width)
          let v = (point.y - face.center.y + 0.05 * face.height) / (0.62 * face.height)
          // Others may cover a face's rim, but hardly its centre if the face was visible.
          let middle = u * u + v * v
          if middle < 1 { score += middle < 0.3 ? 6 : person.expected.isEmpty ? 2.5 : 1 }
        }
      }
      if let guess = person.guess { score += min(max(2 * guess.shapes[square] + 0.5, -2), 1.5) }
      if !person.expected.isEmpty {
        score += (person.evidence == nil ? Self.shapeAlone : Self.shapeBesides) * (person.expected[square] - 0.5)
      }
      return score
    }
  }

  /// The distances of squares from a person's visible or expected area, on paths through the matte; in halves of a head's width.
  private func distances(_ person: Candidate, _ members: [Int]) -> [Float] {
    var steps = [Float](repeating: .infinity, count: grid.count)
    var isMember = [Bool](repeating: false, count: grid.count)
    var queue: [Int] = []
    for square in members {
      isMember[square] = true
      let isExpected = !person.expected.isEmpty && person.expected[square] > PersonShape.inside
      guard isExpected || (person.evidence ?? person.guess)?.isSeen(square) ?? false else { continue }
      steps[square] = 0
      queue.append(square)
    }
    let perSquare = Double(grid.step) / Double(grid.matteWidth) * Double(pictureWidth)
    let head =
      (person.evidence ?? person.guess).map { $0.head.width / perSquare } ?? Double(queue.count).squareRoot() / 3
    let unit = Float(2 / max(head, 4))
    var position = 0
    while position < queue.count {
      let square = queue[position]
      position += 1
      let next = steps[square] + unit
      grid.visitNeighbors(of: square) { other in
        guard isMember[other] && steps[other] == .infinity else { return }
        steps[other] = next
        queue.append(other)
      }
    }
    return steps
  }

  /// Converts logarithms of odds to probabilities that add up to 1.
  private static func normalize(_ priors: inout [[Float]]) {
    for i in priors[0].indices {
      var largest = -Float.infinity
      for k in priors.indices { largest = max(largest, priors[k][i]) }
      var sum: Float = 0
      for k in priors.indices {
        priors[k][i] = exp(priors[k][i] - largest)
        sum += priors[k][i]
      }
      for k in priors.indices { priors[k][i] /= sum }
    }
  }

  /// Gives each piece that touches another person, and is not the main part of its own person, to the other.
  private func joinPieces(
    _ members: [Int], _ here: [Int], _ people: [Candidate], _ certainty: [Int: Float], _ owner: inout [Int16]
  ) {
    for _ in 0..<2 {
      var pieces: [(squares: [Int], label: Int16)] = []
      var piece = [Int: Int]()
      for label in here {
        var mine = [Bool](repeating: false, count: grid.count)
        for square in members where owner[square] == Int16(label) { mine[square] = true }
        for squares in GridBlobs(mine, width: grid.width).members {
          for square in squares { piece[square] = pieces.count }
          pieces.append((squares, Int16(label)))
        }
      }
      for label in here {
        let own = pieces.indices.filter { pieces[$0].label == Int16(label) }
        let largest = own.map { pieces[$0].squares.count }.max() ?? 0
        let head = people[label].evidence.flatMap { self.square(at: SIMD2($0.head.center.x, $0.head.center.y)) }
        let heads = head.flatMap { piece[$0] }
        for index in own where index != heads {
          let count = pieces[index].squares.count
          guard 3 * count < largest else { continue }
          // The pieces of a person partly hidden by others are certain, and stay.
          let sure = pieces[index].squares.reduce(0) { $0 + (certainty[$1] ?? 0) } / Float(count)
          guard sure < 0.8 || 60 * count < largest else { continue }
          if !people[label].expected.isEmpty {
            let expected = pieces[index].squares.reduce(0) { $0 + people[label].expected[$1] } / Float(count)
            guard expected < 0.6 else { continue }
          }
          // The person with the longest common border.
          var borders = [Int16: Int]()
          for square in pieces[index].squares {
            grid.visitNeighbors(of: square) { next in
              if owner[next] >= 0 && owner[next] != Int16(label) { borders[owner[next], default: 0] += 1 }
            }
          }
          guard let other = borders.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }) else { continue }
          for square in pieces[index].squares { owner[square] = other.key }
        }
      }
    }
  }

  // MARK: - Blobs without a person

  /// Gives blobs without a person to the nearest person, if they are small or near; returns the others, which are newcomers.
  private func adopt(_ orphans: [Int], _ blobs: GridBlobs, _ owner: inout [Int16], _ count: Int) -> [Int] {
    let reached = grid.nearest(owner)
    var areas = [Int](repeating: 0, count: count)
    var columns = [(Int, Int)](repeating: (Int.max, 0), count: count)
    for square in owner.indices where owner[square] >= 0 {
      let label = Int(owner[square])
      areas[label] += 1
      columns[label] = (min(columns[label].0, square % grid.width), max(columns[label].1, square % grid.width))
    }
    return orphans.filter { blob in
      let members = blobs.members[blob]
      guard let nearest = members.min(by: { reached.steps[$0] < reached.steps[$1] }), reached.owner[nearest] >= 0 else {
        return true
      }
      let label = Int(reached.owner[nearest])
      let width = columns[label].1 - columns[label].0 + 1
      let isLarge = Double(members.count) > Self.newcomerArea * Double(areas[label])
      let isFar = Double(reached.steps[nearest]) > Self.newcomerGap * Double(width)
      // A distant speck is not a person: it goes to the nearest one.
      guard !(isLarge && isFar) && !(isFar && members.count > grid.count / 960) else { return true }
      for square in members { owner[square] = Int16(label) }
      return false
    }
  }
}
