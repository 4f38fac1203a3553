import BackdropImaging
import CBackdropKernels

/// One picture of a cloud or a mesh, shared by the threads: parts of the work project points, draw points or triangles, and shade rows.
///
/// Each part draws the points or triangles of its rows in order, so that the picture does not depend on the number of parts.
struct CloudDrawing {
  /// The number of points or triangles tested together against a thread's rows.
  static let batch = 1024

  let kernels: bd_cloud_kernels
  let view: bd_cloud_view
  let points: bd_cloud_points
  let pointCount: Int
  /// A point's radius, in pixels at its own distance; 0 for a mesh.
  let size: Float
  let mesh: Mesh?
  let shading: Shading
  let parts: Int
  /// Space for the points' columns, rows and distances.
  let places: bd_cloud_places
  /// Space for the first and last row of each ``batch`` of points or triangles.
  let extents: UnsafeMutablePointer<Float>
  /// Space for two rows per part.
  let lines: UnsafeMutablePointer<UInt32>

  /// The triangles that replace the points.
  struct Mesh {
    let texture: bd_cloud_texture
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

  static func extentCount(points: Int, triangles: Int) -> Int { 2 * max(batches(points), batches(triangles)) }

  mutating func run(on workers: WorkerPool) {
    workers.run(parts: parts, &self) { $0.project($1) }
    if mesh != nil {
      workers.run(parts: parts, &self) { $0.measure($1) }
    }
    workers.run(parts: parts, &self) { $0.draw($1) }
    workers.run(parts: parts, &self) { $0.shade($1) }
  }

  private func project(_ part: Int) {
    withUnsafePointer(to: view) { view in
      withUnsafePointer(to: points) { points in
        withUnsafePointer(to: places) { places in
          for index in WorkerPool.share(part, of: Self.batches(pointCount), in: parts) {
            let range = range(index, of: pointCount)
            kernels.project(view, points, range.lowerBound, range.upperBound, size, places, extents + 2 * index)
          }
        }
      }
    }
  }

  private func measure(_ part: Int) {
    guard let mesh else { return }
    withUnsafePointer(to: places) { places in
      for index in WorkerPool.share(part, of: Self.batches(mesh.count), in: parts) {
        let range = range(index, of: mesh.count)
        kernels.triangle_rows(
          places, mesh.triangles, range.lowerBound, range.upperBound, view.nearest, extents + 2 * index)
      }
    }
  }

  private func draw(_ part: Int) {
    let (width, height) = (Int(view.width), Int(view.height))
    let rows = WorkerPool.share(part, of: height, in: parts)
    (view.depth + rows.lowerBound * width).update(repeating: .infinity, count: rows.count * width)
    let (first, end) = (Int32(rows.lowerBound), Int32(rows.upperBound))
    withUnsafePointer(to: view) { view in
      withUnsafePointer(to: places) { places in
        for index in 0..<Self.batches(things) {
          // One more row, because ends are rounded. Written so that NaN is drawn.
          let isOutside = extents[2 * index] > Float(end + 1) || extents[2 * index + 1] < Float(first - 1)
          guard !isOutside else { continue }
          let range = range(index, of: things)
          if let mesh {
            withUnsafePointer(to: mesh.texture) { texture in
              kernels.draw_triangles(
                view, places, mesh.coordinates, mesh.triangles, range.lowerBound, range.upperBound, texture, first, end)
            }
          } else {
            withUnsafePointer(to: points) { points in
              kernels.draw_points(view, points, places, range.lowerBound, range.upperBound, size, first, end)
            }
          }
        }
      }
    }
  }

  private func shade(_ part: Int) {
    let rows = WorkerPool.share(part, of: Int(view.height) / 2, in: parts)
    withUnsafePointer(to: view) { view in
      kernels.shade(
        shading.output, shading.stride, view, Int32(rows.lowerBound), Int32(rows.upperBound), 2, shading.strength,
        shading.top, shading.bottom, lines + 2 * part * Int(view.pointee.width))
    }
  }

  private func range(_ index: Int, of count: Int) -> Range<Int> {
    index * Self.batch..<min((index + 1) * Self.batch, count)
  }
}
