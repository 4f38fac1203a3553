import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropClouds
@testable import BackdropDepth

/// Drawn points and triangles, compared with an oracle that checks each pixel.
@Suite struct CloudRenderTests {
  struct Point {
    var x, y, z: Float
    var color: UInt32
  }

  /// The kernel's drawing of points, without rotation.
  private static func draw(
    _ points: [Point], width: Int, height: Int, size: Float, _ level: CPULevel
  ) -> (depth: [Float], pixels: [UInt32]) {
    var depth = [Float](repeating: .infinity, count: width * height)
    var pixels = [UInt32](repeating: 1, count: width * height)
    var (x, y, z) = (points.map(\.x), points.map(\.y), points.map(\.z))
    var colors = points.map(\.color)
    depth.withUnsafeMutableBufferPointer { depth in
      pixels.withUnsafeMutableBufferPointer { pixels in
        x.withUnsafeMutableBufferPointer { x in
          y.withUnsafeMutableBufferPointer { y in
            z.withUnsafeMutableBufferPointer { z in
              colors.withUnsafeMutableBufferPointer { colors in
                var view = bd_cloud_view()
                view.rotation = (1, 0, 0, 0, 1, 0, 0, 0, 1)
                (view.focal_x, view.focal_y, view.center_x, view.center_y) = (40, 40, 20.25, 15.75)
                (view.nearest, view.width, view.height) = (0.1, Int32(width), Int32(height))
                (view.depth, view.pixels) = (depth.baseAddress, pixels.baseAddress)
                var cloud = bd_cloud_points(
                  x: x.baseAddress, y: y.baseAddress, z: z.baseAddress, color: colors.baseAddress, nx: nil, ny: nil,
                  nz: nil, pixel: nil)
                var projected = [Float](repeating: 0, count: 3 * points.count)
                var rows: [Float] = [0, 0]
                projected.withUnsafeMutableBufferPointer { buffer in
                  guard let u = buffer.baseAddress else { return }
                  var projected = bd_cloud_projected(u: u, v: u + points.count, z: u + 2 * points.count)
                  let kernels = level.kernels.cloud
                  kernels.project(&view, &cloud, 0, points.count, size, &projected, &rows)
                  // In two parts, as with two threads.
                  for (first, end) in [(0, height / 3), (height / 3, height)] {
                    kernels.draw_points(&view, &cloud, &projected, 0, points.count, size, Int32(first), Int32(end))
                  }
                }
              }
            }
          }
        }
      }
    }
    return (depth, pixels)
  }

