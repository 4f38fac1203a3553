import Libc

/// A random walker on squares of up to four neighbours each (Grady, "Random Walks for Image Segmentation", PAMI 2006): it prefers squares
/// of the same colour.
///
/// Squares are joined with each other, and pulled to known values; after relaxation, each is the mean of its neighbours and its pulls.
struct RandomWalker {
  /// A missing neighbour is an additional entry with a link of zero weight.
  private struct Links {
    var left, right, up, down: Int32
    var leftWeight: Float = 0, rightWeight: Float = 0, upWeight: Float = 0, downWeight: Float = 0
    /// The sum of all weights, and of the pulls, each by its weight.
    var total: Float = 0, pull: Float = 0

    init(nobody: Int32) { (left, right, up, down) = (nobody, nobody, nobody, nobody) }
  }

  private var links: [Links]

  init(count: Int) {
    links = [Links](repeating: Links(nobody: Int32(count)), count: count)
  }

  mutating func join(_ index: Int, right other: Int, _ weight: Float) {
    (links[index].right, links[index].rightWeight) = (Int32(other), weight)
    (links[other].left, links[other].leftWeight) = (Int32(index), weight)
    links[index].total += weight
    links[other].total += weight
  }

  mutating func join(_ index: Int, down other: Int, _ weight: Float) {
    (links[index].down, links[index].downWeight) = (Int32(other), weight)
    (links[other].up, links[other].upWeight) = (Int32(index), weight)
    links[index].total += weight
    links[other].total += weight
  }

  func isJoined(_ index: Int) -> (left: Bool, right: Bool, up: Bool, down: Bool) {
    let (link, nobody) = (links[index], Int32(links.count))
    return (link.left != nobody, link.right != nobody, link.up != nobody, link.down != nobody)
  }

  mutating func pull(_ index: Int, to value: Float, _ weight: Float) {
    links[index].total += weight
    links[index].pull += weight * value
  }

  /// Gauss-Seidel sweeps in both directions. Each square needs a pull or a link.
  func relax(_ values: inout [Float], sweeps: Int) {
    let count = values.count
    values.append(0)
    defer { values.removeLast() }
    var links = links
    // Store the reciprocal, to multiply in each sweep.
    for index in links.indices { links[index].total = 1 / links[index].total }
    values.withUnsafeMutableBufferPointer { values in
      links.withUnsafeBufferPointer { links in
        // Both have elements if there is any work.
        guard let values = values.baseAddress, let links = links.baseAddress else { return }
        @inline(__always) func visit(_ i: Int) {
          let link = links + i
          var sum = link.pointee.pull + link.pointee.rightWeight * values[Int(link.pointee.right)]
          sum += link.pointee.leftWeight * values[Int(link.pointee.left)]
          sum += link.pointee.upWeight * values[Int(link.pointee.up)]
          sum += link.pointee.downWeight * values[Int(link.pointee.down)]
          values[i] = sum * link.pointee.total
        }
        for _ in 0..<sweeps {
          for i in 0..<count { visit(i) }
          for i in (0..<count).reversed() { visit(i) }
        }
      }
    }
  }
}

/// The similarity of neighbouring squares: 1 for the same colour, on the scale of a picture's own differences, as in GrabCut (Rother and
/// others, 2004).
struct ColorLikeness {
  private var sum: Float = 0, count: Float = 0

  /// The squared distance of two colours.
  static func difference(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float {
    let step = a - b
    return (step * step).sum()
  }

  /// Adds a pair to the picture's mean difference.
  mutating func add(_ difference: Float) { (sum, count) = (sum + difference, count + 1) }

  /// A pair's similarity, above 0.
  func callAsFunction(_ difference: Float) -> Float {
    exp(-min(difference * count / max(2 * sum, 1e-6 * max(count, 1)), 12)) + 1e-3
  }
}

extension RandomWalker {
  /// Joins squares of a grid, in ascending order, unless depth separates them.
  init(_ grid: PeopleGrid, _ members: [Int]) {
    self.init(count: members.count)
    var index = [Int32](repeating: -1, count: grid.count)
    for (i, square) in members.enumerated() { index[square] = Int32(i) }
    func right(_ square: Int) -> Int? {
      square % grid.width + 1 < grid.width && index[square + 1] >= 0 ? Int(index[square + 1]) : nil
    }
    func down(_ square: Int) -> Int? {
      square + grid.width < grid.count && index[square + grid.width] >= 0 ? Int(index[square + grid.width]) : nil
    }
    func difference(_ a: Int, _ b: Int) -> Float { ColorLikeness.difference(grid.color[a], grid.color[b]) }
    var likeness = ColorLikeness()
    for square in members {
      if right(square) != nil { likeness.add(difference(square, square + 1)) }
      if down(square) != nil { likeness.add(difference(square, square + grid.width)) }
    }
    func weight(_ a: Int, _ b: Int) -> Float {
      let alike = likeness(difference(a, b))
      guard !grid.disparity.isEmpty, grid.disparity[a] > 0, grid.disparity[b] > 0 else { return alike }
      // A step of more than a few percent of the distance separates two surfaces.
      let step = 2 * (grid.disparity[a] - grid.disparity[b]) / (grid.disparity[a] + grid.disparity[b]) / 0.05
      return alike * (exp(-min(step * step, 8)) + 1e-3)
    }
    for (i, square) in members.enumerated() {
      if let other = right(square) { join(i, right: other, weight(square, square + 1)) }
      if let other = down(square) { join(i, down: other, weight(square, square + grid.width)) }
    }
  }
}
