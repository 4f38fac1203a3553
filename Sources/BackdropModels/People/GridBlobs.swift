import BackdropImaging

/// Connected regions of squares, of four neighbours each, or eight.
struct GridBlobs {
  /// The squares of each region.
  private(set) var members: [[Int]] = []
  private var number: [Int32]

  init(_ isIn: [Bool], width: Int, joinsCorners: Bool = false) {
    number = [Int32](repeating: -1, count: isIn.count)
    var waiting: [Int] = []
    for start in isIn.indices where isIn[start] && number[start] < 0 {
      let label = Int32(members.count)
      var squares: [Int] = []
      number[start] = label
      waiting.append(start)
      while let at = waiting.popLast() {
        squares.append(at)
        func visit(_ next: Int) {
          guard isIn[next] && number[next] < 0 else { return }
          number[next] = label
          waiting.append(next)
        }
        PeopleGrid.visitNeighbors(of: at, width: width, count: isIn.count, visit)
        guard joinsCorners else { continue }
        for row in [at - width, at + width] where isIn.indices.contains(row) {
          if at % width > 0 { visit(row - 1) }
          if at % width + 1 < width { visit(row + 1) }
        }
      }
      squares.sort()
      members.append(squares)
    }
  }

  /// The number of a square's region; `nil` if it has none.
  func blob(of square: Int) -> Int? { number[square] < 0 ? nil : Int(number[square]) }
}

extension IntegerRect {
  /// The smallest rectangle round squares, which are counted in rows of `width`; `nil` for none.
  init?(round squares: some Sequence<Int>, width: Int) {
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for square in squares {
      let (x, y) = (square % width, square / width)
      (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
    }
    guard right >= 0 else { return nil }
    self.init(x: left, y: top, width: right + 1 - left, height: bottom + 1 - top)
  }
}
