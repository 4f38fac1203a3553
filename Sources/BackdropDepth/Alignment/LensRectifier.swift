import BackdropImaging

/// Removes the lens distortion from a camera's pictures and maps.
///
/// Intrinsics stay. Parts that the lens did not show take the nearest visible pixel, a smear of a few pixels at the edges; in maps they are
/// holes.
package struct LensRectifier: Sendable {
  package let camera: CameraModel

  /// Makes a rectifier.
  ///
  /// - Throws: `badData` for an invalid camera.
  package init(_ camera: CameraModel) throws(BackdropError) {
    try camera.check("picture's")
    self.camera = camera
  }

  /// The undistorted picture, bilinear; formats other than `bgra8`, `rgba8`, `rgb8` and `gray8` become `bgra8`.
  package func rectified(_ image: Image) -> Image {
    guard !camera.lens.isNone else { return image }
    let kept: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .gray8]
    let source = kept.contains(image.format) ? image : image.converted(to: .bgra8)
    let channels = source.format == .gray8 ? 1 : source.format == .rgb8 ? 3 : 4
    var result = Image(
      source.format, width: source.width, height: source.height, color: source.color, alpha: source.alpha,
      orientation: source.orientation)
    for y in 0..<source.height {
      var row = result.mutableRow(y)
      for x in 0..<source.width {
        let from = position(x, y, source.width, source.height)
        let left = min(max(Int(from.x - 0.5), 0), source.width - 1)
        let top = min(max(Int(from.y - 0.5), 0), source.height - 1)
        let (above, below) = (source.row(top), source.row(min(top + 1, source.height - 1)))
        let next = min(left + 1, source.width - 1)
        let (fx, fy) = (min(max(from.x - 0.5 - Double(left), 0), 1), min(max(from.y - 0.5 - Double(top), 0), 1))
        for c in 0..<channels {
          let one = Double(above[left * channels + c]) * (1 - fx) + Double(above[next * channels + c]) * fx
          let two = Double(below[left * channels + c]) * (1 - fx) + Double(below[next * channels + c]) * fx
          row[x * channels + c] = UInt8(one * (1 - fy) + two * fy + 0.5)
        }
      }
    }
    return result
  }

  /// The undistorted map: each pixel takes a single source pixel's value, so that values of two surfaces never mix.
  package func rectified<Map: RangeMap>(_ map: Map) -> Map {
    guard !camera.lens.isNone else { return map }
    let source = map.values
    let result = Plane<Float>(width: source.width, height: source.height) { x, y in
      let from = position(x, y, source.width, source.height)
      let isInside = from.x >= 0 && from.y >= 0 && from.x < Double(source.width) && from.y < Double(source.height)
      return isInside ? source[Int(from.x), Int(from.y)] : .nan
    }
    return map.replacing(values: result, intrinsics: camera.intrinsics)
  }

  /// The distorted position of pixel (`x`, `y`) of an undistorted picture.
  private func position(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (x: Double, y: Double) {
    let camera = self.camera.intrinsics
    let (sx, sy) = (Double(camera.width) / Double(width), Double(camera.height) / Double(height))
    let direction = (
      x: ((Double(x) + 0.5) * sx - camera.cx) / camera.fx, y: ((Double(y) + 0.5) * sy - camera.cy) / camera.fy
    )
    let pixel = self.camera.pixel(x: direction.x, y: direction.y)
    // Written so that NaN becomes 0.
    func limited(_ value: Double, _ most: Int) -> Double { value > -1 ? min(value, Double(most) + 1) : -1 }
    return (limited(pixel.x / sx, width), limited(pixel.y / sy, height))
  }
}
