import BackdropImaging

/// Statistics of a depth or disparity map, in its own unit; the values are `nil` if the map has only holes.
public struct RangeStatistics: Sendable, Codable, Equatable {
  /// Pixels with a value.
  public var validCount: Int
  /// Pixels without one.
  public var holeCount: Int
  /// Smallest and largest valid value.
  public var minimum, maximum: Float?
  /// The middle value; of an even number, the smaller of the middle two.
  public var median: Float?
  /// The arithmetic mean of the valid values.
  public var mean: Float?

  /// The fraction of pixels that are holes, 0…1; 1 for a map without pixels.
  public var holeFraction: Double {
    validCount + holeCount == 0 ? 1 : Double(holeCount) / Double(validCount + holeCount)
  }
}

extension RangeMap {
  /// Counts, extent, median and mean of the valid values.
  public var statistics: RangeStatistics {
    let histogram = RadixHistogram(values)
    let valid = histogram.validCount
    var sum = 0.0
    let source = values
    for y in 0..<height {
      let row = source.row(y)
      for x in row.indices { sum += row[x].isNaN ? 0 : Double(row[x]) }
    }
    let extent = self.extent
    return RangeStatistics(
      validCount: valid, holeCount: width * height - valid, minimum: extent?.lowerBound, maximum: extent?.upperBound,
      median: histogram.values(atRanks: valid > 0 ? [(valid - 1) / 2] : [], of: source).first,
      mean: valid > 0 ? Float(sum / Double(valid)) : nil)
  }

  /// The values at the given percentages of the sorted valid values: each is the value at rank `percent / 100 · (count − 1)`, rounded, so
  /// always an existing value. Percentages outside 0…100 are clamped, NaN is 0.
  ///
  /// Exact, by a radix histogram in two passes over the map.
  /// - Returns: one value for each percentage, or none if all pixels are holes.
  public func percentiles(_ percents: [Double]) -> [Float] {
    let histogram = RadixHistogram(values)
    let last = histogram.validCount - 1
    guard last >= 0 else { return [] }
    let ranks = percents.map { Int((min(max($0.isNaN ? 0 : $0, 0), 100) / 100 * Double(last)).rounded()) }
    return histogram.values(atRanks: ranks, of: values)
  }

  /// A single one of ``percentiles(_:)``; `nil` if all pixels are holes.
  public func percentile(_ percent: Double) -> Float? { percentiles([percent]).first }
}

/// Counts samples by the upper half of their bits, in numeric order.
private struct RadixHistogram {
  private var upper: [UInt32]
  let validCount: Int

  /// Bins of the ordered bits without NaN: −infinity…+infinity.
  private static let numbers = 0x007F...0xFF80

  init(_ plane: Plane<Float>) {
    // Two alternating tables: neighbours are similar, and a counter that was just written is slow to read.
    var counts = [UInt32](repeating: 0, count: 2 << 16)
    counts.withUnsafeMutableBufferPointer { counts in
      for y in 0..<plane.height {
        let row = plane.row(y)
        // In range: 16 bits plus one.
        for x in row.indices { counts[Int(Self.ordered(row[x]) >> 16) | (x & 1) << 16] &+= 1 }
      }
      for bin in 0..<1 << 16 { counts[bin] &+= counts[bin | 1 << 16] }
    }
    upper = counts
    validCount = Self.numbers.reduce(0) { $0 + Int(counts[$1]) }
  }

  /// An integer with the same order as the floats.
  @inline(__always)
  private static func ordered(_ value: Float) -> UInt32 {
    let bits = value.bitPattern
    return bits ^ (UInt32(bitPattern: Int32(bitPattern: bits) >> 31) | 1 << 31)
  }

  private static func value(ordered bits: UInt32) -> Float {
    Float(bitPattern: bits >> 31 == 1 ? bits & ~(1 << 31) : ~bits)
  }

  /// The values at `ranks` (from 0, less than ``validCount``) of the sorted valid samples of `plane`, the counted plane.
  func values(atRanks ranks: [Int], of plane: Plane<Float>) -> [Float] {
    // For each rank, its bin, and its rank within that bin.
    var inBins = ranks.map { (bin: Self.numbers.lowerBound, rank: $0) }
    var (bin, before) = (Self.numbers.lowerBound, 0)
    for index in ranks.indices.sorted(by: { ranks[$0] < ranks[$1] }) {
      while ranks[index] - before >= Int(upper[bin]) {
        before += Int(upper[bin])
        bin += 1
      }
      inBins[index] = (bin, ranks[index] - before)
    }
    var starts: [Int: Int] = [:]
    var count = 0
    for bin in Set(inBins.map(\.bin)) {
      starts[bin] = count
      count += Int(upper[bin])
    }
    let lower = lowerHalves(ofBins: starts, count, of: plane)
    return inBins.map { Self.value(ordered: UInt32($0.bin) << 16 | UInt32(lower[(starts[$0.bin] ?? 0) + $0.rank])) }
  }

  /// The lower halves of the ordered bits of all samples in some bins, each bin from its start and sorted.
  private func lowerHalves(ofBins starts: [Int: Int], _ count: Int, of plane: Plane<Float>) -> [UInt16] {
    var found = [UInt16](repeating: 0, count: count)
    // The index of a bin's next sample.
    var next = [Int32](repeating: -1, count: 1 << 16)
    for (bin, start) in starts { next[bin] = Int32(start) }
    found.withUnsafeMutableBufferPointer { found in
      next.withUnsafeMutableBufferPointer { next in
        for y in 0..<plane.height {
          let row = plane.row(y)
          for x in row.indices {
            let bits = Self.ordered(row[x])
            let index = next[Int(bits >> 16)]
            guard index >= 0 else { continue }
            found[Int(index)] = UInt16(truncatingIfNeeded: bits)
            next[Int(bits >> 16)] = index + 1
          }
        }
      }
      var spare = [UInt16](repeating: 0, count: count)
      spare.withUnsafeMutableBufferPointer { spare in
        for (bin, start) in starts {
          let range = start..<start + Int(upper[bin])
          for shift in [0, 8] {
            Self.sort(UnsafeMutableBufferPointer(rebasing: found[range]), by: shift, through: spare)
          }
        }
      }
    }
    return found
  }

  /// Sorts by eight bits, stably.
  private static func sort(
    _ samples: UnsafeMutableBufferPointer<UInt16>, by shift: Int, through spare: UnsafeMutableBufferPointer<UInt16>
  ) {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 257) { offsets in
      offsets.initialize(repeating: 0)
      for sample in samples { offsets[Int(sample >> shift & 0xFF) + 1] += 1 }
      for level in 0..<256 { offsets[level + 1] += offsets[level] }
      for index in samples.indices {
        let level = Int(samples[index] >> shift & 0xFF)
        spare[Int(offsets[level])] = samples[index]
        offsets[level] += 1
      }
      for index in samples.indices { samples[index] = spare[index] }
    }
  }
}
