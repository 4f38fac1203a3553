/// A small buffer of light whose resolution does not depend on the picture's size. It holds the soft parts of a scene,
/// such as objects out of focus, so that they look the same at every picture size.
struct LightBuffer {
  /// Light multiplied by coverage, and the coverage.
  typealias Cell = SIMD4<Float>
  typealias Bounds = (u0: Float, v0: Float, u1: Float, v1: Float)

  let width, height: Int
  /// Cells per scene unit.
  let scale: Float
  /// The scene position of the left edge.
  let left: Float
  var cells: [Cell]

  /// A buffer for `v` from 0 to `depth` and for all columns of `view`.
  init(_ view: SceneryView, scale: Float, depth: Float = 1) {
    self.scale = scale
    // The margin lets blurs include the area beside the picture.
    left = -view.halfWidth - 0.1
    width = Int((-2 * left * scale).rounded(.up))
    height = Int((depth * scale).rounded(.up))
    cells = [Cell](repeating: .zero, count: width * height)
  }

  /// The scene position of the centre of column `i`.
  func u(_ i: Int) -> Float { left + (Float(i) + 0.5) / scale }

  /// The scene position of the centre of row `j`.
  func v(_ j: Int) -> Float { (Float(j) + 0.5) / scale }

  /// Lays `light` over the cells, with a coverage from their distance to the shape's edge.
  ///
  /// - Parameters:
  ///   - bounds: a box around the shape, in scene units.
  ///   - inside: a position's distance inside the shape, in scene units; negative outside.
  mutating func fill(
    _ bounds: Bounds, _ light: (Float, Float) -> SceneryLight,
    inside: (Float, Float) -> Float
  ) {
    let scale = scale
    change(bounds) { cell, u, v in
      let coverage = unit(inside(u, v) * scale + 0.5)
      if coverage > 0 { cell = cell * (1 - coverage) + Cell(light(u, v), 1) * coverage }
    }
  }

  /// Applies `body` to each cell of a box.
  mutating func change(_ bounds: Bounds, _ body: (inout Cell, Float, Float) -> Void) {
    let columns = range(bounds.u0 - left, bounds.u1 - left, width)
    for j in range(bounds.v0, bounds.v1, height) {
      for i in columns { body(&cells[j * width + i], u(i), v(j)) }
    }
  }

  private func range(_ a: Float, _ b: Float, _ count: Int) -> Range<Int> {
    let first = min(max(Int((a * scale).rounded(.down)) - 1, 0), count)
    return first..<max(first, min(Int((b * scale).rounded(.up)) + 1, count))
  }

  /// The buffer as an unfocused lens shows it: each point becomes an even disc with a radius of `radius` scene units.
  func defocused(_ radius: Float) -> LightBuffer {
    let reach = radius * scale
    let lines = Int(reach.rounded(.down))
    // Sums of each row from its start, with the edge cells repeated over the disc's reach.
    let margin = lines + 2
    let stride = width + 2 * margin + 1
    var sums = [Cell](repeating: .zero, count: stride * height)
    for j in 0..<height {
      var sum = Cell.zero
      for i in 0..<stride - 1 {
        sum += cells[j * width + min(max(i - margin, 0), width - 1)]
        sums[j * stride + i + 1] = sum
      }
    }
    let chords = (-lines...lines).map { (reach * reach - Float($0 * $0)).squareRoot() }
    let area = chords.reduce(0) { $0 + 2 * $1 }
    var result = self
    for i in result.cells.indices { result.cells[i] = .zero }
    for j in 0..<height {
      for (index, chord) in chords.enumerated() {
        let line = min(max(j + index - lines, 0), height - 1) * stride + margin
        // The chord ends inside a cell, at the same position for all cells of the row.
        let end = 0.5 + chord
        let whole = Int(end)
        let part = end - Float(whole)
        for i in 0..<width {
          let right = line + i + whole
          let left = line + i - whole
          let inner: Cell = (sums[right] - sums[left + 1]) * (1 - part)
          let outer: Cell = (sums[right + 1] - sums[left]) * part
          result.cells[j * width + i] += inner + outer
        }
      }
    }
    for i in result.cells.indices { result.cells[i] /= area }
    return result
  }

  /// The buffer with `top` in front.
  func under(_ top: LightBuffer) -> LightBuffer {
    var result = self
    for i in cells.indices { result.cells[i] = top.cells[i] + cells[i] * (1 - top.cells[i].w) }
    return result
  }

  /// One row of cells at `v`, by a cubic B-spline over four rows: it is smooth to the second derivative, so that no
  /// lattice shows.
  func line(_ v: Float) -> [Cell] {
    let (first, weights) = Self.spline(v * scale)
    var result = [Cell](repeating: .zero, count: width)
    for k in 0..<4 {
      let row = min(max(first + k, 0), height - 1) * width
      for i in 0..<width { result[i] += cells[row + i] * weights[k] }
    }
    return result
  }

  /// The weights of a row's cells for each column of a picture.
  struct Columns {
    fileprivate var first: [Int]
    fileprivate var weights: [SIMD4<Float>]
  }

  /// The weights for the columns of the buffer's view.
  func columns(of view: SceneryView) -> Columns {
    let splines = view.columns { Self.spline(($0 - left) * scale) }
    return Columns(first: splines.map(\.0), weights: splines.map(\.1))
  }

  /// The light in column `x` of a row from ``line(_:)``; the margin guarantees all four cells.
  @inline(__always)
  func at(_ x: Int, _ columns: Columns, in line: [Cell]) -> SceneryLight {
    let (i, w) = (columns.first[x], columns.weights[x])
    var sum: Cell = line[i] * w.x
    sum += line[i + 1] * w.y
    sum += line[i + 2] * w.z
    sum += line[i + 3] * w.w
    return SceneryLight(sum.x, sum.y, sum.z)
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
