import BackdropImaging

/// The reason why a pixel of a depth map has no distance, as marked by its source.
///
/// A hole is NaN, and the kind is in the NaN's payload, which moves with the pixel. Pixels left without a value by a filter or a resampling
/// are ``notANumber`` too.
package enum DepthHole: String, Sendable, Codable, CaseIterable {
  case notANumber
  /// 0, the usual mark of sensors for no measurement.
  case zero
  /// 65535 in a sensor's 16-bit values, the mark of 7-Scenes (Shotton et al. 2013) and of saturated pixels of RealSense cameras.
  case fullScale
  case infinite
  case negative
  /// A distance with too little confidence from the sensor itself.
  case lowConfidence

  /// The mark of these payloads; other programs' NaNs do not have it.
  private static let mark: UInt32 = 0x7FC0_BD00

  /// The NaN that represents it in a map.
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
  /// The number of holes of each kind; kinds without holes are left out.
  package var holes: [DepthHole: Int] {
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
  /// The mark in a plane of metres for a distance with too little confidence from the sensor.
  package static var unsure: Float { DepthHole.lowConfidence.value }
}

extension Float {
  /// The value itself if it is positive and finite, a hole otherwise; a hole keeps its kind.
  @inline(__always)
  var positiveOrHole: Float {
    if self > 0 && self < .infinity || isNaN { return self }
    return self == 0
      ? DepthHole.zero.value : magnitude == .infinity ? DepthHole.infinite.value : DepthHole.negative.value
  }
}
