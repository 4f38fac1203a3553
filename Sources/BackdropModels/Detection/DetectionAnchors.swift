/// The anchor positions of a detection network of the BlazeFace kind, in the order of its outputs.
///
/// They follow MediaPipe's *SsdAnchorsCalculator* for anchors of one fixed size: each layer is a grid of cells of
/// `stride` pixels, and each cell has two anchors per layer (one for the aspect ratio 1, one for the interpolated
/// scale), both at its centre. Consecutive layers of the same stride share one grid.
enum DetectionAnchors {
  /// The centres of the anchors, as fractions of the side of an input of `size` × `size` pixels; `strides` are the pixels between
  /// neighbouring cells, for each layer.
  static func centers(size: Int, strides: [Int]) -> [SIMD2<Float>] {
    var result: [SIMD2<Float>] = []
    var layer = 0
    while layer < strides.count {
      let stride = strides[layer]
      let same = strides[layer...].prefix { $0 == stride }.count
      let cells = (size + stride - 1) / stride
      for y in 0..<cells {
        for x in 0..<cells {
          let center = (SIMD2(Float(x), Float(y)) + 0.5) / Float(cells)
          for _ in 0..<2 * same { result.append(center) }
        }
      }
      layer += same
    }
    return result
  }
}
