import BackdropImaging

/// Fills transparent parts of a picture with smooth colours from the surroundings: push-pull (Gortler et al. 1996), with means over ever
/// larger squares, using the smallest with a known sample.
enum PlateFill {
  /// A picture half as wide and high as the previous one; `weights` is the known fraction of the square.
  private struct Level {
    let width: Int, height: Int
    var colors: [SIMD3<Float>]
    var weights: [Float]

    /// The mean of each 2×2 samples, over the known ones.
    var half: Level {
      var result = Level(width: (width + 1) / 2, height: (height + 1) / 2)
      for y in 0..<height {
        for x in 0..<width {
          let to = y / 2 * result.width + x / 2, from = y * width + x
          result.colors[to] += colors[from] * weights[from]
          result.weights[to] += weights[from]
        }
      }
      for i in result.weights.indices where result.weights[i] > 0 {
        result.colors[i] /= result.weights[i]
        result.weights[i] = min(1, result.weights[i])
      }
      return result
    }

    init(width: Int, height: Int) {
      (self.width, self.height) = (width, height)
      colors = Array(repeating: .zero, count: width * height)
      weights = Array(repeating: 0, count: width * height)
    }

    /// The colour at a position between the samples' middles.
    func color(_ x: Float, _ y: Float) -> SIMD3<Float> {
      let (x, y) = (min(max(x, 0), Float(width - 1)), min(max(y, 0), Float(height - 1)))
      let (left, top) = (Int(x), Int(y))
      let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
      let (across, down) = (x - Float(left), y - Float(top))
      let above = colors[top * width + left] * (1 - across) + colors[top * width + right] * across
      let below = colors[bottom * width + left] * (1 - across) + colors[bottom * width + right] * across
      return above * (1 - down) + below * down
    }
  }

  /// Fills the colours of an `rgba8` picture under an alpha of 0; alpha stays.
  static func fill(_ image: inout Image) {
    precondition(image.format == .rgba8, "not rgba8")
    var base = Level(width: image.width, height: image.height)
    for y in 0..<image.height {
      let row = image.row(y)
      for x in 0..<image.width {
        base.colors[y * image.width + x] = [Float(row[4 * x]), Float(row[4 * x + 1]), Float(row[4 * x + 2])]
        base.weights[y * image.width + x] = row[4 * x + 3] > 0 ? 1 : 0
      }
    }
    var levels = [base]
    while let last = levels.last, last.width > 1 || last.height > 1 { levels.append(last.half) }
    for i in (0..<levels.count - 1).reversed() {
      let coarse = levels[i + 1]
      for y in 0..<levels[i].height {
        for x in 0..<levels[i].width where levels[i].weights[y * levels[i].width + x] == 0 {
          levels[i].colors[y * levels[i].width + x] = coarse.color(Float(x) / 2 - 0.25, Float(y) / 2 - 0.25)
        }
      }
    }
    let width = image.width
    for y in 0..<image.height {
      var row = image.mutableRow(y)
      for x in 0..<width where row[4 * x + 3] == 0 {
        let color = levels[0].colors[y * width + x]
        for channel in 0..<3 { row[4 * x + channel] = UInt8(min(max(color[channel], 0), 255) + 0.5) }
      }
    }
  }
}
