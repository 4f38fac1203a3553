/// The connectivity error of Rhemann et al. in the variant of Robust Video Matting's script.
enum ConnectivityError {
  private static let steps = 10
  private static let tolerance: Float = 0.15

  private static func level(_ step: Int) -> Float { Float(Double(step) * 0.1) }

  /// Σ |φ(matte) − φ(truth)| with φ = 1 − d if d ≥ 0.15, else 1; d is a pixel's distance above the last level at which
  /// it still belongs to the largest 4-connected region in which both mattes reach that level.
  static func sum(_ matte: UnitMatte, _ truth: UnitMatte) -> Double {
    let both = zip(matte.opacity, truth.opacity).map { min($0, $1) }
    var connected = [Float](repeating: -1, count: both.count)
    for step in 1...steps {
      let regions = Regions(of: both, atLeast: level(step), width: matte.width, height: matte.height)
      let previous = level(step - 1)
      // Everything outside the region's runs, in order.
      var next = 0
      for run in regions.largest {
        for index in next..<run.lowerBound where connected[index] == -1 { connected[index] = previous }
        next = run.upperBound
      }
      for index in next..<both.count where connected[index] == -1 { connected[index] = previous }
    }
    var sum = 0.0
    for index in both.indices {
      let last = connected[index] == -1 ? 1 : connected[index]
      let found = matte.opacity[index] - last
      let wanted = truth.opacity[index] - last
      sum += Double(abs((found >= tolerance ? found : 0) - (wanted >= tolerance ? wanted : 0)))
    }
    return sum
  }
}

/// The 4-connected regions of samples at or above a level, as runs within rows joined by union-find.
private struct Regions {
  /// The runs (ranges of sample indices, ascending) of the largest region; among equal ones, of the first from top
  /// left.
  let largest: [Range<Int>]

  init(of samples: [Float], atLeast level: Float, width: Int, height: Int) {
    var runs: [Range<Int>] = []
    var parent: [Int] = []
    func root(_ run: Int) -> Int {
      var run = run
      while parent[run] != run {
        parent[run] = parent[parent[run]]
        run = parent[run]
      }
      return run
    }
    var above = 0..<0
    for y in 0..<height {
      let first = runs.count
      var x = y * width
      let end = x + width
      while x < end {
        guard samples[x] >= level else {
          x += 1
          continue
        }
        let start = x
        while x < end && samples[x] >= level { x += 1 }
        runs.append(start..<x)
        parent.append(runs.count - 1)
      }
      var upper = above.lowerBound
      for lower in first..<runs.count {
        // Runs of the row above, moved down one row, that overlap this one.
        while upper < above.upperBound && runs[upper].upperBound + width <= runs[lower].lowerBound { upper += 1 }
        var touching = upper
        while touching < above.upperBound && runs[touching].lowerBound + width < runs[lower].upperBound {
          let (a, b) = (root(touching), root(lower))
          parent[max(a, b)] = min(a, b)
          touching += 1
        }
      }
      above = first..<runs.count
    }
    var sizes = [Int](repeating: 0, count: runs.count)
    for run in runs.indices { sizes[root(run)] += runs[run].count }
    var best = 0
    for run in sizes.indices where sizes[run] > sizes[best] { best = run }
    largest = runs.indices.filter { root($0) == best }.map { runs[$0] }
  }
}
