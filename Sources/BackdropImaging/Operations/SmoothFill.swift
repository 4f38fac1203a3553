/// Fills in missing values smoothly from their surroundings, by the pull-push algorithm of Gortler et al.
package enum SmoothFill {
  private struct Level {
    let width: Int, height: Int
    /// Values times weights, then values; and weights of at most 1.
    var values: [Float], weights: [Float]

    var half: Level {
      let (w, h) = ((width + 1) / 2, (height + 1) / 2)
      var result = Level(
        width: w, height: h, values: Array(repeating: 0, count: w * h), weights: Array(repeating: 0, count: w * h))
      result.values.withUnsafeMutableBufferPointer { sums in
        result.weights.withUnsafeMutableBufferPointer { all in
          for y in 0..<height {
            for x in 0..<width {
              sums[y / 2 * w + x / 2] += values[y * width + x]
              all[y / 2 * w + x / 2] += weights[y * width + x]
            }
          }
        }
      }
      for i in result.weights.indices where result.weights[i] > 1 {
        result.values[i] /= result.weights[i]
        result.weights[i] = 1
      }
      return result
    }

    /// The value at a position between the samples' middles.
    func value(_ x: Float, _ y: Float) -> Float {
      let (x, y) = (min(max(x, 0), Float(width - 1)), min(max(y, 0), Float(height - 1)))
      let (left, top) = (Int(x), Int(y))
      let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
      let across = x - Float(left)
      let above = values[top * width + left] + (values[top * width + right] - values[top * width + left]) * across
      let below =
        values[bottom * width + left] + (values[bottom * width + right] - values[bottom * width + left]) * across
      return above + (below - above) * (y - Float(top))
    }
  }

  /// The plane where `weight` (0…1, of its size) is 1, mixed with more of its surroundings where it is smaller; `nothing` if there is no
  /// weight at all.
  package static func filled(_ plane: Plane<Float>, weight: Plane<Float>, nothing: Float = 0) -> Plane<Float> {
    precondition(plane.width == weight.width && plane.height == weight.height, "sizes differ")
    guard plane.width > 0 && plane.height > 0 else { return plane }
    let weights = weight.samples
    var base = Level(width: plane.width, height: plane.height, values: plane.samples, weights: weights)
    for i in weights.indices { base.values[i] *= weights[i] }
    var levels = [base]
    while let last = levels.last, last.width > 1 || last.height > 1 { levels.append(last.half) }
    let top = levels.count - 1
    if levels[top].weights[0] < 1e-6 { return Plane(repeating: nothing, width: plane.width, height: plane.height) }
    levels[top].values[0] /= levels[top].weights[0]
    for i in (0..<top).reversed() {
      let (coarse, weights) = (levels[i + 1], levels[i].weights)
      let (width, height) = (levels[i].width, levels[i].height)
      levels[i].values.withUnsafeMutableBufferPointer { values in
        for y in 0..<height {
          for x in 0..<width where weights[y * width + x] < 1 {
            let around = coarse.value(Float(x) / 2 - 0.25, Float(y) / 2 - 0.25)
            values[y * width + x] += (1 - weights[y * width + x]) * around
          }
        }
      }
    }
    return Plane(levels[0].values, width: plane.width, height: plane.height)
  }
}
