import BackdropDepth
import BackdropImaging

/// Cuts some people out of everybody's matte, at pixel level. Where people touch, a random walker along the picture's edges finds the
/// border in a narrow band round the coarse one, at twice the resolution in each round.
struct PeopleEdges {
  private static let sweeps = 16
  /// The weight of the coarser border.
  private static let priorWeight: Float = 0.004

  let grid: PeopleGrid
  let guide: GuidePicture
  /// Half of the band's width, in squares of each resolution: the possible error of the coarse border.
  var reach = 2

  /// Writes the part of `matte` in the squares whose `keep` is 1, also in the people's surroundings, where they are faintly visible. The
  /// memory of `result` is reused if it fits.
  func cut(_ matte: Matte, keep: [UInt8], into result: inout Matte) {
    var level = Level(flags: keep, width: grid.width, height: grid.height, step: grid.step)
    var soft: [(index: Int, value: Float)] = []
    guide.withPixels { pixels in
      while true {
        let band = Band(level, matte, reach: reach)
        if !band.isEmpty {
          let values = band.solve(level.flags, pixels, sweeps: Self.sweeps, prior: Self.priorWeight)
          if level.step == 1 {
            soft = zip(band.squares, values).map { (Int($0), $1) }
          } else {
            for (square, value) in zip(band.squares, values) { level.flags[Int(square)] = value > 0.5 ? 1 : 0 }
          }
        }
        if level.step == 1 { break }
        level = level.finer(for: matte)
      }
    }
    result.q15.fit(matte.width, matte.height)
    for y in 0..<level.height {
      let from = matte.q15.row(y)
      var to = result.q15.mutableRow(y)
      for x in from.indices { to[x] = level.flags[y * level.width + x] == 0 ? 0 : from[x] }
    }
    for (index, value) in soft {
      let (x, y) = (index % level.width, index / level.width)
      // Steeper than the walker's answer, because few pixels belong to two people.
      let part = min(max((value - 0.5) * 2 + 0.5, 0), 1)
      result.q15[x, y] = UInt16((Float(min(matte.q15[x, y], Matte.one)) * part).rounded())
    }
  }

  /// The kept squares at one resolution, as 1 and 0.
  private struct Level {
    var flags: [UInt8]
    let width: Int, height: Int, step: Int

    /// The same squares at twice the resolution, four for each.
    func finer(for matte: Matte) -> Level {
      let step = step / 2
      let (wide, high) = ((matte.width + step - 1) / step, (matte.height + step - 1) / step)
      var finer = [UInt8](repeating: 0, count: wide * high)
      for y in 0..<high {
        let from = y / 2 * width
        for x in 0..<wide { finer[y * wide + x] = flags[from + x / 2] }
      }
      return Level(flags: finer, width: wide, height: high, step: step)
    }
  }

  /// The squares near a border, in rows.
  private struct Band {
    private(set) var squares: [Int32] = []
    let width: Int, height: Int, step: Int
    var isEmpty: Bool { squares.isEmpty }

    /// Collects the squares near borders where the matte shows a person.
    init(_ level: Level, _ matte: Matte, reach: Int) {
      (width, height, step) = (level.width, level.height, level.step)
      let (width, height, step) = (width, height, step)
      // Visit the surroundings of borders only, which are few.
      var near: [Int32] = []
      func isSomebody(_ x: Int, _ y: Int) -> Bool {
        matte.q15[min(x * step + step / 2, matte.width - 1), min(y * step + step / 2, matte.height - 1)] > 655
      }
      level.flags.withUnsafeBufferPointer { flags in
        for y in 0..<height {
          for x in 0..<width {
            let at = y * width + x
            let isBorder =
              x + 1 < width && flags[at] != flags[at + 1] || y + 1 < height && flags[at] != flags[at + width]
            if isBorder && isSomebody(x, y) { near.append(Int32(at)) }
          }
        }
      }
      guard !near.isEmpty else { return }
      var found: [Int32] = []
      for at in near {
        let (x, y) = (Int(at) % width, Int(at) / width)
        for row in max(0, y - reach)...min(height - 1, y + reach + 1) {
          for column in max(0, x - reach)...min(width - 1, x + reach + 1) { found.append(Int32(row * width + column)) }
        }
      }
      found.sort()
      for square in found where square != squares.last { squares.append(square) }
    }

    /// The fraction of each square to keep, 0…1.
    func solve(_ flags: [UInt8], _ pixels: GuidePicture.Pixels, sweeps: Int, prior: Float) -> [Float] {
      let count = squares.count
      let colors = squares.map { pixels.mean(Int($0) % width, Int($0) / width, step: step) }
      // The neighbours on the right and below, or −1.
      var (right, down) = ([Int](repeating: -1, count: count), [Int](repeating: -1, count: count))
      var below = 0
      var likeness = ColorLikeness()
      for i in 0..<count {
        if i + 1 < count, squares[i + 1] == squares[i] + 1, Int(squares[i + 1]) % width != 0 {
          right[i] = i + 1
          likeness.add(ColorLikeness.difference(colors[i], colors[i + 1]))
        }
        while below < count && squares[below] < squares[i] + Int32(width) { below += 1 }
        if below < count, squares[below] == squares[i] + Int32(width) {
          down[i] = below
          likeness.add(ColorLikeness.difference(colors[i], colors[below]))
        }
      }
      var walker = RandomWalker(count: count)
      func weight(_ a: Int, _ b: Int) -> Float { likeness(ColorLikeness.difference(colors[a], colors[b])) }
      for i in 0..<count {
        if right[i] >= 0 { walker.join(i, right: right[i], weight(i, right[i])) }
        if down[i] >= 0 { walker.join(i, down: down[i], weight(i, down[i])) }
      }
      var values = squares.map { Float(flags[Int($0)]) }
      for i in 0..<count {
        walker.pull(i, to: values[i], prior)
        // Squares beyond the band are decided; the links to them assume that colours continue.
        let (x, y) = (Int(squares[i]) % width, Int(squares[i]) / width)
        let isJoined = walker.isJoined(i)
        for (isIn, exists, offset) in [
          (isJoined.left, x > 0, -1), (isJoined.right, x + 1 < width, 1), (isJoined.up, y > 0, -width),
          (isJoined.down, y + 1 < height, width),
        ] where !isIn && exists {
          walker.pull(i, to: Float(flags[Int(squares[i]) + offset]), 1)
        }
      }
      walker.relax(&values, sweeps: sweeps)
      return values
    }
  }
}
