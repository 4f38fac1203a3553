import Libc

/// A non-decreasing curve from samples to light, both 0…1.
package enum ToneCurve: Sendable, Hashable {
  /// `(a x + b)^g + e` from `d` on, `c x + f` below (ICC.1, section 10.18, function type 4).
  case parametric(g: Double, a: Double = 1, b: Double = 0, c: Double = 0, d: Double = 0, e: Double = 0, f: Double = 0)
  /// Light at evenly spaced steps, out of 65535, with linear interpolation.
  case table([UInt16])

  package static func power(_ exponent: Double) -> ToneCurve { .parametric(g: exponent) }

  /// IEC 61966-2-1.
  package static let srgb = ToneCurve.parametric(g: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045)

  package func light(_ sample: Double) -> Double {
    let x = unit(sample)
    switch self {
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      return unit(x >= d ? pow(max(a * x + b, 0), g) + e : c * x + f)
    case .table(let values):
      let position = x * Double(values.count - 1)
      let index = min(Int(position), values.count - 2)
      let (low, high) = (Double(values[index]), Double(values[index + 1]))
      return (low + (high - low) * (position - Double(index))) / 65535
    }
  }

  /// The smallest sample with at least this light.
  package func sample(_ light: Double) -> Double {
    let y = unit(light)
    switch self {
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      let edge = pow(max(a * d + b, 0), g) + e
      if d > 0 && y < edge { return c > 0 ? min(unit((y - f) / c), d) : 0 }
      return unit((pow(max(y - e, 0), 1 / g) - b) / a)
    case .table(let values):
      let wanted = y * 65535
      // The first step that ends at or above it.
      let end = min(values.partitioningIndex { Double($0) >= wanted }, values.count - 1)
      guard end > 0 else { return 0 }
      let (below, above) = (Double(values[end - 1]), Double(values[end]))
      let part = above > below ? min((wanted - below) / (above - below), 1) : 1
      return (Double(end - 1) + part) / Double(values.count - 1)
    }
  }

  /// Whether it rises from about black to about white and never falls, so that it works in both directions.
  var isUsable: Bool {
    switch self {
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      guard [g, a, b, c, d, e, f].allSatisfy({ $0.isFinite && abs($0) <= 100 }), g >= 0.1 && g <= 10, a > 0.01 else {
        return false
      }
    case .table(let values):
      guard values.count >= 2, zip(values, values.dropFirst()).allSatisfy({ $0 <= $1 }) else { return false }
    }
    let lights = (0...256).map { light(Double($0) / 256) }
    return lights[0] < 0.1 && lights[256] > 0.9 && zip(lights, lights.dropFirst()).allSatisfy { $0 <= $1 + 1e-9 }
  }

  /// Whether its samples of 8 bits equal those of another curve, within a quarter of a level.
  func isLike(_ other: ToneCurve) -> Bool {
    (0...255).allSatisfy { abs(other.sample(light(Double($0) / 255)) * 255 - Double($0)) <= 0.25 }
  }

  private func unit(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
}
