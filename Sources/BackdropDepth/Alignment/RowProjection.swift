/// Projects a row of a map into the view of a camera whose lens is on a ``LensGrid``, like the `project` kernel for the other lenses.
struct RowProjection {
  let grid: LensGrid
  /// Half of the side of a map pixel in that view at the same depth, in pixels.
  let halfWidth, halfHeight: Float
  /// Size of the view.
  let width, height: Int
  /// The depth camera's position relative to the other.
  let offset: SIMD3<Float>

  /// Writes columns, rows and depths like the kernel.
  func project(_ metres: UnsafePointer<Float>, count: Int, rays: [FilterPlane], y: Int, into row: ProjectedRow) {
    let (left, right, top, bottom) = (row.left, row.right, row.top, row.bottom)
    let there = row.depths
    let (rx, ry, rz) = (rays[0].row(y), rays[1].row(y), rays[2].row(y))
    for x in 0..<(count + 15) / 16 * 16 {
      (left[x], right[x], top[x], bottom[x], there[x]) = (0, 0, 0, 0, .nan)
      guard x < count, metres[x] > 0 else { continue }
      let z = metres[x]
      let p = SIMD3(rx[x], ry[x], rz[x]) * z + offset
      guard p.z > 1e-3 && p.z < 1e38 else { continue }
      let inverse = 1 / p.z
      let (u, v) = grid.pixel(p.x * inverse, p.y * inverse)
      let w = z * inverse * halfWidth, h = z * inverse * halfHeight
      // Written so that NaN is outside.
      guard u + w > 0 && u - w < Float(width) && v + h > 0 && v - h < Float(height) else { continue }
      (left[x], right[x]) = Self.range(u, w, width)
      (top[x], bottom[x]) = Self.range(v, h, height)
      if left[x] < right[x] { there[x] = p.z }
    }
  }

  /// Pixels whose middles lie within `half` of a position, including the pixel that contains it.
  private static func range(_ middle: Float, _ half: Float, _ count: Int) -> (Int32, Int32) {
    let most = Float(count)
    var first = Int32(min(max(middle - half - 0.5, 0), most).rounded(.up))
    var end = Int32(min(max(middle + half - 0.5, 0), most).rounded(.up))
    if middle >= 0 && middle < most {
      first = min(first, Int32(middle))
      end = max(end, Int32(middle) + 1)
    }
    return (first, end)
  }
}

/// The positions of a row of depth pixels in the other camera: ranges of columns and rows, without the upper bounds, and depths.
struct ProjectedRow {
  let left, right, top, bottom: UnsafeMutablePointer<Int32>
  let depths: UnsafeMutablePointer<Float>
}
