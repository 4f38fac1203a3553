import BackdropImaging

/// The position and strength of a touch-up's stroke, on a grid of samples stretched over the picture.
///
/// Distances are measured in the picture, for any shape of the grid: lengths are fractions of the picture's longer side.
struct TouchUpBrush {
  let stroke: TouchUp.Stroke
  /// Width and height of the picture as fractions of its longer side.
  private let aspect: SIMD2<Double>

  init(_ stroke: TouchUp.Stroke, width: Int, height: Int) {
    self.stroke = stroke
    let longer = Double(max(width, height))
    aspect = SIMD2(Double(width) / longer, Double(height) / longer)
  }

  /// The samples of a grid within the stroke's reach, with a margin of one sample; `nil` for none.
  func box(width: Int, height: Int) -> IntegerRect? {
    var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
    for point in stroke.points {
      low = pointwiseMin(low, point)
      high = pointwiseMax(high, point)
    }
    let size = SIMD2(Double(width), Double(height))
    let reach = SIMD2(repeating: stroke.size) / aspect
    let first = ((low - reach) * size).rounded(.down) - 1
    let last = ((high + reach) * size).rounded(.up) + 1
    let (left, top) = (max(0, Int(first.x)), max(0, Int(first.y)))
    let (right, bottom) = (min(width, Int(last.x)), min(height, Int(last.y)))
    guard left < right && top < bottom else { return nil }
    return IntegerRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// A part of the grid, with the distance of each sample from the stroke, in radii; 2 for larger ones.
  struct Area {
    let box: IntegerRect
    let distances: Plane<Float>
  }

  func area(_ box: IntegerRect, width: Int, height: Int) -> Area {
    var result = Plane<Float>(repeating: 4, width: box.width, height: box.height)
    // From samples to lengths.
    let step = aspect / SIMD2(Double(width), Double(height)) / stroke.size
    let origin = SIMD2(Double(box.x) + 0.5, Double(box.y) + 0.5) * step
    let points = stroke.points.map { $0 * aspect / stroke.size - origin }
    let stride = result.stride
    result.withUnsafeMutablePointer { base in
      for index in points.indices {
        Self.draw((points[max(0, index - 1)], points[index]), step, base, stride, box)
      }
    }
    result.update { min($0.squareRoot(), 2) }
    return Area(box: box, distances: result)
  }

  /// Lowers squared distances to those from one segment of the path.
  private static func draw(
    _ segment: (from: SIMD2<Double>, to: SIMD2<Double>), _ step: SIMD2<Double>, _ base: UnsafeMutablePointer<Float>,
    _ stride: Int, _ box: IntegerRect
  ) {
    let (from, to) = segment
    let low = (pointwiseMin(from, to) - 1.001) / step
    let high = (pointwiseMax(from, to) + 1.001) / step
    let columns = max(0, Int(low.x.rounded(.up)))..<max(0, min(box.width, Int(high.x.rounded(.down)) + 1))
    let rows = max(0, Int(low.y.rounded(.up)))..<max(0, min(box.height, Int(high.y.rounded(.down)) + 1))
    guard columns.lowerBound < columns.upperBound, rows.lowerBound < rows.upperBound else { return }
    let line = SIMD2<Float>(to - from)
    let length = (line * line).sum()
    let scale = length > 0 ? 1 / length : 0
    let (stepX, stepY) = (Float(step.x), Float(step.y))
    let start = SIMD2<Float>(from)
    for y in rows {
      let row = base + y * stride
      let dy = Float(y) * stepY - start.y
      for x in columns {
        let dx = Float(x) * stepX - start.x
        let part = min(max((dx * line.x + dy * line.y) * scale, 0), 1)
        let (u, v) = (dx - part * line.x, dy - part * line.y)
        row[x] = min(row[x], u * u + v * v)
      }
    }
  }

  /// The brush's strength at a distance in radii, 0…1; the length of a sample in radii limits the sharpness of edges.
  func strength(at distance: Float, sample: Float) -> Float {
    let soft = max(Float(stroke.softness), min(sample, 1))
    let part = min(max((1 - distance) / soft, 0), 1)
    return part * part * (3 - 2 * part)
  }

  /// The length of a sample of a grid, in radii.
  func sample(width: Int, height: Int) -> Float {
    let step = aspect / SIMD2(Double(width), Double(height)) / stroke.size
    return Float(max(step.x, step.y))
  }
}
