import BackdropImaging

/// Transforms pictures of a colour camera into the view of the depth camera beside it: the counterpart of ``DepthAligner``, for clouds and
/// filters that keep the original depth.
///
/// Each pixel of the map takes the colour at its point's position in the picture, interpolated between four pixels. It has none if its
/// depth is a hole, if the point is outside the picture, or if a nearer thing hides it from the colour camera, according to the map in that
/// camera's view, with a tolerance of 3 % of the distance. It is not safe to call from two threads at once.
package final class PictureAligner {
  /// The depth camera, into whose view pictures are transformed.
  package let depth: CameraModel
  package let color: CameraModel
  /// From the depth camera to the colour camera.
  package let extrinsics: Extrinsics
  private let aligner: DepthAligner
  private var view = DepthMap(checked: Plane(uninitializedWidth: 0, height: 0), intrinsics: nil, isRegistered: true)
  /// Directions of the map's pixels in the colour camera's axes.
  private var rays: [SIMD3<Float>] = []
  private var raysSize = (0, 0)

  /// A point within this ratio behind the nearest depth is not hidden by it.
  private static let spare: Float = 1.03

  /// - Throws: `badData` for invalid cameras and extrinsics; `overLimit` for a colour camera beyond
  ///   ``/BackdropImaging/ImageLimits/standard``.
  package init(depth: CameraModel, color: CameraModel, extrinsics: Extrinsics) throws(BackdropError) {
    let made = try DepthAligner(depth: depth, color: color, extrinsics: extrinsics)
    (self.depth, self.color, self.extrinsics, aligner) = (depth, color, extrinsics, made)
  }

  /// The colour camera's picture in the view of the depth camera's map, both at any size: `rgba8` of the map's size, to which the map
  /// itself is registered. Pixels without a colour are transparent, or black if `isOpaque`.
  package func aligned(_ picture: Image, to map: DepthMap, isOpaque: Bool = false) -> Image {
    let source = picture.format == .rgba8 ? picture : picture.converted(to: .rgba8)
    var result = Image(
      .rgba8, width: map.width, height: map.height, color: source.color, alpha: isOpaque ? .opaque : .straight)
    let reference = color.intrinsics
    var loose = map
    loose.isRegistered = false
    aligner.align(loose, into: &view)
    if raysSize != (map.width, map.height) { prepareRays(map.width, map.height) }
    let sx = Float(source.width) / Float(reference.width), sy = Float(source.height) / Float(reference.height)
    let nothing: UInt8 = isOpaque ? 255 : 0
    let offset = SIMD3(extrinsics.translation.map { Float($0) })
    for y in 0..<map.height {
      let depths = map.metres.row(y)
      var row = result.mutableRow(y)
      for x in depths.indices {
        for c in 0..<3 { row[4 * x + c] = 0 }
        row[4 * x + 3] = nothing
        let z = depths[x]
        let point = rays[y * map.width + x] * z + offset
        // Written so that holes fail.
        guard z > 0 && point.z > 1e-3 else { continue }
        let position = pixel(point.x / point.z, point.y / point.z)
        guard
          position.x >= 0 && position.y >= 0 && position.x < Float(reference.width)
            && position.y < Float(reference.height)
        else { continue }
        let nearest = view.metres[Int(position.x), Int(position.y)]
        if point.z > nearest * Self.spare { continue }
        let color = source.between(position.x * sx - 0.5, position.y * sy - 0.5)
        for c in 0..<3 { row[4 * x + c] = UInt8(color[c] + 0.5) }
        row[4 * x + 3] = 255
      }
    }
    return result
  }

  private func pixel(_ u: Float, _ v: Float) -> (x: Float, y: Float) {
    if let grid = aligner.grid { return grid.pixel(u, v) }
    let found = color.pixel(x: Double(u), y: Double(v))
    return (Float(found.x), Float(found.y))
  }

  private func prepareRays(_ width: Int, _ height: Int) {
    raysSize = (width, height)
    rays = []
    rays.reserveCapacity(width * height)
    depth.forEachDirection(width, height, turnedBy: extrinsics) { _, _, ray in rays.append(ray) }
  }
}

extension Image {
  /// Red, green and blue of an `rgba8` image, interpolated between four pixels; the edge repeats beyond.
  fileprivate func between(_ x: Float, _ y: Float) -> SIMD3<Float> {
    let px = min(max(x, 0), Float(width - 1)), py = min(max(y, 0), Float(height - 1))
    let (left, top) = (Int(px), Int(py))
    let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
    let (p, q) = (px - Float(left), py - Float(top))
    let (above, below) = (row(top), row(bottom))
    var result = SIMD3<Float>()
    for c in 0..<3 {
      let one = Float(above[4 * left + c]) * (1 - p) + Float(above[4 * right + c]) * p
      let two = Float(below[4 * left + c]) * (1 - p) + Float(below[4 * right + c]) * p
      result[c] = one * (1 - q) + two * q
    }
    return result
  }
}
