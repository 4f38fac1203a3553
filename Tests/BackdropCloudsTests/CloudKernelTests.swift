import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropClouds
@testable import BackdropDepth

/// The kernels of topic "cloud" compared with slow oracles, on every CPU level.
@Suite struct CloudKernelTests {
  static let slack = Int(BD_CLOUD_SLACK)

  @Test(arguments: 0..<70) func gathersWhatIsThere(width: Int) {
    var random = SeededRandom(seed: UInt64(width))
    func floats() -> [Float] { (0..<width).map { _ in Float.random(in: -2...2, using: &random) } }
    let depth = floats().map { $0 < -1 ? Float.nan : $0 + 3 }
    let (rays, nx, ny, nz) = (floats(), floats(), floats(), floats())
    let keep = (0..<width).map { _ in UInt8.random(in: 0...1, using: &random) }
    let color = (0..<width).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
    let before = 5
    for usesKeep in [false, true] {
      let used = (0..<width).filter { !depth[$0].isNaN && (!usesKeep || keep[$0] == 1) }
      for level in CPULevel.supported {
        let capacity = before + width + Self.slack
        var numbers = [Float](repeating: 9, count: 6 * capacity)
        var colors = [UInt32](repeating: 9, count: capacity)
        var pixels = colors
        let found = numbers.withUnsafeMutableBufferPointer { numbers in
          colors.withUnsafeMutableBufferPointer { colors in
            pixels.withUnsafeMutableBufferPointer { pixels in
              func array(_ index: Int) -> UnsafeMutablePointer<Float>? {
                numbers.baseAddress.map { $0 + index * capacity }
              }
              var to = bd_cloud_points(
                x: array(0), y: array(1), z: array(2), color: colors.baseAddress, nx: array(3), ny: array(4),
                nz: array(5), pixel: pixels.baseAddress)
              return Self.withRow(depth, usesKeep ? keep : nil, rays, color, nx, ny, nz) { row in
                level.kernels.cloud.gather_row(&to, before, row)
              }
            }
          }
        }
        let arrays = (0..<6).map { Array(numbers[$0 * capacity..<($0 + 1) * capacity]) }
        #expect(found == before + used.count, "\(level)")
        let expected: [[Float]] = [
          used.map { depth[$0] * rays[$0] }, used.map { depth[$0] * 0.25 }, used.map { depth[$0] }, used.map { nx[$0] },
          used.map { ny[$0] }, used.map { nz[$0] },
        ]
        for (array, values) in zip(arrays, expected) {
          #expect(array[before..<found] == values[...] && array[..<before].allSatisfy { $0 == 9 }, "\(level)")
        }
        #expect(colors[before..<found] == used.map { color[$0] }[...], "\(level)")
        #expect(pixels[before..<found] == used.map { UInt32(1000 + $0) }[...], "\(level)")
      }
    }
  }

  private static func withRow<R>(
    _ depth: [Float], _ keep: [UInt8]?, _ rays: [Float], _ color: [UInt32], _ nx: [Float], _ ny: [Float], _ nz: [Float],
    _ body: (UnsafePointer<bd_cloud_row>) -> R
  ) -> R {
    depth.withUnsafeBufferPointer { depth in
      (keep ?? []).withUnsafeBufferPointer { mask in
        rays.withUnsafeBufferPointer { rays in
          color.withUnsafeBufferPointer { color in
            nx.withUnsafeBufferPointer { nx in
              ny.withUnsafeBufferPointer { ny in
                nz.withUnsafeBufferPointer { nz in
                  var row = bd_cloud_row(
                    depth: depth.baseAddress, keep: keep == nil ? nil : mask.baseAddress, ray_x: rays.baseAddress,
                    ray_y: 0.25, color: color.baseAddress, nx: nx.baseAddress, ny: ny.baseAddress, nz: nz.baseAddress,
                    first_pixel: 1000, width: Int32(depth.count))
                  return body(&row)
                }
              }
            }
          }
        }
      }
    }
  }

