import BackdropImaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A slow version of the depth matte in double precision, directly from its definition.
public enum MatteOracle {
  /// Computes the mask, its Gaussian cut off at `radius` with edges replicated, and the power; returns row-major values 0…1.
  public static func matte(
    _ depth: Plane<Float>, cutoff: Double, sigma: Double, radius: Int, gamma: Double
  ) -> [Double] {
    let (w, h) = (depth.width, depth.height)
    var values = depth.samples.map { $0 > 0 && $0 <= Float(cutoff) ? 1.0 : 0.0 }
    if sigma > 0 {
      var kernel = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
      let sum = kernel.reduce(0, +)
      kernel = kernel.map { $0 / sum }
      func clamp(_ i: Int, _ n: Int) -> Int { min(max(i, 0), n - 1) }
      var rows = values
      for y in 0..<h {
        for x in 0..<w {
          rows[y * w + x] = (-radius...radius).reduce(0) { $0 + kernel[$1 + radius] * values[y * w + clamp(x + $1, w)] }
        }
      }
      for y in 0..<h {
        for x in 0..<w {
          values[y * w + x] = (-radius...radius).reduce(0) { $0 + kernel[$1 + radius] * rows[clamp(y + $1, h) * w + x] }
        }
      }
    }
    return values.map { pow(min(max($0, 0), 1), gamma) }
  }

  /// Scales values bicubically (Keys, a = −0.75), with half-pixel centres and edges replicated, and clamps them to 0…1. Halving both sides
  /// takes means of 2×2.
  public static func scaled(_ values: [Double], width: Int, height: Int, toWidth: Int, height toHeight: Int) -> [Double]
  {
    if (width, height) != (toWidth, toHeight) && ((width + 1) / 2, (height + 1) / 2) == (toWidth, toHeight) {
      return (0..<toWidth * toHeight).map { index in
        let (x, y) = (2 * (index % toWidth), 2 * (index / toWidth))
        let columns = [x, min(x + 1, width - 1)]
        return [y, min(y + 1, height - 1)].flatMap { row in columns.map { values[row * width + $0] } }.reduce(0, +) / 4
      }
    }
    func cubic(_ x: Double) -> Double {
      let x = abs(x)
      let a = -0.75
      if x <= 1 { return (a + 2) * x * x * x - (a + 3) * x * x + 1 }
      return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0
    }
    func taps(_ position: Int, _ from: Int, _ to: Int) -> [(Int, Double)] {
      let center = (Double(position) + 0.5) * Double(from) / Double(to) - 0.5
      return (-1...2).map { k in
        let at = Int(center.rounded(.down)) + k
        return (min(max(at, 0), from - 1), cubic(center - Double(at)))
      }
    }
    let columns = (0..<toWidth).map { taps($0, width, toWidth) }
    let rows = (0..<toHeight).map { taps($0, height, toHeight) }
    var result: [Double] = []
    result.reserveCapacity(toWidth * toHeight)
    for y in rows {
      for x in columns {
        var sum = 0.0
        for (row, wy) in y { for (column, wx) in x { sum += wy * wx * values[row * width + column] } }
        result.append(min(max(sum, 0), 1))
      }
    }
    return result
  }
}
