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
      var (left, top, right, bottom, sum) = (Int.max, Int.max, 0, 0, Float(0))
      for square in owner.indices where owner[square] == Int32(track.id) {
        let (x, y) = (square % grid.width, square / grid.width)
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x + 1), max(bottom, y + 1))
        sum += grid.opacity[square]
      }
      let box =
        sum == 0
        ? Rect(x: 0, y: 0, width: 0, height: 0)
        : Rect(
          x: Double(left) * side.0, y: Double(top) * side.1,
          width: min(Double(width), Double(right) * side.0) - Double(left) * side.0,
          height: min(Double(height), Double(bottom) * side.1) - Double(top) * side.1)
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
