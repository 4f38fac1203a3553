import BackdropImaging

/// How to resize a depth or disparity map.
public enum DepthResampling: Sendable, Equatable {
  /// Each pixel takes the source pixel that contains its centre: only original values, hard edges.
  case nearest
  /// Bilinear along an enlarged axis, area average along a reduced one; half-pixel centres, clamped at the border.
  ///
  /// - A pixel becomes a hole if holes have more than half of its weight.
  /// - If not, only valid source pixels near their weighted median are averaged: with a difference of at most `jump` times the greater of
  ///   the two magnitudes. So no value appears between a person and the wall behind; the side with more weight wins (on a tie the smaller
  ///   value).
  case smooth(jump: Float = 0.05)
}

extension RangeMap {
  /// The map at another size, with its intrinsics scaled; each pixel has the confidence of the source pixel that contains its centre.
  ///
  /// - Throws: `wrongArgument` for a size without pixels, `overLimit` beyond ``/BackdropImaging/ImageLimits/standard``.
  public func resized(
    toWidth newWidth: Int, height newHeight: Int, by method: DepthResampling = .smooth()
  ) throws(BackdropError) -> Self {
    guard width > 0 && height > 0 else { throw BackdropError(.wrongArgument, "Backdrop cannot resize an empty map") }
    guard newWidth > 0 && newHeight > 0 else {
      throw BackdropError(.wrongArgument, "a map cannot be \(newWidth)×\(newHeight)")
    }
    try ImageLimits.standard.check(width: newWidth, height: newHeight)
    let camera = intrinsics?.scaled(toWidth: newWidth, height: newHeight)
    if newWidth == width && newHeight == height {
      var result = self
      result.intrinsics = camera
      return result
    }
    let result: Plane<Float>
    switch method {
    case .nearest: result = values.nearest(width: newWidth, height: newHeight)
    case .smooth(let jump): result = values.smooth(width: newWidth, height: newHeight, jump: jump)
    }
    var map = replacing(values: result, intrinsics: camera)
    map.confidence = confidence.map { ConfidenceMap($0.values.nearest(width: newWidth, height: newHeight)) }
    return map
  }
}

/// For each target position along one axis, the contributing source positions and their weights, which add up to 1.
private struct AxisTaps {
  /// Taps for each target position; unused ones at the end have weight 0.
  var width: Int
  var first: [Int] = []
  var weights: [Float] = []

  init(from source: Int, to target: Int) {
    first.reserveCapacity(target)
    let scale = Double(source) / Double(target)
    // One more than the extent, for a range that starts and ends inside a pixel.
    width =
      target == source
      ? 1 : target > source ? min(2, source) : min(source, Int(scale.rounded(.up)) + (source % target == 0 ? 0 : 1))
    weights.reserveCapacity(target * width)
    for index in 0..<target {
      if target >= source {
        let position = min(max((Double(index) + 0.5) * scale - 0.5, 0), Double(source - 1))
        let start = min(Int(position), source - width)
        let fraction = position - Double(start)
        first.append(start)
        weights.append(Float(1 - fraction))
        if width > 1 { weights.append(Float(fraction)) }
      } else {
        let (low, high) = (Double(index) * scale, Double(index + 1) * scale)
        let start = min(Int(low), source - width)
        first.append(start)
        for tap in start..<start + width {
          weights.append(Float(max(0, min(high, Double(tap + 1)) - max(low, Double(tap))) / scale))
        }
      }
    }
  }

  func withUnsafePointers(_ body: (UnsafePointer<Int>, UnsafePointer<Float>) -> Void) {
    first.withUnsafeBufferPointer { first in
      weights.withUnsafeBufferPointer { weights in
        // Never empty: an axis has at least one target position.
        body(first.baseAddress!, weights.baseAddress!)
      }
    }
  }
}