  @Test(arguments: CPULevel.supported) func theNearestPointIsSeen(level: CPULevel) {
    var random = SeededRandom(seed: 3)
    for round in 0..<20 {
      // Sizes for which no pixel's centre lies on an edge.
      let size = [Float(0.6), 1.3, 3.7, 9.1][round % 4]
      let points = (0..<40).map { _ in
        Point(
          x: .random(in: -1...1, using: &random), y: .random(in: -1...1, using: &random),
          z: .random(in: -0.5...3, using: &random), color: .random(in: 2...UInt32.max, using: &random))
      }
      let drawn = Self.draw(points, width: 40, height: 30, size: size, level)
      for (y, x) in product(0..<30, 0..<40) {
        var best: (z: Float, color: UInt32) = (.infinity, 1)
        var isClose = false
        for point in points where point.z > 0.1 {
          let (u, v) = (point.x / point.z * 40 + 20.25, point.y / point.z * 40 + 15.75)
          let radius = min(max(size, 0.5), 32)
          let (dx, dy) = (Float(x) + 0.5 - u, Float(y) + 0.5 - v)
          let inside = radius < 2 ? max(abs(dx), abs(dy)) < radius : dx * dx + dy * dy < radius * radius
          let edge = radius < 2 ? abs(max(abs(dx), abs(dy)) - radius) : abs((dx * dx + dy * dy).squareRoot() - radius)
          isClose = isClose || edge < 1e-3
          if inside && point.z < best.z { best = (point.z, point.color) }
        }
        guard !isClose else { continue }
        let at = y * 40 + x
        #expect(
          drawn.depth[at] == best.z && drawn.pixels[at] == best.color, "seed 3, round \(round), \(x), \(y), \(level)")
      }
    }
  }

  @Test(arguments: CPULevel.supported) func whatCannotBeDrawnIsLeftOut(level: CPULevel) {
    let odd: [Float] = [.nan, .infinity, -.infinity, 0, -1, 1e30, -1e30, 1e-30]
    let points = odd.flatMap { x in
      odd.flatMap { z in [Point(x: x, y: 0, z: z, color: 5), Point(x: 0, y: x, z: z, color: 5)] }
    }
    let drawn = Self.draw(points, width: 40, height: 30, size: 1e9, level)
    #expect(drawn.depth.allSatisfy { $0 > 0 })
  }

  /// A wall that faces the camera shows its texture when seen from the same position.
  @Test func aMeshShowsItsTexture() throws {
    let camera = Intrinsics(fx: 64, fy: 64, cx: 32, cy: 24, width: 64, height: 48)
    let map = DepthMap(metres: Plane(repeating: 2, width: 64, height: 48), intrinsics: camera)
    let mesh = try DepthMesh(map)
    #expect(mesh.cloud.count == 64 * 48 && mesh.triangles.count == 6 * 63 * 47)
    var texture = Image(.rgba8, width: 64, height: 48)
    for y in 0..<48 {
      var row = texture.mutableRow(y)
      for x in 0..<64 {
        (row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]) = (UInt8(4 * x), UInt8(5 * y), 90, 255)
      }
    }
    var renderer = try CloudRenderer(width: 64, height: 48, workers: WorkerPool(threads: 1))
    renderer.shading = 0
    let seen = renderer.image(of: mesh, texture: texture, from: CloudView())
    for y in 2..<46 {
      let row = seen.row(y)
      for x in 2..<62 {
        #expect(
          abs(Int(row[4 * x]) - 4 * x) <= 2 && abs(Int(row[4 * x + 1]) - 5 * y) <= 2
            && abs(Int(row[4 * x + 2]) - 90) <= 1)
      }
    }
  }

  /// If the camera moves right, near objects move left; if it moves up, they move down.
  @Test func viewsTurnTheRightWay() throws {
    let camera = Intrinsics(fx: 64, fy: 64, cx: 32, cy: 24, width: 64, height: 48)
    let plane = Plane<Float>(width: 64, height: 48) { x, y in (30..<34).contains(x) && (22..<26).contains(y) ? 1 : 4 }
    var picture = Image(.rgba8, width: 64, height: 48)
    for y in 0..<48 {
      var row = picture.mutableRow(y)
      for x in 0..<64 {
        let isNear = plane[x, y] == 1
        (row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]) = (isNear ? 255 : 0, 0, isNear ? 0 : 90, 255)
      }
    }
    let cloud = try PointCloud(DepthMap(metres: plane, intrinsics: camera), picture: picture)
    var renderer = try CloudRenderer(width: 128, height: 96, workers: WorkerPool(threads: 2))
    (renderer.shading, renderer.pivotMetres) = (0, 2)
    func center(_ view: CloudView) throws -> (x: Double, y: Double) {
      let image = renderer.image(of: cloud, from: view)
      var (x, y, all) = (0.0, 0.0, 0.0)
      for row in 0..<96 {
        let pixels = image.row(row)
        for column in 0..<128 where pixels[4 * column] > 150 && pixels[4 * column + 2] < 60 {
          (x, y, all) = (x + Double(column), y + Double(row), all + 1)
        }
      }
      try #require(all > 10)
      return (x / all, y / all)
    }
    let straight = try center(CloudView())
    #expect(abs(straight.x - 63.5) < 0.6 && abs(straight.y - 47.5) < 0.6)
    #expect(try center(CloudView(yaw: 10)).x < straight.x - 5)
    #expect(try center(CloudView(pitch: 10)).y > straight.y + 5)
    let zoomed = try center(CloudView(yaw: 5, zoom: 1.5))
    let plain = try center(CloudView(yaw: 5))
    #expect(abs((zoomed.x - 63.5) - 1.5 * (plain.x - 63.5)) < 1)
  }

  /// The picture does not depend on the number of threads: large and small points, and triangles, over several batches.
  @Test(arguments: CPULevel.supported) func threadsDrawTheSamePicture(level: CPULevel) throws {
    var random = SeededRandom(seed: 7)
    let camera = Intrinsics(fx: 70, fy: 70, cx: 40, cy: 30, width: 80, height: 60)
    var plane = Plane<Float>(repeating: 2, width: 80, height: 60)
    for y in 0..<60 { for x in 0..<80 { plane[x, y] += .random(in: -0.02...0.02, using: &random) } }
    for y in 20..<40 { for x in 30..<50 { plane[x, y] *= 0.5 } }
    let map = DepthMap(metres: plane, intrinsics: camera)
    let picture = Image.noise(.rgba8, 80, 60, &random)
    let cloud = try PointCloud(map, picture: picture)
    let mesh = try DepthMesh(map)
    #expect(cloud.count > 2 * CloudDrawing.batch && mesh.triangles.count > 6 * CloudDrawing.batch)
    for view in [CloudView(yaw: 20, pitch: -10, roll: 30), CloudView(zoom: 9), CloudView(yaw: 170, zoom: 0.4)] {
      var pictures: [[UInt8]] = []
      for threads in [1, 2, 3, 8] {
        var renderer = try CloudRenderer(
          width: 101, height: 37, workers: WorkerPool(threads: threads), cpu: level)
        pictures.append(
          renderer.image(of: cloud, from: view).packedBytes
            + renderer.image(of: mesh, texture: picture, from: view).packedBytes)
      }
      for other in pictures.dropFirst() { #expect(other == pictures[0], "seed 7, \(view), \(level)") }
    }
  }

  @Test(arguments: ["", "a", "1,2,3,4,5", "400", "nan", "0,0,0,0", "0,0,0,1e9", "1,,2"]) func refusesViews(text: String)
  {
    #expect(throws: BackdropError.self) { try CloudView(text) }
  }

  @Test func readsViews() throws {
    #expect(try CloudView("20,-10,5,1.5") == CloudView(yaw: 20, pitch: -10, roll: 5, zoom: 1.5))
    #expect(try CloudView("-20") == CloudView(yaw: -20))
    #expect(CloudView(yaw: 3).onOrbit(0) == CloudView(yaw: 3, pitch: -3))
  }
}
