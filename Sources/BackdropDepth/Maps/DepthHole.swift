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

  /// The part of the payload that differs; 0 for a NaN without the mark.
  @inline(__always)
  private var code: UInt32 {
    switch self {
    case .notANumber: 0
    case .zero: 1
    case .fullScale: 2
    case .infinite: 3
    case .negative: 4
    case .lowConfidence: 5
    }
  }

  /// The NaN that represents it in a map.
  @inline(__always)
  var value: Float { code == 0 ? .nan : Float(bitPattern: Self.mark | code) }

  /// The kind of hole in a sample; `nil` for a distance.
  init?(_ sample: Float) {
    guard sample.isNaN else { return nil }
    let bits = sample.bitPattern
    let code = bits & 0x7FFF_FF00 == Self.mark ? bits & 255 : 0
    self = Self.allCases.first { $0.code == code } ?? .notANumber
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
