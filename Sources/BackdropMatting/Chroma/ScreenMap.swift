import BackdropImaging

/// The screen's colour everywhere in the picture, because light never falls evenly on it. It is measured in cells with visible screen,
/// spreads to the others, and follows the stream slowly.
struct ScreenMap {
  static let columns = 32, rows = 18
  /// The number of sampled pixels across a cell's width and height.
  private static let samples = 8
  /// The fraction of a cell's samples that must be screen.
  private static let minimumShare = 0.3
  /// If all cells are alike, deviations up to this are the screen's own.
  private static let calm: Float = 0.03
  /// The fraction of the way that a cell moves to the next picture's value.
  private static let pace: Float = 0.15

  /// Red, green and blue of each cell, 0…255.
  private(set) var cells = [SIMD3<Float>](repeating: .zero, count: columns * rows)
  /// The standard deviation of the screen's excess within a typical cell, as a fraction of it.
  private(set) var noise: Float = 0
  /// The fraction of the picture covered by the screen, and the fraction of its upper and outer borders.
  private(set) var share = 0.0, borderShare = 0.0
  private var isEmpty = true

  /// Measures the screen in the next picture: `bgra8`, not empty.
  mutating func update(_ image: Image, _ screen: ScreenColor) {
    var sums = [SIMD3<Float>](repeating: .zero, count: cells.count)
    var counts = [Float](repeating: 0, count: cells.count)
    var (excesses, squares) = (counts, counts)
    var (seen, all, seenAtBorder, allAtBorder) = (0, 0, 0, 0)
    let (columns, rows) = (Self.columns * Self.samples, Self.rows * Self.samples)
    for row in 0..<rows {
      let y = (2 * row + 1) * image.height / (2 * rows)
      let line = image.row(y)
      for column in 0..<columns {
        let x = 4 * ((2 * column + 1) * image.width / (2 * columns))
        let pixel = SIMD3(Float(line[x + 2]), Float(line[x + 1]), Float(line[x]))
        let isBorder = row < Self.samples || column < Self.samples || column >= columns - Self.samples
        let isScreen = screen.isLike(pixel)
        all += 1
        if isBorder { allAtBorder += 1 }
        guard isScreen else { continue }
        seen += 1
        if isBorder { seenAtBorder += 1 }
        let cell = row / Self.samples * Self.columns + column / Self.samples
        let excess = ScreenColor.excess(pixel, screen.channel)
        sums[cell] += pixel
        counts[cell] += 1
        excesses[cell] += excess
        squares[cell] += excess * excess
      }
    }
    (share, borderShare) = (Double(seen) / Double(all), Double(seenAtBorder) / Double(allAtBorder))
    let least = Float(Self.samples * Self.samples) * Float(Self.minimumShare)
    var deviations = [Float](repeating: .infinity, count: cells.count)
    for cell in cells.indices where counts[cell] >= least {
      let mean = excesses[cell] / counts[cell]
      deviations[cell] = (max(0, squares[cell] / counts[cell] - mean * mean) / max(1, mean * mean)).squareRoot()
    }
    let measured = deviations.filter(\.isFinite).sorted()
    let deviation = measured.isEmpty ? 0 : measured[measured.count / 2]
    // In a cell with more variation an edge of the person is mixed with the screen.
    let found = cells.indices.map { cell in
      deviations[cell] <= 2 * deviation + Self.calm ? sums[cell] / counts[cell] : nil
    }
    let whole = Self.filled(found, screen.color)
    let pace = isEmpty ? 1 : Self.pace
    for cell in cells.indices { cells[cell] += pace * (whole[cell] - cells[cell]) }
    noise += pace * (deviation - noise)
    isEmpty = false
  }

  /// Cells without a colour get their neighbours' mean, from the measured ones outwards.
  private static func filled(_ found: [SIMD3<Float>?], _ usual: SIMD3<Float>) -> [SIMD3<Float>] {
    var cells = found
    guard found.contains(where: { $0 != nil }) else { return found.map { _ in usual } }
    while cells.contains(where: { $0 == nil }) {
      let last = cells
      for cell in last.indices where last[cell] == nil {
        let near = neighbors(cell).compactMap { last[$0] }
        if !near.isEmpty { cells[cell] = near.reduce(.zero, +) / Float(near.count) }
      }
    }
    // All cells have a colour at this point.
    let known = cells.map { $0 ?? usual }
    return known.indices.map { cell in
      let near = neighbors(cell)
      return (2 * known[cell] + near.reduce(.zero) { $0 + known[$1] } / Float(near.count)) / 3
    }
  }

  private static func neighbors(_ cell: Int) -> [Int] {
    let (x, y) = (cell % columns, cell / columns)
    var result: [Int] = []
    for row in max(0, y - 1)...min(rows - 1, y + 1) {
      for column in max(0, x - 1)...min(columns - 1, x + 1) where row != y || column != x {
        result.append(row * columns + column)
      }
    }
    return result
  }

  /// The colours along the middles of the rows of cells, in a picture of that width: for each row of cells the channels in that order, a
  /// plane of `width` each. Colours are interpolated linearly between the middles, and constant beyond the outer ones.
  func wide(_ width: Int, channels: [Int]) -> [Float] {
    let step = Float(Self.columns) / Float(width)
    var result = [Float](repeating: 0, count: Self.rows * channels.count * width)
    for x in 0..<width {
      let position = min(max((Float(x) + 0.5) * step - 0.5, 0), Float(Self.columns - 1))
      let left = Int(position)
      let (right, part) = (min(left + 1, Self.columns - 1), position - Float(left))
      for row in 0..<Self.rows {
        let (a, b) = (cells[row * Self.columns + left], cells[row * Self.columns + right])
        let color = a + part * (b - a)
        for (plane, channel) in channels.enumerated() {
          result[(row * channels.count + plane) * width + x] = color[channel]
        }
      }
    }
    return result
  }

  /// The rows of cells above and below a row of a picture, and its position between them, 0…1.
  static func rows(at y: Int, height: Int) -> (above: Int, below: Int, part: Float) {
    let position = min(max((Float(y) + 0.5) / Float(height) * Float(rows) - 0.5, 0), Float(rows - 1))
    let above = Int(position)
    return (above, min(above + 1, rows - 1), position - Float(above))
  }
}
