/// A camera's lens on a grid of directions with linear interpolation, for lenses that need a search or a table from a direction to its
/// pixel.
///
/// Lenses bend little between nodes: with 128 of them across a view, the error is below a hundredth of a pixel.
struct LensGrid: Sendable {
  private static let columns = 129, rows = 97
  private let left, top, columnsPerUnit, rowsPerUnit: Float
  private var x: [Float] = []
  private var y: [Float] = []

  /// The pixels of a camera's whole view, with a margin, at its reference size.
  init(_ camera: CameraModel) {
    let (width, height) = (Double(camera.intrinsics.width), Double(camera.intrinsics.height))
    var (low, high) = ((x: Double.infinity, y: Double.infinity), (x: -Double.infinity, y: -Double.infinity))
    for step in 0...64 {
      let part = Double(step) / 64
      for (px, py) in [(part * width, 0), (part * width, height), (0, part * height), (width, part * height)] {
        let ray = camera.direction(x: px, y: py)
        (low.x, low.y) = (min(low.x, ray.x), min(low.y, ray.y))
        (high.x, high.y) = (max(high.x, ray.x), max(high.y, ray.y))
      }
    }
    let (across, down) = (max(high.x - low.x, 1e-9) * 1.04, max(high.y - low.y, 1e-9) * 1.04)
    let first = (x: (low.x + high.x - across) / 2, y: (low.y + high.y - down) / 2)
    let (dx, dy) = (across / Double(Self.columns - 1), down / Double(Self.rows - 1))
    (left, top, columnsPerUnit, rowsPerUnit) = (Float(first.x), Float(first.y), Float(1 / dx), Float(1 / dy))
    for row in 0..<Self.rows {
      for column in 0..<Self.columns {
        let ray = (x: first.x + Double(column) * dx, y: first.y + Double(row) * dy)
        let pixel = camera.pixel(x: ray.x, y: ray.y)
        let back = camera.direction(x: pixel.x, y: pixel.y)
        // If a formula folds the picture over itself, the inverse leads elsewhere.
        let isTrue = abs(back.x - ray.x) < 0.01 && abs(back.y - ray.y) < 0.01
        x.append(isTrue ? Float(pixel.x) : .nan)
        y.append(isTrue ? Float(pixel.y) : .nan)
      }
    }
  }

  /// The pixel for a direction; NaN if there is none.
  func pixel(_ u: Float, _ v: Float) -> (x: Float, y: Float) {
    let (column, row) = ((u - left) * columnsPerUnit, (v - top) * rowsPerUnit)
    // Written so that NaN is outside.
    guard column >= 0 && row >= 0 && column < Float(Self.columns - 1) && row < Float(Self.rows - 1) else {
      return (.nan, .nan)
    }
    let (i, j) = (Int(column), Int(row))
    let (p, q) = (column - Float(i), row - Float(j))
    let index = j * Self.columns + i
    func between(_ values: [Float]) -> Float {
      let above = values[index] + p * (values[index + 1] - values[index])
      let below = values[index + Self.columns] + p * (values[index + Self.columns + 1] - values[index + Self.columns])
      return above + q * (below - above)
    }
    return (between(x), between(y))
  }
}
