import Libc

/// The gradient error of Rhemann et al. in the variant of Robust Video Matting's script.
enum GradientError {
  private static let sigma = 1.4

  /// A Gaussian and its derivative, cut where the Gaussian falls below 0.01 (9 taps), each of unit Euclidean length, so
  /// that their outer product has unit length too.
  private static let filters: (smooth: [Float], slope: [Float]) = {
    let reach = (sigma * (-2 * log((2 * Double.pi).squareRoot() * sigma * 1e-2)).squareRoot()).rounded(.up)
    let positions = stride(from: -reach, through: reach, by: 1)
    let smooth = positions.map { exp(-$0 * $0 / (2 * sigma * sigma)) }
    let slope = zip(positions, smooth).map { -$0 * $1 }
    func normalized(_ taps: [Double]) -> [Float] {
      let length = taps.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return taps.map { Float($0 / length) }
    }
    return (normalized(smooth), normalized(slope))
  }()

  /// Σ (|∇matte| − |∇truth|)².
  static func sum(_ matte: UnitMatte, _ truth: UnitMatte) -> Double {
    zip(magnitudes(matte), magnitudes(truth)).reduce(0) {
      let difference = Double($1.0 - $1.1)
      return $0 + difference * difference
    }
  }

  /// Gradient magnitudes of the matte stretched to 0…1, with its border repeated outside; a flat matte has none.
  private static func magnitudes(_ matte: UnitMatte) -> [Float] {
    let (width, height) = (matte.width, matte.height)
    let low = matte.opacity.min() ?? 0
    let high = matte.opacity.max() ?? 0
    guard high > low else { return [Float](repeating: 0, count: width * height) }
    let scale = 1 / (high - low)
    let (smooth, slope) = filters
    let reach = smooth.count / 2
    var smoothed = [Float](repeating: 0, count: width * height)
    var sloped = smoothed
    var padded = [Float](repeating: 0, count: width + 2 * reach)
    for y in 0..<height {
      for x in padded.indices {
        padded[x] = (matte.opacity[y * width + min(max(x - reach, 0), width - 1)] - low) * scale
      }
      for x in 0..<width {
        var (a, b): (Float, Float) = (0, 0)
        for tap in smooth.indices {
          a += padded[x + tap] * smooth[tap]
          b += padded[x + tap] * slope[tap]
        }
        smoothed[y * width + x] = a
        sloped[y * width + x] = b
      }
    }
    var result = [Float](repeating: 0, count: width * height)
    var across = [Float](repeating: 0, count: width)
    var along = across
    for y in 0..<height {
      for x in 0..<width { (across[x], along[x]) = (0, 0) }
      for tap in smooth.indices {
        let row = min(max(y + tap - reach, 0), height - 1) * width
        for x in 0..<width {
          across[x] += sloped[row + x] * smooth[tap]
          along[x] += smoothed[row + x] * slope[tap]
        }
      }
      for x in 0..<width { result[y * width + x] = (across[x] * across[x] + along[x] * along[x]).squareRoot() }
    }
    return result
  }
}
