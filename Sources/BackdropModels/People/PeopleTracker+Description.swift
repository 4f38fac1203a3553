import BackdropDepth
import BackdropImaging

extension PeopleTracker {
  func describe(
    _ owner: [Int32], _ grid: PeopleGrid, _ guide: GuidePicture, _ matte: Matte, _ size: (width: Int, height: Int)
  ) -> PeopleInPicture {
    let (width, height) = size
    let side = (
      Double(grid.step) / Double(grid.matteWidth) * Double(width),
      Double(grid.step) / Double(grid.matteHeight) * Double(height)
    )
    let people = tracks.map { track in
      let squares = owner.indices.filter { owner[$0] == Int32(track.id) }
      let sum = squares.reduce(Float(0)) { $0 + grid.opacity[$1] }
      var box = Rect(x: 0, y: 0, width: 0, height: 0)
      if sum != 0, let round = IntegerRect(round: squares, width: grid.width) {
        (box.x, box.y) = (Double(round.x) * side.0, Double(round.y) * side.1)
        box.width = min(Double(width), Double(round.x + round.width) * side.0) - box.x
        box.height = min(Double(height), Double(round.y + round.height) * side.1) - box.y
      }
      let coverage = Double(sum) / Double(max(1, grid.count))
      let aside = abs(box.center.x / Double(max(1, width)) - 0.5) * 2
      let known = track.face != nil ? 1 : track.score > 0 ? 0.4 : 0.1
      return PersonMask(
        id: track.id, box: box, face: track.face, score: track.score, coverage: coverage,
        weight: coverage * (1 - 0.6 * aside) * known)
    }
    return PeopleInPicture(
      people, size: size, matte: matte, edges: PeopleEdges(grid: grid, guide: guide, reach: isThorough ? 2 : 1),
      owner: grid.nearest(owner).owner)
  }
}
