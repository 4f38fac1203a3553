import BackdropImaging
import CBackdropKernels

/// One picture of a cloud or a mesh, shared by the threads: parts of the work project points, draw points or triangles, and shade rows.
///
/// Each part draws the points or triangles of its rows in order, so that the picture does not depend on the number of parts.
struct CloudDrawing {
  /// The number of points or triangles tested together against a thread's rows.
  static let batch = 1024

  let kernels: bd_cloud_kernels
  var view: bd_cloud_view
  var points: bd_cloud_points
  let pointCount: Int
  /// A point's radius, in pixels at its own distance; 0 for a mesh.
  let size: Float
  var mesh: Mesh?
  let shading: Shading
  let parts: Int
  /// Space for the points' columns, rows and distances.
  var projected: bd_cloud_projected
  /// Space for the first and last row of each ``batch`` of points or triangles.
  let extents: UnsafeMutablePointer<Float>
  /// Space for two rows per part.
  let lines: UnsafeMutablePointer<UInt32>

  /// The triangles that replace the points.
  struct Mesh {
    var texture: bd_cloud_texture
    let coordinates: UnsafePointer<Float>
    let triangles: UnsafePointer<UInt32>
    let count: Int
  }

  /// The picture to write, and its shading.
  struct Shading {
    let output: UnsafeMutablePointer<UInt32>
    let stride: Int
    let strength: Float
    let top, bottom: UInt32
  }

  private var things: Int { mesh?.count ?? pointCount }

  static func batches(_ count: Int) -> Int { (count + batch - 1) / batch }

  func run(on workers: WorkerPool) {
    workers.run(parts: parts, rows: 0..<Self.batches(pointCount), self) { $0.project($1) }
    if let mesh { workers.run(parts: parts, rows: 0..<Self.batches(mesh.count), self) { $0.measure($1) } }
    workers.run(parts: parts, rows: 0..<Int(view.height), self) { $0.draw($1) }
    workers.run(parts: parts, rows: 0..<Int(view.height) / 2, self) {
      $0.kernels.shade(
        $0.shading.output, $0.shading.stride, &$0.view, $1.from, $1.to, 2, $0.shading.strength, $0.shading.top,
        $0.shading.bottom, $0.lines + 2 * $1.part * Int($0.view.width))
    }
  }

  private mutating func project(_ share: WorkerPool.RowShare) {
    for index in Int(share.from)..<Int(share.to) {
      let range = range(index, of: pointCount)
      kernels.project(&view, &points, range.lowerBound, range.upperBound, size, &projected, extents + 2 * index)
    }
  }

  private mutating func measure(_ share: WorkerPool.RowShare) {
    guard let mesh else { return }
    for index in Int(share.from)..<Int(share.to) {
      let range = range(index, of: mesh.count)
      kernels.triangle_rows(
        &projected, mesh.triangles, range.lowerBound, range.upperBound, view.nearest, extents + 2 * index)
    }
  }

  private mutating func draw(_ share: WorkerPool.RowShare) {
    let (width, first, end) = (Int(view.width), share.from, share.to)
    (view.depth + Int(first) * width).update(repeating: .infinity, count: Int(end - first) * width)
    for index in 0..<Self.batches(things) {
      // One more row, because ends are rounded. Written so that NaN is drawn.
      let isOutside = extents[2 * index] > Float(end + 1) || extents[2 * index + 1] < Float(first - 1)
      guard !isOutside else { continue }
      let range = range(index, of: things)
      if var mesh {
        kernels.draw_triangles(
          &view, &projected, mesh.coordinates, mesh.triangles, range.lowerBound, range.upperBound, &mesh.texture, first,
          end)
      } else {
        kernels.draw_points(&view, &points, &projected, range.lowerBound, range.upperBound, size, first, end)
      }
    }
  }

  private func range(_ index: Int, of count: Int) -> Range<Int> {
    index * Self.batch..<min((index + 1) * Self.batch, count)
  }
}
