import CBackdropKernels

/// The difference between the light of a frame and of the plate: a gain and an offset for each channel.
struct PlateLight {
  /// R, G, B: frame = gain · plate + offset.
  var gain: SIMD3<Float> = [1, 1, 1]
  var offset: SIMD3<Float> = [0, 0, 0]

  /// The possible changes of light and exposure between two frames of one view.
  static let gains: ClosedRange<Float> = 0.4...2

  /// Fits the light to samples of the background, by their positions, starting at `self`: least squares, reweighted three times by Geman
  /// and McClure's function, so that samples that are not background count little. A plate without contrast leaves the gain near 1.
  func fitted(
    frame: [UnsafeMutablePointer<Float>], plate: [UnsafeMutablePointer<Float>], samples: [Int32],
    _ kernels: bd_plate_kernels
  ) -> PlateLight {
    var result = self
    for channel in 0..<3 {
      let values = samples.map { frame[channel][Int($0)] }
      let means = samples.map { plate[channel][Int($0)] }
      var (gain, offset) = (gain[channel], offset[channel])
      var scale = Self.deviation(values, means, gain, offset)
      for pass in 0..<3 {
        if pass > 0 { scale = max(3, 0.6 * scale) }
        // The weights, and moments of x and y, which are colours minus 128.
        var sums: [Float] = [0, 0, 0, 0, 0]
        kernels.fit(values, means, values.count, gain, offset, 1 / (scale * scale), &sums)
        guard sums[0] > 0 else { break }
        let (meanX, meanY) = (sums[1] / sums[0], sums[2] / sums[0])
        let spread = max(0, sums[3] / sums[0] - meanX * meanX)
        let shared = sums[4] / sums[0] - meanX * meanY
        gain = min(max((shared + Self.ridge) / (spread + Self.ridge), Self.gains.lowerBound), Self.gains.upperBound)
        offset = meanY + 128 - gain * (meanX + 128)
      }
      result.gain[channel] = gain
      result.offset[channel] = offset
    }
    return result
  }

  /// 1.4826 times the median of the residuals, which is the deviation of normal ones; at least 3 levels.
  private static func deviation(_ values: [Float], _ means: [Float], _ gain: Float, _ offset: Float) -> Float {
    var counts = [Int32](repeating: 0, count: 256)
    for (value, mean) in zip(values, means) { counts[Int(min(abs(value - (gain * mean + offset)), 255))] += 1 }
    var (sum, median) = (0, 0)
    while median < 255 && sum + Int(counts[median]) < values.count / 2 {
      sum += Int(counts[median])
      median += 1
    }
    return max(3, 1.4826 * (Float(median) + 0.5))
  }

  /// A plate's variance below which its contrast hardly determines the gain, in levels².
  private static let ridge: Float = 25
}
