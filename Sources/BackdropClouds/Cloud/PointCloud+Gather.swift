import BackdropDepth
import BackdropImaging
import CBackdropKernels

extension PointCloud {
  mutating func fill(
    _ map: DepthMap, _ picture: Image?, _ options: Options, keepsPixels: Bool, _ level: CPULevel
  ) throws(BackdropError) {
    let (width, height) = (map.width, map.height)
    let picture = map.isRegistered ? picture : nil
    let sampled = try picture.map { image throws(BackdropError) in
      image.width == width && image.height == height
        ? image.converted(to: .rgba8, color: .jpeg)
        : try image.converted(to: .rgba8, color: .jpeg).scaled(toWidth: width, height: height)
    }
    let capacity = width * height + Int(BD_CLOUD_SLACK)
    (hasColors, hasNormals) = (sampled != nil, options.estimatesNormals)
    numbers.fit(capacity, hasNormals ? 6 : 3)
    if hasColors { colors.fit(capacity, 1) }
    if keepsPixels { pixels = Plane(uninitializedWidth: capacity, height: 1) }
    count = gather(map, sampled, options, level)
  }

  /// Runs the kernels over the map's rows; returns the number of points.
  private func gather(_ map: DepthMap, _ picture: Image?, _ options: Options, _ level: CPULevel) -> Int {
    let kernels = level.kernels.cloud
    let (width, height, stride) = (map.width, map.height, map.metres.stride)
    let rowBytes = picture?.layout(0).bytesPerRow ?? 0
    let (jump, noise) = (Float(options.jump), Float(options.noise))
    // The planes are new, so nothing else refers to their memory.
    func row(_ index: Int) -> UnsafeMutablePointer<Float> { numbers.base + index * numbers.stride }
    var points = bd_cloud_points(
      x: row(0), y: row(1), z: row(2), color: hasColors ? colors.base : nil, nx: hasNormals ? row(3) : nil,
      ny: hasNormals ? row(4) : nil, nz: hasNormals ? row(5) : nil, pixel: pixels?.base)
    let rays = (0..<width).map { Float((Double($0) + 0.5 - camera.cx) / camera.fx) }
    let keep = ZeroedMemory<UInt8>(count: width)
    let normals = ZeroedMemory<Float>(count: hasNormals ? 3 * width : 0)
    let reach = Int(BD_CLOUD_REACH)
    let inverse = hasNormals ? inverted(map, reach, kernels) : Plane(uninitializedWidth: 0, height: 0)
    var found = 0
    map.metres.withUnsafePointer { depth in
      rays.withUnsafeBufferPointer { rays in
        for y in 0..<height {
          let row = depth + y * stride
          let rayY = Float((Double(y) + 0.5 - camera.cy) / camera.fy)
          var source = bd_cloud_row(
            depth: row, keep: nil, ray_x: rays.baseAddress, ray_y: rayY, color: nil, nx: nil, ny: nil, nz: nil,
            first_pixel: UInt32(y * width), width: Int32(width))
          if options.removesFlyingPixels {
            kernels.keep_row(
              keep.base, y > 0 ? row - stride : nil, row, y + 1 < height ? row + stride : nil, Int32(width), jump, noise
            )
            source.keep = UnsafePointer(keep.base)
          }
          if hasNormals {
            let nx = normals.base
            kernels.normals_row(
              nx, nx + width, nx + 2 * width, inverse.base + (y + reach) * inverse.stride + reach, inverse.stride,
              rays.baseAddress, rayY, Float(camera.fx), Float(camera.fy), Int32(width), jump, noise)
            (source.nx, source.ny, source.nz) = (
              UnsafePointer(nx), UnsafePointer(nx + width), UnsafePointer(nx + 2 * width)
            )
          }
          if let picture {
            found = picture.withUnsafeBytes { base in
              source.color = (base + y * rowBytes).assumingMemoryBound(to: UInt32.self)
              return kernels.gather_row(&points, found, &source)
            }
          } else {
            found = kernels.gather_row(&points, found, &source)
          }
        }
      }
    }
    withExtendedLifetime((numbers, colors, pixels, keep, normals, inverse)) {}
    return found
  }

  /// The map as 1 / depth, with a margin of NaN for the windows of normals.
  private func inverted(_ map: DepthMap, _ reach: Int, _ kernels: bd_cloud_kernels) -> Plane<Float> {
    let result = Plane<Float>(
      repeating: .nan, width: map.width + 2 * reach + Int(BD_CLOUD_SLACK), height: map.height + 2 * reach)
    map.metres.withUnsafePointer { depth in
      for y in 0..<map.height {
        kernels.invert_row(
          result.base + (y + reach) * result.stride + reach, depth + y * map.metres.stride, Int32(map.width))
      }
    }
    return result
  }
}
