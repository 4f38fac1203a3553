import Foundation

/// Converts colours through linear light in Float64, with numbers from other sources than the tested code.
struct ColorOracle: Sendable {
  /// Linear R, G, B to linear R, G, B.
  let matrix: [Double]
  let light: @Sendable (Double) -> Double
  let sample: @Sendable (Double) -> Double

  static func srgbLight(_ x: Double) -> Double { x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4) }
  static func srgbSample(_ y: Double) -> Double { y <= 0.0031308 ? 12.92 * y : 1.055 * pow(y, 1 / 2.4) - 0.055 }

  /// CSS Color Module Level 4, section 18 ("Sample code for color conversions"): lin_P3_to_XYZ, then XYZ_to_lin_sRGB.
  static let p3ToSRGB = ColorOracle(
    matrix: [
      1.2249401762805598, -0.22494017628055996, 0, -0.042056954709688163, 1.0420569547096881, 0, -0.019637554590334432,
      -0.078636045550631889, 1.0982736001409663,
    ], light: srgbLight, sample: srgbSample)

  /// The inverse of ``p3ToSRGB``.
  static let srgbToP3 = ColorOracle(
    matrix: [
      0.8224619687, 0.1775380313, 0, 0.0331941989, 0.9668058011, 0, 0.0170826307, 0.0723974407, 0.9105199286,
    ], light: srgbLight, sample: srgbSample)

  /// R′G′B′ 0…1 to R′G′B′ 0…1.
  func callAsFunction(_ color: [Double]) -> [Double] {
    let l = color.map(light)
    return (0..<3).map { row in
      let sum = matrix[3 * row] * l[0] + matrix[3 * row + 1] * l[1] + matrix[3 * row + 2] * l[2]
      return sample(min(max(sum, 0), 1))
    }
  }
}
