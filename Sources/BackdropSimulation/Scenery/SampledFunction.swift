/// A function of one variable, computed once at even steps and interpolated linearly.
struct SampledFunction {
  private let first, step: Float
  private let values: [Float]

  init(from first: Float, to last: Float, step: Float, _ value: (Float) -> Float) {
    (self.first, self.step) = (first, step)
    values = (0...Int((last - first) / step) + 1).map { value(first + Float($0) * step) }
  }

  /// The value at `x`; beyond the ends, that of the nearest end.
  @inline(__always)
  func at(_ x: Float) -> Float {
    let position = min(max((x - first) / step, 0), Float(values.count - 1) - 0.001)
    let index = Int(position)
    return mix(values[index], values[index + 1], position - Float(index))
  }
}
