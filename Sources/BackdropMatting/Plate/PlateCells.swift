/// Counts over cells of 8×8 samples, and the plate's reliability for the samples round them.
struct PlateCells {
  static let size = 8
  private static let countsPerCell = 5
  let columns: Int, rows: Int
  private let width: Int, height: Int
  /// Five counts per cell: certain background; the part of it that the plate explains; certain person; the part of it that looks like the
  /// plate; samples that are more person than not.
  private var counts: [Float]
  /// The weights of ratios for the person, and for the background.
  private(set) var weights: [SIMD2<Float>]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    columns = (width + Self.size - 1) / Self.size
    rows = (height + Self.size - 1) / Self.size
    counts = Array(repeating: 0, count: Self.countsPerCell * columns * rows)
    weights = Array(repeating: .zero, count: columns * rows)
  }

  /// Counts again from zero: `row` receives each row of samples and the counts of its cells. Returns the sums over all cells.
  mutating func count(_ row: (_ y: Int, _ cells: UnsafeMutablePointer<Float>) -> Void) -> [Float] {
    for at in counts.indices { counts[at] = 0 }
    let step = Self.countsPerCell * columns
    counts.withUnsafeMutableBufferPointer { counts in
      guard let base = counts.baseAddress else { return }
      for y in 0..<height { row(y, base + y / Self.size * step) }
    }
    return stride(from: 0, to: counts.count, by: Self.countsPerCell).reduce(into: [0, 0, 0, 0, 0]) { sums, cell in
      for index in sums.indices { sums[index] += counts[cell + index] }
    }
  }

  /// Computes the weights from the counts of 3×3 cells.
  ///
  /// - If certain background differs from the plate, a chair or the camera moved, and nothing counts.
  /// - If a certain person looks like the plate, agreement does not indicate the background.
  /// - More than two cells away from people, a difference does not indicate a person: a cupboard is opened, a screen changes.
  mutating func weigh() {
    for row in 0..<rows {
      for column in 0..<columns {
        var sum = SIMD4<Float>.zero
        var near: Float = 0
        for y in max(0, row - 2)...min(rows - 1, row + 2) {
          for x in max(0, column - 2)...min(columns - 1, column + 2) {
            let cell = (y * columns + x) * Self.countsPerCell
            near += counts[cell + 4]
            if abs(y - row) <= 1 && abs(x - column) <= 1 {
              sum += [counts[cell], counts[cell + 1], counts[cell + 2], counts[cell + 3]]
            }
          }
        }
        // A few additional samples, so that a handful decides little.
        let explained = (sum.y + 4) / (sum.x + 4)
        let alike = sum.w / (sum.z + 8)
        let trust = Self.ramp(explained, from: 0.6, to: 0.9)
        weights[row * columns + column] = [
          near >= 12 ? trust : 0, trust * (1 - Self.ramp(alike, from: 0.3, to: 0.6)),
        ]
      }
    }
  }

  private static func ramp(_ value: Float, from low: Float, to high: Float) -> Float {
    min(max((value - low) / (high - low), 0), 1)
  }

  /// The weights along row `y`, interpolated between the middles of the cells: one list for ratios for the person, one for ratios for the
  /// background.
  func row(_ y: Int, into first: UnsafeMutablePointer<Float>, _ second: UnsafeMutablePointer<Float>) {
    let size = Float(Self.size)
    let position = min(max((Float(y) + 0.5) / size - 0.5, 0), Float(rows - 1))
    let top = Int(position), bottom = min(rows - 1, top + 1)
    let part = position - Float(top)
    func column(_ index: Int) -> SIMD2<Float> {
      let index = min(max(index, 0), columns - 1)
      return weights[top * columns + index] * (1 - part) + weights[bottom * columns + index] * part
    }
    // From the middle of a cell to the next.
    let half = Self.size / 2
    for left in -1..<columns {
      let start = column(left), step = (column(left + 1) - start) / size
      for i in 0..<Self.size {
        let x = left * Self.size + half + i
        guard x >= 0 && x < width else { continue }
        let value = start + step * (Float(i) + 0.5)
        first[x] = value.x
        second[x] = value.y
      }
    }
  }
}
