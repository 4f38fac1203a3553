/// How the light of a frame differs from the plate's: a gain and an offset for each channel.
struct PlateLight {
  /// R, G, B: frame = gain · plate + offset.
  var gain: SIMD3<Float> = [1, 1, 1]
  var offset: SIMD3<Float> = [0, 0, 0]

  /// What light changes and a camera's exposure do between two frames of one room.
  static let gains: ClosedRange<Float> = 0.4...2

  /// Fits the light to samples of the background, starting at `self`: least squares, reweighted three times by Geman and
  /// McClure's function, so that what is no background after all counts little. A plate without contrast leaves the gain
  /// near 1.
  ///
  /// - Parameters:
  ///   - frame: the planes of the frame's channels.
  ///   - plate: those of the plate's.
  ///   - samples: where to look.
  func fitted(
    frame: [UnsafeMutablePointer<Float>], plate: [UnsafeMutablePointer<Float>], samples: [Int32]
  ) -> PlateLight {
    var result = self
    for channel in 0..<3 {
      let (values, means) = (frame[channel], plate[channel])
      var (gain, offset) = (gain[channel], offset[channel])
      var scale = Float(0)
      for pass in 0..<3 {
        if pass == 0 {
          // 1.4826 times the median of the residuals is their deviation, were they normal.
          var counts = [Int32](repeating: 0, count: 256)
          for at in samples {
            let residual = values[Int(at)] - (gain * means[Int(at)] + offset)
            counts[Int(min(abs(residual), 255))] += 1
          }
          var (sum, median) = (0, 0)
          while median < 255 && sum + Int(counts[median]) < samples.count / 2 {
            sum += Int(counts[median])
            median += 1
          }
          scale = max(3, 1.4826 * (Float(median) + 0.5))
        } else {
          scale = max(3, 0.6 * scale)
        }
        let narrowness = 1 / (scale * scale)
        var weights: Float = 0
        var (x, y, xx, xy) = (Float(0), Float(0), Float(0), Float(0))
        for at in samples {
          let mean = means[Int(at)]
          let value = values[Int(at)]
          let residual = value - (gain * mean + offset)
          let root = 1 / (1 + residual * residual * narrowness)
          let weight = root * root
          // Round the middle of the range, so that the squares lose no digits.
          let (a, b) = (mean - 128, value - 128)
          weights += weight
          x += weight * a
          y += weight * b
          xx += weight * a * a
          xy += weight * a * b
        }
        guard weights > 0 else { break }
        let (meanX, meanY) = (x / weights, y / weights)
        let spread = max(0, xx / weights - meanX * meanX)
        let shared = xy / weights - meanX * meanY
        gain = min(max((shared + Self.ridge) / (spread + Self.ridge), Self.gains.lowerBound), Self.gains.upperBound)
        offset = meanY + 128 - gain * (meanX + 128)
      }
      result.gain[channel] = gain
      result.offset[channel] = offset
    }
    return result
  }

  /// Variance of the plate below which its contrast says little about the gain, in levels².
  private static let ridge: Float = 25
}
