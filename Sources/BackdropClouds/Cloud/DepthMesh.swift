import BackdropDepth
import BackdropImaging

/// A surface of triangles over a depth map, cut where the depth jumps, with a picture as its texture.
///
/// Vertices are the points of a ``PointCloud``; it joins neighbouring pixels of one surface.
package struct DepthMesh: Sendable {
  /// The vertices.
  package let cloud: PointCloud
  /// Three vertex indices per triangle, counterclockwise from the camera.
  package let triangles: [UInt32]
  /// Two numbers per vertex: its position in the picture, 0…1 from the upper left corner.
  package let textureCoordinates: [Float]

  /// The surface of a map, with steps, edges and normals as for points; pixels left out of a cloud have no triangles either.
  ///
  /// - Throws: as ``PointCloud/init(_:picture:options:)``; `badData` if no three neighbours belong together.
  package init(_ map: DepthMap, options: PointCloud.Options = PointCloud.Options()) throws(BackdropError) {
    let cloud = try PointCloud(map, picture: nil, options: options, keepsPixels: true)
    let (width, height) = (map.width, map.height)
    var vertices = [Int32](repeating: -1, count: width * height)
    var coordinates: [Float] = []
    coordinates.reserveCapacity(2 * cloud.count)
    if let pixels = cloud.pixels {
      let row = pixels.row(0)
      for index in 0..<cloud.count {
        let pixel = Int(row[index])
        vertices[pixel] = Int32(index)
        coordinates.append((Float(pixel % width) + 0.5) / Float(width))
        coordinates.append((Float(pixel / width) + 0.5) / Float(height))
      }
    }
    let triangles = Self.join(vertices, cloud, width, height, options)
    guard !triangles.isEmpty else {
      throw BackdropError(.badData, "the depth has no surface to make a mesh of", hint: .leaveMeshOut)
    }
    (self.cloud, self.triangles, textureCoordinates) = (cloud, triangles, coordinates)
  }

  /// Two triangles for each four neighbours, across their shorter diagonal, unless there is a step.
  private static func join(
    _ vertices: [Int32], _ cloud: PointCloud, _ width: Int, _ height: Int, _ options: PointCloud.Options
  ) -> [UInt32] {
    let depth = cloud.numbers.row(2)
    let (jump, noise) = (Float(options.jump), Float(options.noise))
    func joined(_ a: Int32, _ b: Int32) -> Bool {
      guard a >= 0 && b >= 0 else { return false }
      let (from, to) = (depth[Int(a)], depth[Int(b)])
      let near = min(from, to)
      // Diagonals are longer, and so have larger slopes.
      return abs(from - to) <= 1.5 * max(jump * near, noise * near * near)
    }
    var result: [UInt32] = []
    result.reserveCapacity(6 * cloud.count)
    func add(_ a: Int32, _ b: Int32, _ c: Int32) {
      guard joined(a, b) && joined(b, c) && joined(c, a) else { return }
      for index in [a, b, c] { result.append(UInt32(index)) }
    }
    for y in 0..<max(0, height - 1) {
      for x in 0..<max(0, width - 1) {
        let at = y * width + x
        let (a, b, c, d) = (vertices[at], vertices[at + 1], vertices[at + width], vertices[at + width + 1])
        let isFalling: Bool =
          if a >= 0 && d >= 0 && b >= 0 && c >= 0 {
            abs(depth[Int(a)] - depth[Int(d)]) <= abs(depth[Int(b)] - depth[Int(c)])
          } else {
            a >= 0 && d >= 0
          }
        if isFalling {
          add(a, c, d)
          add(a, d, b)
        } else {
          add(a, c, b)
          add(b, c, d)
        }
      }
    }
    return result
  }
}
