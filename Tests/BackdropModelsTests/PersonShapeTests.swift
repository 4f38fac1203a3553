import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// Following and remembering silhouettes, and the order of people in depth.
@Suite struct PersonShapeTests {
  private static let width = 60, height = 40

  /// An ellipse with exact coverage, except for sampling at its rim.
  private static func ellipse(_ x: Double, _ y: Double) -> [Float] {
    (0..<width * height).map { square in
      var inside = 0
      for part in 0..<64 {
        let u = (Double(square % width) + (Double(part % 8) + 0.5) / 8 - x) / 9
        let v = (Double(square / width) + (Double(part / 8) + 0.5) / 8 - y) / 13
        if u * u + v * v < 1 { inside += 1 }
      }
      return Float(inside) / 64
    }
  }

  @Test func movesByWholeSquares() {
    let shape = PersonShape(Self.ellipse(25, 18).map { $0 > 0.5 ? 1 : 0 }, width: Self.width)
    let wanted = Self.ellipse(29, 15).map { $0 > 0.5 ? Float(1) : 0 }
    #expect(shape.moved(by: SIMD2(4, -3)).values == wanted)
    #expect(shape.moved(by: .zero).values == shape.values)
  }

  /// A shape cut by the edge continues beyond it.
  @Test func comesInFromBeyondTheEdge() {
    let bar = (0..<Self.width * Self.height).map { $0 / Self.width >= 20 ? Float(1) : 0 }
    let moved = PersonShape(bar, width: Self.width).moved(by: SIMD2(0, -5))
    for y in 0..<Self.height { #expect(moved.values[y * Self.width + 7] == (y >= 15 ? 1 : 0), "row \(y)") }
  }

  @Test(arguments: [SIMD2(0.0, 0.0), SIMD2(1.3, 0.4), SIMD2(-1.3, 1.1), SIMD2(2.0, -2.0)])
  func findsWhereItWent(_ way: SIMD2<Double>) throws {
    let shape = PersonShape(Self.ellipse(30, 20), width: Self.width)
    let claims = Self.ellipse(30 + way.x, 20 + way.y).map { 2 * $0 - 1 }
    let move = try #require(shape.move(near: .zero, claims))
    // Half a sample for the rim, and for fitting a parabola to a different curve.
    #expect(abs(move.x - way.x) < 0.25 && abs(move.y - way.y) < 0.25, "\(move)")
  }

  /// The right half is enough to find a silhouette whose left half is hidden; the position of a fully hidden one is unknown.
  @Test func findsWhereItWentByAHalf() throws {
    let shape = PersonShape(Self.ellipse(30, 20), width: Self.width)
    var claims = Self.ellipse(31, 20).map { 2 * $0 - 1 }
    for square in claims.indices where square % Self.width < 31 { claims[square] = 0 }
    let move = try #require(shape.move(near: .zero, claims))
    #expect(abs(move.x - 1) < 0.4 && abs(move.y) < 0.25, "\(move)")
    #expect(shape.move(near: .zero, claims.map { _ in 0 }) == nil)
    #expect(PersonShape(claims.map { _ in 0 }, width: Self.width).move(near: .zero, claims) == nil)
  }

  /// A shape remembers parts that others hide, and forgets parts that have visibly gone.
  @Test func remembersWhatIsHidden() {
    var shape = PersonShape(Self.ellipse(30, 20), width: Self.width)
    let whole = shape.values
    for _ in 0..<8 {
      shape.learn { square in square % Self.width < 30 ? nil : false }
    }
    for square in whole.indices {
      if square % Self.width < 30 {
        #expect(shape.values[square] == whole[square])
      } else {
        #expect(shape.values[square] < 0.01)
      }
    }
  }

  @Test func ordersBothWays() {
    var order = DepthOrder()
    #expect(order[1, 2] == 0)
    order.add(2, 1, widths: (50, 40))
    #expect(order[2, 1] == 0.4 && order[1, 2] == -0.4)
    // A second meeting changes nothing, and neither do similar colours.
    order.add(1, 2, widths: (90, 10))
    order.learn(1, 2, sign: 0.1)
    #expect(order[2, 1] == 0.4)
    for _ in 0..<12 { order.learn(1, 2, sign: 0.8) }
    #expect(order[1, 2] > 0.8 && order[2, 1] < -0.8)
    order.keep([1, 3])
    #expect(order[1, 2] == 0)
  }

  /// Two people walk past each other, and after the first picture no network distinguishes them. Each keeps their own parts, the rear one
  /// in halves and then in pieces.
  @Test func crossingsWithoutFaces() throws {
    let tracker = PeopleTracker(nil)
    var ids: (rear: Int32, front: Int32)?
    for index in 0...90 {
      let part = Double(index) / 90
      let figures = [
        Crowd.Figure(x: 130 + 400 * part, y: 90, head: 46, color: (50, 80, 170)),
        Crowd.Figure(x: 510 - 400 * part, y: 112, head: 52, color: (170, 60, 50)),
      ]
      let crowd = Crowd(figures, width: 640, height: 360, seed: UInt64(index))
      let guide = try GuidePicture(crowd.image, width: 640, height: 360)
      let grid = PeopleGrid(crowd.matte, guide, depth: nil, largestSide: PeopleGrid.largestStreamSide)
      let seen = (index == 0 ? figures : []).map { figure in
        var evidence = figure.evidence
        evidence.lay(on: grid, width: 640, height: 360)
        return evidence
      }
      let owner = tracker.follow(seen, grid, (640, 360), Double(index) / 30, isResting: index > 0)
      func id(_ figure: Crowd.Figure) -> Int32 {
        owner[Int(figure.y) / grid.step * grid.width + Int(figure.x) / grid.step]
      }
      if ids == nil { ids = (id(figures[0]), id(figures[1])) }
      let numbers = try #require(ids)
      var wrong = 0
      for square in 0..<grid.count where grid.opacity[square] > 0.9 {
        let (x, y) = (square % grid.width * grid.step, square / grid.width * grid.step)
        // Squares on a border belong to both.
        let owners = [(0, 0), (3, 0), (0, 3), (3, 3)].map { crowd.owner[min(y + $0.1, 359) * 640 + min(x + $0.0, 639)] }
        guard Set(owners).count == 1 else { continue }
        if owner[square] != (owners[0] == 0 ? numbers.rear : numbers.front) { wrong += 1 }
      }
      // A person has about 800 squares.
      #expect(wrong <= 40, "picture \(index): \(wrong) squares")
    }
    #expect(ids?.rear != ids?.front)
  }
}
