import BackdropImaging

/// Statistics of a depth or disparity map, in its own unit; the values are `nil` if the map has only holes.
public struct RangeStatistics: Sendable, Codable, Equatable {
  /// Pixels with a value.
  public var validCount: Int
  /// Pixels without one.
  public var holeCount: Int
  /// Least and greatest valid value.
  public var minimum, maximum: Float?
  /// The value in the middle; of an even number, the smaller of the middle two.
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

  /// The values at the given per cents of the sorted valid values: each one the value at rank
  /// `percent / 100 · (count − 1)`, rounded, so always a value that occurs. Per cents outside 0…100 are clamped, NaN is 0.
  ///
  /// Exact, by a radix histogram in two passes over the map.
  /// - Returns: as many values as per cents, or none if all is holes.
  public func percentiles(_ percents: [Double]) -> [Float] {
    let histogram = RadixHistogram(values)
    let last = histogram.validCount - 1
    guard last >= 0 else { return [] }
    let ranks = percents.map { Int((min(max($0.isNaN ? 0 : $0, 0), 100) / 100 * Double(last)).rounded()) }
    return histogram.values(atRanks: ranks, of: values)
  }

  /// One of ``percentiles(_:)``; `nil` if all is holes.
  public func percentile(_ percent: Double) -> Float? { percentiles([percent]).first }
}

/// Counts of samples by the upper half of their bits, put in the order of the numbers.
private struct RadixHistogram {
  private var upper: [UInt32]
  let validCount: Int

  /// Bins of the ordered bits that no NaN falls into: −infinity…+infinity.
  private static let numbers = 0x007F...0xFF80

  init(_ plane: Plane<Float>) {
    // Two tables in turn: neighbours are alike, and a counter that was just written is slow to read.
    var counts = [UInt32](repeating: 0, count: 2 << 16)
    counts.withUnsafeMutableBufferPointer { counts in
      for y in 0..<plane.height {
        let row = plane.row(y)
        // In range: 16 bits and one.
        for x in row.indices { counts[Int(Self.ordered(row[x]) >> 16) | (x & 1) << 16] &+= 1 }
      }
      for bin in 0..<1 << 16 { counts[bin] &+= counts[bin | 1 << 16] }
    }
    upper = counts
    validCount = Self.numbers.reduce(0) { $0 + Int(counts[$1]) }
  }

  /// A whole number that is in the same order as the floats are.
  @inline(__always)
  private static func ordered(_ value: Float) -> UInt32 {
    let bits = value.bitPattern
    return bits ^ (UInt32(bitPattern: Int32(bitPattern: bits) >> 31) | 1 << 31)
  }

  private static func value(ordered bits: UInt32) -> Float {
    Float(bitPattern: bits >> 31 == 1 ? bits & ~(1 << 31) : ~bits)
  }

  /// The values that would be at `ranks` (from 0, less than ``validCount``) of the sorted valid samples of `plane`,
  /// the plane that was counted.
  func values(atRanks ranks: [Int], of plane: Plane<Float>) -> [Float] {
    // For each rank, the bin that it falls in, and its rank among the samples of that bin.
    let places = ranks.map { rank in
      var rest = rank
      var bin = Self.numbers.lowerBound
      while rest >= Int(upper[bin]) {
        rest -= Int(upper[bin])
        bin += 1
      }
      return (bin: bin, rank: rest)
    }
    var counted: [Int: [UInt32]] = [:]
    for bin in Set(places.map(\.bin)) { counted[bin] = lowerCounts(in: bin, of: plane) }
    return places.map { place in
      var rest = place.rank
      var low = 0
      while let count = counted[place.bin]?[low], rest >= Int(count) {
        rest -= Int(count)
        low += 1
      }
      return Self.value(ordered: UInt32(place.bin) << 16 | UInt32(low))
    }
  }

  /// Counts of the samples in one bin by the lower half of their ordered bits.
  private func lowerCounts(in bin: Int, of plane: Plane<Float>) -> [UInt32] {
    var lower = [UInt32](repeating: 0, count: 1 << 16)
    lower.withUnsafeMutableBufferPointer { lower in
      for y in 0..<plane.height {
        let row = plane.row(y)
        for x in row.indices {
          let bits = Self.ordered(row[x])
          if bits >> 16 == bin { lower[Int(bits & 0xFFFF)] &+= 1 }
        }
      }
    }
    return lower
  }
}