  /// Whether a pixel is on a surface, according to the documented definition.
  private static func isKept(_ map: [[Float]], _ x: Int, _ y: Int, jump: Float, noise: Float) -> Bool {
    let (width, height) = (map[0].count, map.count)
    let z = map[y][x]
    guard !z.isNaN else { return false }
    let step = max(jump * z, noise * z * z)
    func at(_ dx: Int, _ dy: Int) -> Float { map[min(max(y + dy, 0), height - 1)][min(max(x + dx, 0), width - 1)] }
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
      let (a, b) = (at(-dx, -dy), at(dx, dy))
      if a - z > step && z - b > step || z - a > step && b - z > step { return false }
      if dx == 0 || dy == 0 {
        if abs(a - z) > step && b.isNaN || abs(b - z) > step && a.isNaN { return false }
      }
    }
    var friends = 0
    for dy in -1...1 { for dx in -1...1 where (dx, dy) != (0, 0) && abs(at(dx, dy) - z) <= step { friends += 1 } }
    return friends >= 2
  }

  @Test(arguments: 1..<40) func knowsWhatHangsBetweenSurfaces(width: Int) {
    var random = SeededRandom(seed: UInt64(width))
    let levels: [Float] = [1, 1.01, 1.5, 2, 2.05, .nan]
    let map = (0..<4).map { _ in (0..<width).map { _ in levels.randomElement(using: &random) ?? 1 } }
    for (level, y) in product(CPULevel.supported, 0..<4) {
      var keep = [UInt8](repeating: 9, count: width + 1)
      map[max(y - 1, 0)].withUnsafeBufferPointer { up in
        map[min(y + 1, 3)].withUnsafeBufferPointer { down in
          level.kernels.cloud.keep_row(
            &keep, y > 0 ? up.baseAddress : nil, map[y], y < 3 ? down.baseAddress : nil, Int32(width), 0.02, 0.006)
        }
      }
      let expected = (0..<width).map { x -> UInt8 in Self.isKept(map, x, y, jump: 0.02, noise: 0.006) ? 1 : 0 }
      #expect(keep.dropLast() == expected[...] && keep[width] == 9, "seed \(width), \(level), row \(y)")
    }
  }

  /// A plane n · P = 1 has depth 1 / (n · ray) and the normal −n / |n|, with any holes.
  @Test(arguments: CPULevel.supported) func fitsPlanes(level: CPULevel) throws {
    var random = SeededRandom(seed: 8)
    for round in 0..<12 {
      let n = SIMD3<Double>(.random(in: -0.3...0.3, using: &random), .random(in: -0.3...0.3, using: &random), 0.6)
      let camera = Intrinsics(fx: 80, fy: 90, cx: 33, cy: 22, width: 70, height: 41)
      let plane = Plane<Float>(width: 70, height: 41) { x, y in
        let (a, b) = ((Double(x) + 0.5 - 33) / 80, (Double(y) + 0.5 - 22) / 90)
        let isHole = Int.random(in: 0..<4, using: &random) == 0
        return isHole ? .nan : Float(1 / (n.x * a + n.y * b + n.z))
      }
      var options = PointCloud.Options()
      (options.estimatesNormals, options.removesFlyingPixels) = (true, false)
      let cloud = try PointCloud(
        DepthMap(metres: plane, intrinsics: camera), picture: nil, options: options, keepsPixels: false, level: level)
      let length = (n.x * n.x + n.y * n.y + n.z * n.z).squareRoot()
      for index in stride(from: 0, to: cloud.count, by: 7) {
        let normal = try #require(cloud.normal(index))
        for axis in 0..<3 {
          #expect(
            abs(Double(normal[axis]) + n[axis] / length) < 2e-3, "seed 8, round \(round), \(level), point \(index)")
        }
      }
    }
  }
}
