import Libc

/// The evidence in a difference to the plate, measured on the stream itself: how often it occurs where the network is certain of the
/// background, and of a person.
///
/// A wrong plate thus has no effect, because it differs everywhere. If a person has the wall's colour, only differences count.
struct PlateEvidence {
  static let binCount = 24
  /// Ratios are between `-maximumAgainst` and `most`, in natural logarithms, because agreement with the plate counts less.
  static let most: Float = 4, maximumAgainst: Float = 3

  /// The shares of differences of one kind, one per bin, and whether there were any.
  private struct Shares {
    var values = [Float](repeating: 0, count: binCount)
    var isKnown = false

    mutating func mix(_ counts: [Int32]) {
      let total = counts.reduce(0, +)
      guard total > 0 else { return }
      let gain: Float = isKnown ? 0.2 : 1
      for bin in 0..<binCount { values[bin] += gain * (Float(counts[bin]) / Float(total) - values[bin]) }
      isKnown = true
    }
  }

  private var background = Shares(), person = Shares()

  /// Larger differences are equal, in standard deviations; the resolution is 1/16.
  static let largest: Float = 63.9

  /// The position of a difference between the bins: four for each doubling of 1 + difference. The index is the difference times 16.
  private static let positions: [Float] = (0..<1024).map { index in
    min(Float(binCount - 1), log2(1 + (Float(index) + 0.5) / 16) * 4)
  }
  static let bins: [UInt8] = positions.map { UInt8($0) }

  /// Adds a frame's counts, one per bin.
  mutating func add(background counts: [Int32], person others: [Int32]) {
    background.mix(counts)
    // A few samples of a person do not represent people's appearance.
    if others.reduce(0, +) > 100 { person.mix(others) }
  }

  /// The logarithm of how much likelier a difference is on a person than on the background, for each bin, never falling with the
  /// difference; `nil` until both were seen.
  var ratios: [Float]? {
    guard background.isKnown && person.isKnown else { return nil }
    func smoothed(_ shares: [Float], _ bin: Int) -> Float {
      0.25 * shares[max(0, bin - 1)] + 0.5 * shares[bin] + 0.25 * shares[min(Self.binCount - 1, bin + 1)] + 0.01
    }
    let raw = (0..<Self.binCount).map { log(smoothed(person.values, $0) / smoothed(background.values, $0)) }
    var rising = raw
    for bin in 1..<Self.binCount { rising[bin] = max(rising[bin], rising[bin - 1]) }
    var falling = raw
    for bin in (0..<Self.binCount - 1).reversed() { falling[bin] = min(falling[bin], falling[bin + 1]) }
    return (0..<Self.binCount).map { min(max(0.5 * (rising[$0] + falling[$0]), -Self.maximumAgainst), Self.most) }
  }

  /// ``ratios`` for each difference, with the same index; interpolated between the middles of the bins, so that noise makes no steps.
  var ratioTable: [Float]? {
    guard let ratios else { return nil }
    return Self.positions.map { position in
      let middle = max(0, position - 0.5)
      let lower = min(Int(middle), Self.binCount - 2)
      let part = min(middle - Float(lower), 1)
      return ratios[lower] * (1 - part) + ratios[lower + 1] * part
    }
  }
}
