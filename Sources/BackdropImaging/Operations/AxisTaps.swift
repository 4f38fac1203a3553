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
final class RowTable: @unchecked Sendable {
  // Written only by the initialiser, and freed by the last owner.
  let table: UnsafeMutablePointer<bd_rows>
  private let first: UnsafeMutablePointer<Int32>
  private let weights: UnsafeMutablePointer<Float>
  let count: Int
  let taps: Int

  init(_ axis: AxisTaps) {
    let taps = axis.width
    first = .allocate(capacity: axis.count)
    weights = .allocate(capacity: axis.count * taps)
    for i in 0..<axis.count {
      let row = axis.padded(i, width: taps)
      first[i] = Int32(row.first)
      for k in 0..<taps { weights[i * taps + k] = Float(row.weights[k]) }
    }
    table = .allocate(capacity: 1)
    table.initialize(to: bd_rows(taps: Int32(taps), first: first, weights: weights))
    count = axis.count
    self.taps = taps
  }

  deinit {
    table.deallocate()
    first.deallocate()
    weights.deallocate()
  }
}

/// The horizontal taps, in the memory layout of one CPU level's kernels.
final class ColumnTable: @unchecked Sendable {
  // Written only by the initialiser, and freed by the last owner.
  let table: UnsafeMutablePointer<bd_columns>
  private let integers: UnsafeMutablePointer<Int32>
  private let floats: UnsafeMutablePointer<Float>

  init(_ axis: AxisTaps, channels: Int, level: CPULevel) {
    let taps = axis.width
    let width = axis.count
    let lanes = level == .v4 ? 16 : 8
    let samples = width * channels
    let blocks = (samples + lanes - 1) / lanes
    integers = .allocate(capacity: width + blocks + blocks * lanes)
    floats = .allocate(capacity: width * taps + blocks * taps * lanes)
    let first = integers
    let base = integers + width
    let index = base + blocks
    let pixelWeights = floats
    let weights = floats + width * taps
    for x in 0..<width {
      let row = axis.padded(x, width: taps)
      first[x] = Int32(row.first)
      for k in 0..<taps { pixelWeights[x * taps + k] = Float(row.weights[k]) }
    }
    var narrow = true
    for block in 0..<blocks {
      let members = block * lanes..<min((block + 1) * lanes, samples)
      let sources = members.map { Int(first[$0 / channels]) * channels + $0 % channels }
      // A block has at least one member.
      let low = sources.min()!
      base[block] = Int32(low)
      for j in 0..<lanes {
        let inside = j < members.count
        index[block * lanes + j] = inside ? Int32(sources[j] - low) : 0
        narrow = narrow && index[block * lanes + j] < lanes
        for k in 0..<taps {
          weights[(block * taps + k) * lanes + j] =
            inside ? pixelWeights[members[members.startIndex + j] / channels * taps + k] : 0
        }
      }
    }
    table = .allocate(capacity: 1)
    table.initialize(
      to: bd_columns(
        width: Int32(width), channels: Int32(channels), taps: Int32(taps), lanes: Int32(lanes), narrow: narrow ? 1 : 0,
        first: first, pixel_weights: pixelWeights, base: base, index: index, weights: weights))
  }

  deinit {
    table.deallocate()
    integers.deallocate()
    floats.deallocate()
  }
}
