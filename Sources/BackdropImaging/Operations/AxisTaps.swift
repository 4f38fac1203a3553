import CBackdropKernels

/// Source samples and their weights for every output sample of one axis, in Double.
struct AxisTaps {
  /// Source samples available for reading; taps outside move to the nearest one.
  let range: Range<Int>
  private(set) var first: [Int] = []
  private(set) var weights: [[Double]] = []

  init(range: Range<Int>) { self.range = range }

  static func identity(_ count: Int) -> AxisTaps {
    var result = AxisTaps(range: 0..<count)
    for index in 0..<count { result.append(from: index, weights: [1]) }
    return result
  }

  var count: Int { first.count }
  /// The largest number of weights.
  var width: Int { weights.reduce(1) { max($0, $1.count) } }

  /// Whether every output is the mean of two neighbours, each used once.
  var halves: Bool {
    range == 0..<2 * count && first == (0..<count).map { 2 * $0 } && weights.allSatisfy { $0 == [0.5, 0.5] }
  }

  /// Adds an output sample; weights are scaled to a sum of 1.
  mutating func append(from start: Int, weights raw: [Double]) {
    let sum = raw.reduce(0, +)
    let low = min(max(start, range.lowerBound), range.upperBound - 1)
    let high = min(max(start + raw.count - 1, range.lowerBound), range.upperBound - 1)
    var folded = [Double](repeating: 0, count: high - low + 1)
    for (k, weight) in raw.enumerated() {
      folded[min(max(start + k, low), high) - low] += weight / sum
    }
    first.append(low)
    weights.append(folded)
  }

  /// The first sample and exactly `width` weights for output `i`, all within the range.
  func padded(_ i: Int, width: Int) -> (first: Int, weights: [Double]) {
    let start = min(first[i], range.upperBound - width)
    var result = [Double](repeating: 0, count: width)
    for (k, weight) in weights[i].enumerated() { result[first[i] - start + k] = weight }
    return (start, result)
  }
}

/// The vertical taps, in the kernels' memory layout.
struct RowTable: Sendable {
  let table: KernelTable<bd_rows>
  let taps: Int
  private let first: KernelTable<Int32>
  private let weights: KernelTable<Float>

  init(_ axis: AxisTaps) {
    let taps = axis.width
    let rows = (0..<axis.count).map { axis.padded($0, width: taps) }
    self.taps = taps
    first = KernelTable(rows.map { Int32($0.first) })
    weights = KernelTable(rows.flatMap { $0.weights.map { Float($0) } })
    table = KernelTable([bd_rows(taps: Int32(taps), first: first.base, weights: weights.base)])
  }
}

/// The horizontal taps, in the memory layout of one CPU level's kernels.
struct ColumnTable: Sendable {
  let table: KernelTable<bd_columns>
  private let integers: KernelTable<Int32>
  private let floats: KernelTable<Float>

  init(_ axis: AxisTaps, channels: Int, level: CPULevel) {
    let (width, taps, lanes) = (axis.count, axis.width, level == .v4 ? 16 : 8)
    let samples = width * channels
    let blocks = (samples + lanes - 1) / lanes
    let columns = (0..<width).map { axis.padded($0, width: taps) }
    let first = columns.map { Int32($0.first) }
    let pixelWeights = columns.flatMap { $0.weights.map { Float($0) } }
    var base: [Int32] = []
    var index = [Int32](repeating: 0, count: blocks * lanes)
    var weights = [Float](repeating: 0, count: blocks * taps * lanes)
    for block in 0..<blocks {
      let members = block * lanes..<min((block + 1) * lanes, samples)
      let sources = members.map { Int(first[$0 / channels]) * channels + $0 % channels }
      // A block has at least one member.
      let low = sources.min()!
      base.append(Int32(low))
      for (j, sample) in members.enumerated() {
        index[block * lanes + j] = Int32(sources[j] - low)
        for k in 0..<taps { weights[(block * taps + k) * lanes + j] = pixelWeights[sample / channels * taps + k] }
      }
    }
    integers = KernelTable(first + base + index)
    floats = KernelTable(pixelWeights + weights)
    table = KernelTable([
      bd_columns(
        width: Int32(width), channels: Int32(channels), taps: Int32(taps), lanes: Int32(lanes),
        narrow: index.allSatisfy { $0 < lanes } ? 1 : 0, first: integers.base, pixel_weights: floats.base,
        base: integers.base + width, index: integers.base + width + blocks, weights: floats.base + width * taps)
    ])
  }
}
