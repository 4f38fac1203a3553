/// The weighting of samples in scaling; pixel centres are at half-pixel positions and edges are replicated.
public enum ScaleFilter: Sendable, Hashable {
  /// Straight lines between neighbouring samples.
  case bilinear
  /// The family of Mitchell and Netravali, "Reconstruction Filters in Computer Graphics", SIGGRAPH 1988: four taps.
  ///
  /// (0, 0.75) is the default of Core Image's `CIBicubicScaleTransform`, (0, 0.5) is Catmull–Rom, (1, 0) the B-spline, which blurs and
  /// never overshoots, (1/3, 1/3) is the paper's recommendation. It interpolates without averaging: use `area` for a large reduction.
  case bicubic(b: Double, c: Double)
  /// Each output pixel is the mean of the pixels that it covers, weighted by covered area.
  case area
  /// For each axis separately: `area` for a reduction, otherwise `bicubic`.
  case automatic

  /// (0, 0.75).
  public static let bicubic = ScaleFilter.bicubic(b: 0, c: 0.75)

  /// The filter for an axis on which an output pixel covers `step` input pixels.
  func resolved(step: Double) -> ScaleFilter {
    guard self == .automatic else { return self }
    return step > 1 ? .area : .bicubic
  }

  /// The filter's value at distance `t`, for `bicubic`; see the paper's equation 8.
  static func bicubicWeight(_ t: Double, b: Double, c: Double) -> Double {
    let t = abs(t)
    if t < 1 { return ((12 - 9 * b - 6 * c) * t * t * t + (-18 + 12 * b + 6 * c) * t * t + (6 - 2 * b)) / 6 }
    if t < 2 {
      return ((-b - 6 * c) * t * t * t + (6 * b + 30 * c) * t * t + (-12 * b - 48 * c) * t + (8 * b + 24 * c)) / 6
    }
    return 0
  }
}

/// The positions of an output axis's samples in its source.
struct ScaleAxis: Hashable {
  /// The source samples available for reading.
  var range: Range<Int>
  /// The position of the output's first edge, in source samples from the source's first edge.
  var origin: Double
  /// Source samples per output sample.
  var step: Double
  /// Output samples.
  var count: Int

  /// Scales `part` (in source samples, within 0…sourceCount) to `count` samples; samples outside `part` are not read.
  init(sourceCount: Int, part: ClosedRange<Double>, count: Int) {
    let low = min(max(0, Int(part.lowerBound.rounded(.down))), sourceCount - 1)
    let high = min(max(low + 1, Int(part.upperBound.rounded(.up))), sourceCount)
    range = low..<high
    origin = part.lowerBound
    step = (part.upperBound - part.lowerBound) / Double(count)
    self.count = count
  }

  /// The chroma axis for a luma axis: half as many samples, centred between pairs of luma samples.
  init(chromaOf luma: ScaleAxis) {
    range = luma.range.lowerBound / 2..<(luma.range.upperBound + 1) / 2
    origin = luma.origin / 2
    step = luma.step
    count = (luma.count + 1) / 2
  }

  var isIdentity: Bool { step == 1 && origin == 0 && range.lowerBound == 0 && range.upperBound == count }

  func taps(_ filter: ScaleFilter) -> AxisTaps {
    guard !isIdentity else { return .identity(count) }
    var taps = AxisTaps(range: range)
    let filter = filter.resolved(step: step)
    for i in 0..<count {
      let position = origin + (Double(i) + 0.5) * step - 0.5
      switch filter {
      case .area, .automatic:
        let start = origin + Double(i) * step
        let end = start + step
        let first = Int(start.rounded(.down))
        let last = max(first, Int(end.rounded(.up)) - 1)
        taps.append(
          from: first, weights: (first...last).map { min(end, Double($0) + 1) - max(start, Double($0)) })
      case .bilinear:
        let first = position.rounded(.down)
        taps.append(from: Int(first), weights: [1 - (position - first), position - first])
      case .bicubic(let b, let c):
        let first = Int(position.rounded(.down)) - 1
        taps.append(
          from: first,
          weights: (first..<first + 4).map { ScaleFilter.bicubicWeight(position - Double($0), b: b, c: c) })
      }
    }
    return taps
  }
}
