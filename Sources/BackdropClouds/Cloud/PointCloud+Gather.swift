import BackdropDepth
import BackdropImaging
import CBackdropKernels

extension PointCloud {
  /// Memory for rows, reused for the next map.
  struct Scratch: Sendable {
    var rays: [Float] = []
    var keep: [UInt8] = []
    var normals: [Float] = []
    var inverse = Plane<Float>(uninitializedWidth: 0, height: 0)
  }

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
    numbers.fit(capacity, options.estimatesNormals ? 6 : 3)
    if sampled != nil { colors.fit(capacity, 1) }
    if keepsPixels && pixels == nil { pixels = Plane(uninitializedWidth: 0, height: 0) }
    pixels?.fit(capacity, 1)
    (hasColors, hasNormals) = (sampled != nil, options.estimatesNormals)
    scratch.prepare(map, camera, options, level)
    var scratch = self.scratch
    self.scratch = Scratch()
    count = gather(map, sampled, options, &scratch, level)
    self.scratch = scratch
  }

  /// Runs the kernels over the map's rows; returns the number of points.
  private mutating func gather(
    _ map: DepthMap, _ picture: Image?, _ options: Options, _ scratch: inout Scratch, _ level: CPULevel
  ) -> Int {
    let kernels = level.kernels.cloud
    let (width, height, stride) = (map.width, map.height, map.metres.stride)
    let rowBytes = picture?.layout(0).bytesPerRow ?? 0
    let (jump, noise) = (Float(options.jump), Float(options.noise))
    let numbersStride = numbers.stride
    let inverseStride = scratch.inverse.stride
    var found = 0
    var colors = self.colors
    var pixels = self.pixels ?? Plane(uninitializedWidth: 0, height: 0)
    let keepsPixels = self.pixels != nil
    self.colors = Plane(uninitializedWidth: 0, height: 0)
    self.pixels = nil
    let camera = self.camera
    numbers.withUnsafeMutablePointer { numbers in
      colors.withUnsafeMutablePointer { colors in
        pixels.withUnsafeMutablePointer { pixels in
          let normals = options.estimatesNormals ? numbers + 3 * numbersStride : nil
          var points = bd_cloud_points(
            x: numbers, y: numbers + numbersStride, z: numbers + 2 * numbersStride,
            color: picture == nil ? nil : colors, nx: normals, ny: normals.map { $0 + numbersStride },
            nz: normals.map { $0 + 2 * numbersStride }, pixel: keepsPixels ? pixels : nil)
          map.metres.withUnsafePointer { depth in
            scratch.inverse.withUnsafePointer { inverse in
              scratch.rays.withUnsafeBufferPointer { rays in
                scratch.keep.withUnsafeMutableBufferPointer { keep in
                  scratch.normals.withUnsafeMutableBufferPointer { normals in
                    for y in 0..<height {
                      let row = depth + y * stride
                      let rayY = Float((Double(y) + 0.5 - camera.cy) / camera.fy)
                      var source = bd_cloud_row(
                        depth: row, keep: nil, ray_x: rays.baseAddress, ray_y: rayY, color: nil, nx: nil, ny: nil,
                        nz: nil, first_pixel: UInt32(y * width), width: Int32(width))
                      if options.removesFlyingPixels {
                        kernels.keep_row(
                          keep.baseAddress, y > 0 ? row - stride : nil, row, y + 1 < height ? row + stride : nil,
                          Int32(width), jump, noise)
                        source.keep = UnsafePointer(keep.baseAddress)
                      }
                      if let nx = normals.baseAddress, options.estimatesNormals {
                        let reach = Int(BD_CLOUD_REACH)
                        kernels.normals_row(
                          nx, nx + width, nx + 2 * width, inverse + (y + reach) * inverseStride + reach, inverseStride,
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
              }
            }
          }
        }
      }
    }
    self.colors = colors
    self.pixels = keepsPixels ? pixels : nil
    return found
  }
}

extension PointCloud.Scratch {
  mutating func prepare(_ map: DepthMap, _ camera: Intrinsics, _ options: PointCloud.Options, _ level: CPULevel) {
    let (width, height) = (map.width, map.height)
    if rays.count != width { rays = [Float](repeating: 0, count: width) }
    for x in 0..<width { rays[x] = Float((Double(x) + 0.5 - camera.cx) / camera.fx) }
    if keep.count != width { keep = [UInt8](repeating: 0, count: width) }
    guard options.estimatesNormals else { return }
    if normals.count != 3 * width { normals = [Float](repeating: 0, count: 3 * width) }
    let reach = Int(BD_CLOUD_REACH)
    let (paddedWidth, paddedHeight) = (width + 2 * reach + Int(BD_CLOUD_SLACK), height + 2 * reach)
    if inverse.width != paddedWidth || inverse.height != paddedHeight {
      inverse = Plane(repeating: .nan, width: paddedWidth, height: paddedHeight)
    }
    let (from, to) = (map.metres.stride, inverse.stride)
    map.metres.withUnsafePointer { depth in
      inverse.withUnsafeMutablePointer { inverse in
        for y in 0..<height {
          level.kernels.cloud.invert_row(inverse + (y + reach) * to + reach, depth + y * from, Int32(width))
        }
      }
    }
  }
}
