import BackdropImaging

/// Why a pixel of a depth map has no distance: what its source has in its place.
///
/// A hole is NaN, and the kind is in the NaN's payload, so that it goes along wherever pixels are moved. What a filter or a
/// resampling leaves without a value is ``notANumber`` too.
public enum DepthHole: String, Sendable, Codable, CaseIterable {
  /// NaN.
  case notANumber
  /// 0, as most sensors write where they measured nothing.
  case zero
  /// 65535 of 16-bit numbers of a sensor, the mark of 7-Scenes (Shotton et al. 2013) and of saturated pixels of RealSense cameras.
  case fullScale
  /// Plus or minus infinity.
  case infinite
  /// Below 0.
  case negative
  /// A distance that the sensor itself trusts too little.
  case lowConfidence

  /// The mark of our payloads: another program's NaN is a plain one.
  private static let mark: UInt32 = 0x7FC0_BD00

  /// The number that is no number, which stands for it in a map.
  @inline(__always)
  var value: Float {
    switch self {
    case .notANumber: .nan
    case .zero: Float(bitPattern: Self.mark | 1)
    case .fullScale: Float(bitPattern: Self.mark | 2)
    case .infinite: Float(bitPattern: Self.mark | 3)
    case .negative: Float(bitPattern: Self.mark | 4)
    case .lowConfidence: Float(bitPattern: Self.mark | 5)
    }
  }

  /// The kind of hole in a sample; `nil` for a distance.
  init?(_ sample: Float) {
    guard sample.isNaN else { return nil }
    let bits = sample.bitPattern
    self =
      switch bits & 0x7FFF_FF00 == Self.mark ? bits & 255 : 0 {
      case 1: .zero
      case 2: .fullScale
      case 3: .infinite
      case 4: .negative
      case 5: .lowConfidence
      default: .notANumber
      }
  }
}

extension DepthMap {
  /// How many holes of each kind there are; kinds that there are none of are left out.
  public var holes: [DepthHole: Int] {
    var result: [DepthHole: Int] = [:]
    for y in 0..<height {
      let row = metres.row(y)
      for x in row.indices {
        if let hole = DepthHole(row[x]) { result[hole, default: 0] += 1 }
      }
    }
    return result
  }
}

extension DepthMap {
  /// What stands in a plane of metres where the sensor has a distance that it trusts too little.
  package static var unsure: Float { DepthHole.lowConfidence.value }
}

extension Float {
  /// The value itself if it is positive and finite, a hole otherwise; of a hole the kind stays.
  @inline(__always)
  var positiveOrHole: Float {
    if self > 0 && self < .infinity || isNaN { return self }
    return self == 0
      ? DepthHole.zero.value : magnitude == .infinity ? DepthHole.infinite.value : DepthHole.negative.value
  }
}