extension Plane<Float> {
  fileprivate func smooth(width newWidth: Int, height newHeight: Int, jump: Float) -> Plane<Float> {
    let horizontal = AxisTaps(from: width, to: newWidth)
    let vertical = AxisTaps(from: height, to: newHeight)
    var result = Plane<Float>(uninitializedWidth: newWidth, height: newHeight)
    var support = Support(tapsX: horizontal.width, tapsY: vertical.width, stride: stride, jump: jump)
    let (stride, resultStride) = (stride, result.stride)
    withUnsafePointer { source in
      result.withUnsafeMutablePointer { target in
        horizontal.withUnsafePointers { firstX, weightsX in
          vertical.withUnsafePointers { firstY, weightsY in
            let isBilinear = horizontal.width == 2 && vertical.width == 2
            for y in 0..<newHeight {
              let rows = source + firstY[y] * stride
              let rowWeights = weightsY + y * vertical.width
              let output = target + y * resultStride
              for x in 0..<newWidth {
                let corner = rows + firstX[x]
                let columnWeights = weightsX + x * horizontal.width
                if isBilinear {
                  let (a, b, c, d) = (corner[0], corner[1], corner[stride], corner[stride + 1])
                  let low = min(min(a, b), min(c, d))
                  let high = max(max(a, b), max(c, d))
                  let top = a * columnWeights[0] + b * columnWeights[1]
                  let bottom = c * columnWeights[0] + d * columnWeights[1]
                  let mean = top * rowWeights[0] + bottom * rowWeights[1]
                  // With a hole among the four, the mean is NaN and the comparison false.
                  if mean == mean && high - low <= jump * max(abs(low), abs(high)) {
                    output[x] = min(max(mean, low), high)
                    continue
                  }
                }
                output[x] = support.value(corner, columnWeights, rowWeights)
              }
            }
          }
        }
      }
    }
    return result
  }
}

/// The source pixels under one target pixel, and the rule for its value.
private struct Support {
  let tapsX, tapsY, stride: Int
  let jump: Float
  /// Kept between pixels, to reuse its memory.
  var candidates: [(value: Float, weight: Float)] = []

  mutating func value(
    _ corner: UnsafePointer<Float>, _ columnWeights: UnsafePointer<Float>, _ rowWeights: UnsafePointer<Float>
  ) -> Float {
    var sum: Float = 0
    var valid: Float = 0
    var low = Float.infinity
    var high = -Float.infinity
    for tapY in 0..<tapsY {
      let row = corner + tapY * stride
      for tapX in 0..<tapsX {
        let weight = rowWeights[tapY] * columnWeights[tapX]
        let value = row[tapX]
        let counts = weight > 0 && value == value
        sum += counts ? weight * value : 0
        valid += counts ? weight : 0
        low = counts && value < low ? value : low
        high = counts && value > high ? value : high
      }
    }
    // Half of the weight, minus possible rounding of the weights.
    guard valid >= 0.499_99 else { return .nan }
    if high - low <= jump * max(abs(low), abs(high)) { return min(max(sum / valid, low), high) }
    candidates.removeAll(keepingCapacity: true)
    for tapY in 0..<tapsY {
      for tapX in 0..<tapsX {
        let weight = rowWeights[tapY] * columnWeights[tapX]
        let value = corner[tapY * stride + tapX]
        if weight > 0 && value == value { candidates.append((value, weight)) }
      }
    }
    return candidates.meanAboutMedian(total: valid, jump: jump)
  }
}

extension [(value: Float, weight: Float)] {
  /// The weighted mean of the values within `jump` of the weighted median; it sorts the array.
  fileprivate mutating func meanAboutMedian(total: Float, jump: Float) -> Float {
    sort { $0.value < $1.value }
    var passed: Float = 0
    var median = self[count - 1].value
    for sample in self {
      passed += sample.weight
      if passed >= total * 0.499_99 {
        median = sample.value
        break
      }
    }
    var sum: Double = 0
    var weights: Double = 0
    for sample in self where abs(sample.value - median) <= jump * Swift.max(abs(sample.value), abs(median)) {
      sum += Double(sample.value) * Double(sample.weight)
      weights += Double(sample.weight)
    }
    return weights > 0 ? Float(sum / weights) : median
  }
}
