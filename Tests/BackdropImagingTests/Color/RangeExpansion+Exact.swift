import Foundation

@testable import BackdropImaging

extension RangeExpansion {
  /// The exact colour, as R′G′B′ of 0…1 before and after.
  func callAsFunction(_ color: [Double]) -> [Double] {
    // Without a model there is no expansion.
    let curves = source.model!.curves
    let light = (matrix * (0..<3).map { curves[$0].light(color[$0]) }).map { max($0, 0) }
    guard target.transfer == .hlg else {
      return light.map { HighDynamicRange.samplePQ($0 * HighDynamicRange.maximumPQ) }
    }
    // The inverse of the screen's system gamma.
    let luminance = zip(weights, light).reduce(0) { $0 + $1.0 * $1.1 }
    let gain = luminance > 0 ? pow(luminance, 1 / HighDynamicRange.gammaHLG - 1) : 0
    return light.map { HighDynamicRange.sampleHLG($0 * gain) }
  }
}
