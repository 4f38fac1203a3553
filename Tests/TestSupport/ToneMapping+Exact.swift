import BackdropImaging
import Foundation

extension ToneMapping {
  /// The exact colour, as R′G′B′ of 0…1 before and after.
  package func callAsFunction(_ color: [Double]) -> [Double] {
    var light: [Double]
    if source.transfer == .pq {
      light = color.map { min(HighDynamicRange.lightPQ($0), peak) }
    } else {
      let scene = color.map { HighDynamicRange.lightHLG($0) }
      let luminance = zip(weights, scene).reduce(0) { $0 + $1.0 * $1.1 }
      let gain = luminance > 0 ? pow(luminance, HighDynamicRange.gammaHLG - 1) : 0
      light = scene.map { peak * gain * $0 }
    }
    let (most, white) = (light.max() ?? 0, HighDynamicRange.referenceWhite)
    guard most > 0 else { return [0, 0, 0] }
    let gain = HighDynamicRange.mapped(most, from: peak, to: white) / (most * white)
    light = light.map { $0 * gain }
    return (matrix * light).map { ToneCurve.srgb.sample($0) }
  }
}
