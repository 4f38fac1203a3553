import BackdropImaging
import CBackdropKernels

/// Transforms depth maps of one camera into the view of another, usually the colour camera beside it.
///
/// It draws each pixel of the map at its size in that view, near ones over far ones, so that no background shows through, and closes gaps
/// of one pixel within surfaces. Parts visible only to the other camera stay holes. Memory is reused: maps of one size allocate nothing. It
/// is not safe to call from two threads at once.
package final class DepthAligner {
  package let depth: CameraModel
  /// The camera to align to; the result has the size of its intrinsics.
  package let color: CameraModel
  /// From the depth camera to the colour camera.
  package let extrinsics: Extrinsics
  private let kernels: bd_align_kernels
  /// The colour camera's lens, if the kernels do not support it.
  let grid: LensGrid?
  /// Directions of the map's pixels in the other camera's axes, if the kernels do not support a lens.
  private var rays: [FilterPlane] = []
  private var raysSize = (0, 0)
  /// The drawn view, and one of its rows: NaN except during an alignment.
  private var buffer: FilterPlane?
  private var line: FilterPlane?
  private var ranges: [Int32] = []
  private var there: [Float] = []
  /// Values before a row that the kernel reads without using them.
  private static let margin = 16

  /// Depths within this ratio belong to one surface, in which gaps are closed.
  private static let alike: Float = 1.03
  private static let distorted = 1.08

  /// Makes an aligner.
  ///
  /// - Throws: `badData` for invalid cameras and extrinsics; `overLimit` for a view beyond ``/BackdropImaging/ImageLimits/standard``.
  package init(
    depth: CameraModel, color: CameraModel, extrinsics: Extrinsics, cpu: CPULevel = .current
  ) throws(BackdropError) {
    try depth.check("depth")
    try color.check("colour")
    try extrinsics.check()
    try ImageLimits.standard.check(width: color.intrinsics.width, height: color.intrinsics.height)
    self.depth = depth
    self.color = color
    self.extrinsics = extrinsics
    kernels = cpu.kernels.align
    grid = color.isFormula ? nil : LensGrid(color)
  }

  /// The map in the colour camera's view; a registered map is returned unchanged.
  package func align(_ map: DepthMap) -> DepthMap {
    var result = DepthMap(checked: Plane(uninitializedWidth: 0, height: 0), intrinsics: nil, isRegistered: true)
    align(map, into: &result)
    return result
  }

  /// The same into a map whose memory is reused if it has the right size.
  package func align(_ map: DepthMap, into result: inout DepthMap) {
    guard !map.isRegistered && map.width > 0 && map.height > 0 else {
      result = map
      return
    }
    let (width, height) = (color.intrinsics.width, color.intrinsics.height)
    let view = FilterPlane.fitting(&buffer, width, height, repeating: .nan)
    draw(map, into: view)
    result.refill(width, height, like: map, camera: color.intrinsics) { to, stride in
      for y in 0..<height {
        kernels.close(
          view.row(max(y - 1, 0)), view.row(y), view.row(min(y + 1, height - 1)), width, Self.alike, to + y * stride)
        // Cleared for the next map while it is in the cache.
        if y > 0 { view.row(y - 1).update(repeating: .nan, count: width) }
      }
      view.row(height - 1).update(repeating: .nan, count: width)
    }
    result.isRegistered = true
  }

  /// Draws the pixels of a map; the rest of the view stays NaN.
  private func draw(_ map: DepthMap, into view: FilterPlane) {
    let padded = (map.width + 15) / 16 * 16
    if there.count != padded + Self.margin {
      there = [Float](repeating: .nan, count: padded + Self.margin)
      ranges = [Int32](repeating: 0, count: 4 * padded + Self.margin)
    }
    let camera = depth.intrinsics.scaled(toWidth: map.width, height: map.height)
    if !(depth.lens.isNone && grid == nil) && raysSize != (map.width, map.height) { prepareRays(map.width, map.height) }
    let line = FilterPlane.fitting(&line, view.width, 1, repeating: .nan)
    var row = kernelRow(camera)
    let (kernels, rays, stride) = (kernels, rays, map.metres.stride)
    let projection = grid.map { grid in
      RowProjection(
        grid: grid, halfWidth: row.half_width, halfHeight: row.half_height, width: view.width, height: view.height,
        offset: SIMD3(row.offset.0, row.offset.1, row.offset.2))
    }
    map.metres.withUnsafePointer { metres in
      ranges.withUnsafeMutableBufferPointer { ranges in
        there.withUnsafeMutableBufferPointer { there in
          // A map has at least one pixel.
          guard let firstRange = ranges.baseAddress, let firstDepth = there.baseAddress else { return }
          let left = firstRange + Self.margin
          let to = ProjectedRow(
            left: left, right: left + padded, top: left + 2 * padded, bottom: left + 3 * padded,
            depths: firstDepth + Self.margin)
          for y in 0..<map.height {
            if let projection {
              projection.project(metres + y * stride, count: map.width, rays: rays, y: y, into: to)
            } else if rays.isEmpty {
              setStart(&row, camera, y)
              kernels.project(metres + y * stride, map.width, &row, to.left, to.right, to.top, to.bottom, to.depths)
            } else {
              let pointers: (UnsafePointer<Float>?, UnsafePointer<Float>?, UnsafePointer<Float>?) = (
                UnsafePointer(rays[0].row(y)), UnsafePointer(rays[1].row(y)), UnsafePointer(rays[2].row(y))
              )
              withUnsafePointer(to: pointers) {
                $0.withMemoryRebound(to: UnsafePointer<Float>?.self, capacity: 3) {
                  row.rays = $0
                  kernels.project(metres + y * stride, map.width, &row, to.left, to.right, to.top, to.bottom, to.depths)
                }
              }
            }
            kernels.splat(
              to.left, to.right, to.top, to.bottom, to.depths, map.width, Self.alike, view.base, view.stride, line.base)
          }
        }
      }
    }
  }

  private func prepareRays(_ width: Int, _ height: Int) {
    rays = (0..<3).map { _ in FilterPlane(width: width, height: height) }
    raysSize = (width, height)
    depth.forEachDirection(width, height, turnedBy: extrinsics) { x, y, ray in
      for i in 0..<3 { rays[i].row(y)[x] = ray[i] }
    }
  }

  private func kernelRow(_ camera: Intrinsics) -> bd_align_row {
    var row = bd_align_row()
    let t = extrinsics.translation, r = extrinsics.rotation
    row.offset = (Float(t[0]), Float(t[1]), Float(t[2]))
    row.step = (Float(r[0] / camera.fx), Float(r[3] / camera.fx), Float(r[6] / camera.fx))
    let c = color.intrinsics
    (row.fx, row.fy, row.cx, row.cy) = (Float(c.fx), Float(c.fy), Float(c.cx), Float(c.cy))
    if case .brownConrady(let k1, let k2, let p1, let p2, let k3) = color.lens, !color.lens.isNone {
      row.lens = (Float(k1), Float(k2), Float(p1), Float(p2), Float(k3))
      row.distorts = 1
      row.farthest = Float(farthestDirection)
    }
    // A lens enlarges parts of a picture by at most this factor; larger pixels leave no gaps there.
    let side = color.lens.isNone ? 0.5 : 0.5 * Self.distorted
    row.half_width = Float(side * c.fx / camera.fx)
    row.half_height = Float(side * c.fy / camera.fy)
    (row.width, row.height) = (Int32(c.width), Int32(c.height))
    return row
  }

  /// The largest squared distance of the colour camera's corners from its axis, with a margin.
  private var farthestDirection: Double {
    let (w, h) = (Double(color.intrinsics.width), Double(color.intrinsics.height))
    let corners = [(0, 0), (w, 0), (0, h), (w, h)].map { color.direction(x: $0.0, y: $0.1) }
    return 1.1 * corners.reduce(0) { max($0, $1.x * $1.x + $1.y * $1.y) }
  }

  /// The rotated direction of the first pixel of row `y`.
  private func setStart(_ row: inout bd_align_row, _ camera: Intrinsics, _ y: Int) {
    let ray = extrinsics.turned((0.5 - camera.cx) / camera.fx, (Double(y) + 0.5 - camera.cy) / camera.fy, 1)
    row.start = (Float(ray.x), Float(ray.y), Float(ray.z))
  }
}
