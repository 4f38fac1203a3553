import BackdropDepth
import BackdropImaging

/// One of the people in a picture.
package struct PersonMask: Sendable, Identifiable {
  /// The person's number, constant within a stream.
  package let id: Int
  /// The box round the person's visible part in the matte, in pixels of the picture; empty for a hidden person.
  package var box: Rect
  /// The face, from the brows to the chin, in pixels of the picture; `nil` if none is visible.
  package var face: Rect?
  /// The networks' confidence in the person, 0…1; 0 for a part of the matte without a visible face or body.
  package var score: Double
  /// The fraction of the picture that the person covers, 0…1.
  package var coverage: Double
  /// The person's importance in the picture, by size, position and face: the main person has the largest.
  package var weight: Double
}

/// The separate people in a picture, and the person of each part of everybody's matte.
///
///     let finder = try PeopleFinder()
///     let found = try finder.find(in: image, matte: matte)
///     for person in found.people { try save(found.matte(of: [person.id]), person.face) }
package struct PeopleInPicture: Sendable {
  /// The people, from left to right.
  package internal(set) var people: [PersonMask]
  package let width: Int, height: Int
  private let matte: Matte
  private let edges: PeopleEdges?
  /// The person of each square of the grid, by id; −1 beyond the people's surroundings.
  private let owner: [Int32]

  init(
    _ people: [PersonMask], size: (width: Int, height: Int), matte: Matte, edges: PeopleEdges? = nil,
    owner: [Int32] = []
  ) {
    self.people = people.sorted { ($0.box.center.x, $0.id) < ($1.box.center.x, $1.id) }
    (width, height) = size
    (self.matte, self.edges, self.owner) = (matte, edges, owner)
  }

  /// The matte of the people with these numbers, at the size of everybody's matte. The mattes of all people add up to everybody's, except
  /// for rounding and points where three meet.
  package func matte(of ids: some Sequence<Int>) -> Matte {
    var result = Matte(constant: 0, width: 1, height: 1)
    cut(ids, into: &result)
    return result
  }

  /// Writes the matte of some people into reused memory.
  func cut(_ ids: some Sequence<Int>, into result: inout Matte) {
    let kept = Set(ids.map { Int32($0) })
    guard let edges, !kept.isEmpty else {
      result = Matte(constant: 0, width: matte.width, height: matte.height)
      return
    }
    edges.cut(matte, keep: owner.map { kept.contains($0) ? 1 : 0 }, into: &result)
  }

  /// The person at a point of the picture, in its pixels; else the person whose face is there, or who is within a hundredth of the
  /// picture; `nil` for nobody.
  package func person(atX x: Double, y: Double) -> PersonMask? {
    guard let edges, x >= 0, y >= 0, x < Double(width), y < Double(height) else { return nil }
    let grid = edges.grid
    func id(_ x: Double, _ y: Double) -> Int? {
      let column = Int(x / Double(width) * Double(grid.matteWidth) / Double(grid.step))
      let row = Int(y / Double(height) * Double(grid.matteHeight) / Double(grid.step))
      guard column >= 0 && row >= 0 && column < grid.width && row < grid.height else { return nil }
      let square = row * grid.width + column
      return grid.opacity[square] > 0.5 && owner[square] >= 0 ? Int(owner[square]) : nil
    }
    if let id = id(x, y) { return people.first { $0.id == id } }
    if let person = people.first(where: { $0.face?.contains(x, y) ?? false }) { return person }
    let reach = 0.01 * Double(max(width, height))
    for part in [0.5, 1] {
      for (u, v) in [(1.0, 0.0), (0, 1), (-1, 0), (0, -1), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7)] {
        if let id = id(x + u * part * reach, y + v * part * reach) { return people.first { $0.id == id } }
      }
    }
    return nil
  }

  package var byWeight: [PersonMask] { people.sorted { ($0.weight, -$0.id) > ($1.weight, -$1.id) } }

  /// A point on a person: the face's centre, or a point of the body.
  package func point(on person: PersonMask) -> (x: Int, y: Int) {
    if let face = person.face, self.person(atX: face.center.x, y: face.center.y)?.id == person.id {
      return (Int(face.center.x), Int(face.center.y))
    }
    guard let edges else { return (0, 0) }
    let grid = edges.grid
    let middle = SIMD2(person.box.center.x, person.box.center.y)
    var best = (distance: Double.infinity, point: middle)
    for square in owner.indices where owner[square] == Int32(person.id) && grid.opacity[square] > 0.5 {
      let point = grid.point(square, width: width, height: height)
      let away = point - middle
      let distance = (away * away).sum()
      if distance < best.distance { best = (distance, point) }
    }
    return (Int(best.point.x), Int(best.point.y))
  }
}
