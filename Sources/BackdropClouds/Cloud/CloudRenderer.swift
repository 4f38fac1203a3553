import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Draws clouds and meshes from any side: points and triangles into a depth buffer with twice the picture's resolution.
///
/// A point has the size of its pixel at its distance. Eye-dome lighting darkens points behind their neighbours, which shows shapes without
/// a light. The buffers are reused for the next picture. Threads share the rows; the picture does not depend on their number.
package struct CloudRenderer: Sendable {
  package let width: Int, height: Int
  /// The background's colours at the top and the bottom.
  private static let backdrop = (
    top: RGBColor(red: 0.16, green: 0.17, blue: 0.21), bottom: RGBColor(red: 0.05, green: 0.05, blue: 0.07)
  )
  /// The strength of eye-dome lighting, which darkens points behind their neighbours; 0 turns it off.
  package var shading: Float = 2.5
  /// The camera's pivot: a distance in front of the cloud's original camera; `nil` for the cloud's own (``PointCloud/middle``).
  package var pivotMetres: Double?

  private let workers: WorkerPool
  private let kernels: bd_cloud_kernels
  private var depth: Plane<Float>
  private var drawn: Plane<UInt32>
  /// Two rows for each part of the work.
  private var lines: Plane<UInt32>
  /// Columns, rows and distances of the points.
  private var projected = Plane<Float>(uninitializedWidth: 0, height: 0)
  /// The first and last row of each batch of points or triangles.
  private var extents = Plane<Float>(uninitializedWidth: 0, height: 0)
  /// Samples per pixel across and down, as in the kernels.
  private static let fineness = 2
  /// More parts than threads, since their work differs.
  private static let partsPerThread = 4

  /// A renderer for pictures of a size, using the threads of `workers`.
  ///
  /// - Throws: `wrongArgument` or `overLimit` for an invalid size: 8192 on a side, 16 megapixels.
  package init(width: Int, height: Int, workers: WorkerPool, cpu: CPULevel = .current) throws(BackdropError) {
    try ImageLimits(side: 8192, pixels: 16_000_000).check(width: width, height: height)
    (self.width, self.height) = (width, height)
    let (fineWidth, fineHeight) = (width * Self.fineness, height * Self.fineness)
    depth = Plane(uninitializedWidth: fineWidth, height: fineHeight, stride: fineWidth)
    drawn = Plane(uninitializedWidth: fineWidth, height: fineHeight, stride: fineWidth)
    self.workers = workers
    kernels = cpu.kernels.cloud
    let parts = workers.threadCount > 1 ? workers.threadCount * Self.partsPerThread : 1
    lines = Plane(uninitializedWidth: fineWidth, height: 2 * parts, stride: fineWidth)
  }

  /// Draws points, as an opaque `rgba8` image. A cloud without colours gets distance colours.
  package mutating func image(of cloud: PointCloud, from view: CloudView) -> Image {
    let colors = cloud.hasColors ? cloud.colors : cloud.spectrum()
    // Larger than half of the pixel, since slanted surfaces spread adjacent points.
    let size = Float(0.9 * zoomed(cloud, view) / cloud.camera.fx)
    return colors.withUnsafePointer { colors in
      cloud.withPoints(color: colors) { points in render(cloud, points, size: size, mesh: nil, view) }
    }
  }

  /// Draws triangles with a texture, of any size, as an opaque `rgba8` image.
  package mutating func image(of mesh: DepthMesh, texture: Image, from view: CloudView) -> Image {
    let texels = texture.converted(to: .rgba8, color: .jpeg).texels
    return texels.withUnsafePointer { pixels in
      mesh.cloud.withPoints(color: nil) { points in
        mesh.textureCoordinates.withUnsafeBufferPointer { coordinates in
          mesh.triangles.withUnsafeBufferPointer { triangles in
            // A mesh has triangles.
            guard let coordinates = coordinates.baseAddress, let first = triangles.baseAddress else {
              preconditionFailure("a mesh without triangles")
            }
            let texture = bd_cloud_texture(pixels: pixels, width: Int32(texels.width), height: Int32(texels.height))
            let things = CloudDrawing.Mesh(
              texture: texture, coordinates: coordinates, triangles: first, count: triangles.count / 3)
            return render(mesh.cloud, points, size: 0, mesh: things, view)
          }
        }
      }
    }
  }

  /// The focal length in samples at which the picture shows the camera's view, times the zoom.
  private func zoomed(_ cloud: PointCloud, _ view: CloudView) -> Double {
    let camera = cloud.camera
    let scale = min(Double(width) / Double(camera.width), Double(height) / Double(camera.height))
    return camera.fx * scale * Double(Self.fineness) * view.zoom
  }

  private mutating func render(
    _ cloud: PointCloud, _ points: bd_cloud_points, size: Float, mesh: CloudDrawing.Mesh?, _ view: CloudView
  ) -> Image {
    let camera = cloud.camera
    let focal = zoomed(cloud, view)
    let aspect = camera.fy / camera.fx
    let middle = pivotMetres ?? cloud.middle
    // The rotation is about a point on the camera's axis, which stays in place in the picture.
    let turn = view.rotation
    let ahead = turn.column(2)
    let perPixel = focal / camera.fx
    let (fineWidth, fineHeight) = (width * Self.fineness, height * Self.fineness)
    var geometry = bd_cloud_view()
    turn.copy(to: &geometry.rotation)
    geometry.translation = (Float(-ahead[0] * middle), Float(-ahead[1] * middle), Float(middle - ahead[2] * middle))
    (geometry.focal_x, geometry.focal_y) = (Float(focal), Float(focal * aspect))
    geometry.center_x = Float(Double(fineWidth) / 2 + (camera.cx - Double(camera.width) / 2) * perPixel)
    geometry.center_y = Float(Double(fineHeight) / 2 + (camera.cy - Double(camera.height) / 2) * perPixel)
    geometry.nearest = Float(middle * 0.02)
    (geometry.width, geometry.height) = (Int32(fineWidth), Int32(fineHeight))
    if projected.width < cloud.count { projected = Plane(uninitializedWidth: cloud.count, height: 3) }
    let needed = 2 * CloudDrawing.batches(max(cloud.count, mesh?.count ?? 0))
    if extents.width < needed { extents = Plane(uninitializedWidth: needed, height: 1) }
    var image = Image(.rgba8, width: width, height: height, color: .jpeg)
    let layout = image.layout(0)
    let (rowStride, parts) = (projected.stride, lines.height / 2)
    depth.withUnsafeMutablePointer { depth in
      drawn.withUnsafeMutablePointer { drawn in
        lines.withUnsafeMutablePointer { lines in
          projected.withUnsafeMutablePointer { projected in
            extents.withUnsafeMutablePointer { extents in
              image.withUnsafeMutableBytes { output in
                (geometry.depth, geometry.pixels) = (depth, drawn)
                CloudDrawing(
                  kernels: kernels, view: geometry, points: points, pointCount: cloud.count, size: size, mesh: mesh,
                  shading: CloudDrawing.Shading(
                    output: (output + layout.offset).assumingMemoryBound(to: UInt32.self),
                    stride: layout.bytesPerRow / 4, strength: shading, top: Self.backdrop.top.packed,
                    bottom: Self.backdrop.bottom.packed), parts: parts,
                  projected: bd_cloud_projected(u: projected, v: projected + rowStride, z: projected + 2 * rowStride),
                  extents: extents, lines: lines
                ).run(on: workers)
              }
            }
          }
        }
      }
    }
    return image
  }
}

