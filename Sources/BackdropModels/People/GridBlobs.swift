/// Connected regions of squares, four neighbours each.
struct GridBlobs {
  /// The squares of each region.
  private(set) var members: [[Int]] = []
  private var number: [Int32]

  init(_ isIn: [Bool], width: Int) {
    number = [Int32](repeating: -1, count: isIn.count)
    var waiting: [Int] = []
    for start in isIn.indices where isIn[start] && number[start] < 0 {
      let label = Int32(members.count)
      var squares: [Int] = []
      number[start] = label
      waiting.append(start)
      while let at = waiting.popLast() {
        squares.append(at)
        PeopleGrid.visitNeighbors(of: at, width: width, count: isIn.count) { next in
          guard isIn[next] && number[next] < 0 else { return }
          number[next] = label
          waiting.append(next)
        }
      }
      squares.sort()
      members.append(squares)
    }
  }

  /// The number of a square's region; `nil` if it has none.
  func blob(of square: Int) -> Int? { number[square] < 0 ? nil : Int(number[square]) }
}
