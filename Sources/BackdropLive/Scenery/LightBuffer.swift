/// A small picture of light that is the same size whatever the size of the picture made from it: for what is soft
/// anyway, such as things out of focus, so that every picture size shows the same.
struct LightBuffer {
  /// SceneryLight multiplied by coverage, and the coverage.
  typealias Cell = SIMD4<Float>

  let width, height: Int
  /// Cells in a scene unit.
  let scale: Float
  /// The scene position of the left edge.
  let left: Float
  var cells: [Cell]

  /// A buffer for `v` from 0 to `depth` and for all columns of `view`.
  init(_ view: SceneryView, scale: Float, depth: Float = 1) {
    self.scale = scale
    // A margin, so that blurs find what lies beside the picture.
    left = -view.halfWidth - 0.1
    width = Int((-2 * left * scale).rounded(.up))
    height = Int((depth * scale).rounded(.up))
    cells = [Cell](repeating: .zero, count: width * height)
  }

  /// The scene position of the centre of column `i`.
  func u(_ i: Int) -> Float { left + (Float(i) + 0.5) / scale }

  /// The scene position of the centre of row `j`.
  func v(_ j: Int) -> Float { (Float(j) + 0.5) / scale }

  /// Lays `light` over the cells, as far as `coverage` says for their distance to the shape's edge.
  ///
  /// - Parameters:
  ///   - bounds: a box, in scene units, outside of which the shape does not reach.
  ///   - inside: how far inside the shape a position is, in scene units; negative outside.
  mutating func fill(
    _ bounds: (u0: Float, v0: Float, u1: Float, v1: Float), _ light: (Float, Float) -> SceneryLight,
    inside: (Float, Float) -> Float
  ) {
    let columns = range(bounds.u0 - left, bounds.u1 - left, width)
    for j in range(bounds.v0, bounds.v1, height) {
      for i in columns {
        let (u, v) = (u(i), v(j))
        let coverage = unit(inside(u, v) * scale + 0.5)
        if coverage > 0 {
          cells[j * width + i] =
            cells[j * width + i] * (1 - coverage) + Cell(light(u, v), 1) * coverage
        }
      }
    }
  }

  private func range(_ a: Float, _ b: Float, _ count: Int) -> Range<Int> {
    let first = min(max(Int((a * scale).rounded(.down)) - 1, 0), count)
    return first..<max(first, min(Int((b * scale).rounded(.up)) + 1, count))
  }

  /// The buffer as a lens out of focus shows it: each point becomes an even disc of `radius` scene units.
  func defocused(_ radius: Float) -> LightBuffer {
    let reach = radius * scale
    let lines = Int(reach.rounded(.down))
    var result = self
    var sums = [Cell](repeating: .zero, count: (width + 1) * height)
    for j in 0..<height {
      for i in 0..<width {
        sums[j * (width + 1) + i + 1] = sums[j * (width + 1) + i] + cells[j * width + i]
      }
    }
    let chords = (-lines...lines).map { (reach * reach - Float($0 * $0)).squareRoot() }
    let area = chords.reduce(0) { $0 + 2 * $1 }
    /// The sum of a row from its start to `position`, which may lie within a cell or, at the edges, outside.
    func sum(_ j: Int, _ position: Float) -> Cell {
      let line = j * (width + 1)
      if position <= 0 { return cells[j * width] * position }
      let i = Int(position)
      if i >= width { return sums[line + width] + cells[j * width + width - 1] * (position - Float(width)) }
      return sums[line + i] + cells[j * width + i] * (position - Float(i))
    }
    for j in 0..<height {
      for i in 0..<width {
        var total = Cell.zero
        for (index, chord) in chords.enumerated() {
          let row = min(max(j + index - lines, 0), height - 1)
          let centre = Float(i) + 0.5
          total += sum(row, centre + chord) - sum(row, centre - chord)
        }
        result.cells[j * width + i] = total / area
      }
    }
    return result
  }

  /// The buffer with `top` before it.
  func under(_ top: LightBuffer) -> LightBuffer {
    var result = self
    for i in cells.indices { result.cells[i] = top.cells[i] + cells[i] * (1 - top.cells[i].w) }
    return result
  }

  /// One row of cells at `v`, by a cubic B-spline over four: smooth to the second derivative, so no lattice shows.
  func line(_ v: Float) -> [Cell] {
    let (first, weights) = Self.spline(v * scale)
    var result = [Cell](repeating: .zero, count: width)
    for k in 0..<4 {
      let row = min(max(first + k, 0), height - 1) * width
      for i in 0..<width { result[i] += cells[row + i] * weights[k] }
    }
    return result
  }

  /// The light at `u` of a row from ``line(_:)``.
  @inline(__always)
  func at(_ u: Float, in line: [Cell]) -> SceneryLight {
    let (first, weights) = Self.spline((u - left) * scale)
    var result = Cell.zero
    for k in 0..<4 { result += line[min(max(first + k, 0), width - 1)] * weights[k] }
    return SceneryLight(result.x, result.y, result.z)
  }

  @inline(__always)
  private static func spline(_ position: Float) -> (Int, SIMD4<Float>) {
    let p = position - 0.5
    let floor = p.rounded(.down)
    let t = p - floor
    let s = 1 - t
    let weights = SIMD4(s * s * s, 4 - 6 * t * t + 3 * t * t * t, 4 - 6 * s * s + 3 * s * s * s, t * t * t) / 6
    return (Int(floor) - 1, weights)
  }
}