extension PointCloud {
  /// The pivot of a camera, in metres in front of the cloud's original camera: the harmonic mean of the distances, so that near things
  /// count more.
  package var middle: Double {
    let row = numbers.row(2)
    var sum = 0.0
    for index in 0..<count { sum += 1 / Double(row[index]) }
    return Double(count) / sum
  }

  /// Distance colours, near red to far blue.
  fileprivate func spectrum() -> Plane<UInt32> {
    DepthMap(metres: numbers.cropped(x: 0, y: 2, width: count, height: 1)).colorized().texels
  }

  fileprivate func withPoints<Result>(color: UnsafePointer<UInt32>?, _ body: (bd_cloud_points) -> Result) -> Result {
    withNumbers { rows, _ in
      // Read-only, although the kernels' type allows writing.
      let rows = rows.map { UnsafeMutablePointer(mutating: $0) }
      return body(
        bd_cloud_points(
          x: rows[0], y: rows[1], z: rows[2], color: color.map { UnsafeMutablePointer(mutating: $0) }, nx: nil, ny: nil,
          nz: nil, pixel: nil))
    }
  }
}

extension Image {
  /// The pixels of an `rgba8` image, with rows without gaps.
  fileprivate var texels: Plane<UInt32> {
    var result = Plane<UInt32>(uninitializedWidth: width, height: height, stride: width)
    let rowBytes = layout(0).bytesPerRow
    withUnsafeBytes { from in
      result.withUnsafeMutablePointer { to in
        for y in 0..<height {
          (to + y * width).update(from: (from + y * rowBytes).assumingMemoryBound(to: UInt32.self), count: width)
        }
      }
    }
    return result
  }
}
