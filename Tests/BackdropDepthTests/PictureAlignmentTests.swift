import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Alignment through lenses without a closed-form inverse, and alignment of pictures to depth.
@Suite struct PictureAlignmentTests {
  static let depthCamera = AlignmentTests.depthCamera
  static let colorCamera = AlignmentTests.colorCamera

  /// Magnification by r², and the series of its inverse.
  static func tables(_ camera: Intrinsics, _ strength: Double) -> LensDistortion {
    let radii = (0...200).map { Double($0) / 200 }
    return .radial(
      RadialDistortion(
        centerX: camera.cx + 3, centerY: camera.cy - 2, width: camera.width, height: camera.height,
        straightening: radii.map { Float(strength * $0 * $0) },
        distorting: radii.map { radius in
          let c = strength * radius * radius
          return Float(-c + 3 * c * c - 12 * c * c * c + 55 * c * c * c * c)
        }))
  }

  static let inverse = LensDistortion.inverseBrownConrady(k1: 0.11, k2: -0.06, p1: 0.0011, p2: -0.0016, k3: 0.01)
  static let brown = LensDistortion.brownConrady(k1: 0.12, k2: -0.21, p1: 0.0013, p2: -0.0007, k3: 0.08)
  /// The lenses of the depth camera and of the colour camera.
  static let lenses: [(LensDistortion, LensDistortion)] = [
    (.none, .none), (brown, brown), (.none, inverse), (.none, tables(colorCamera, 0.03)),
    (inverse, tables(colorCamera, -0.02)), (tables(depthCamera, 0.02), inverse),
  ]

  /// A wall, in the depth camera's coordinates.
  static let normal = (x: 0.25, y: -0.15, z: 1.0)
  static let distance = 1.2
  static let extrinsics = Extrinsics(rotation: AlignmentTests.turned(1.5), translation: [-0.04, 0.01, 0.005])

  static func metres(_ ray: (x: Double, y: Double)) -> Double {
    distance / (normal.x * ray.x + normal.y * ray.y + normal.z)
  }

  /// The point on the wall, in the depth camera's coordinates, that the colour camera sees in a direction.
  static func point(_ ray: (x: Double, y: Double)) -> (x: Double, y: Double, z: Double) {
    let back = extrinsics.inverted
    let d = back.turned(ray.x, ray.y, 1)
    let t = back.translation
    let s =
      (distance - normal.x * t[0] - normal.y * t[1] - normal.z * t[2])
      / (normal.x * d.x + normal.y * d.y + normal.z * d.z)
    return (t[0] + s * d.x, t[1] + s * d.y, t[2] + s * d.z)
  }

  static func map(_ camera: CameraModel) -> DepthMap {
    let plane = Plane<Float>(width: 160, height: 120) { x, y in
      Float(metres(camera.direction(x: Double(x) + 0.5, y: Double(y) + 0.5)))
    }
    return DepthMap(metres: plane, intrinsics: depthCamera, isRegistered: false)
  }

  @Test(arguments: [inverse, tables(colorCamera, 0.03), tables(colorCamera, -0.03)])
  func gridIsTheLens(lens: LensDistortion) {
    let camera = CameraModel(Self.colorCamera, lens: lens)
    let grid = LensGrid(camera)
    var random = SeededRandom(seed: 17)
    for _ in 0..<2000 {
      let position = (Double.random(in: 0...320, using: &random), Double.random(in: 0...180, using: &random))
      let ray = camera.direction(x: position.0, y: position.1)
      let (found, wanted) = (grid.pixel(Float(ray.x), Float(ray.y)), camera.pixel(x: ray.x, y: ray.y))
      let shown: Comment = "seed 17: \(position) \(found) \(wanted)"
      #expect(abs(Double(found.x) - wanted.x) < 0.01 && abs(Double(found.y) - wanted.y) < 0.01, shown)
    }
    #expect(grid.pixel(.nan, 0).x.isNaN && grid.pixel(9, 0).x.isNaN && grid.pixel(.infinity, -.infinity).y.isNaN)
  }

  @Test(arguments: lenses.indices) func wallAsTheColourCameraSeesIt(_ kind: Int) throws {
    let depth = CameraModel(Self.depthCamera, lens: Self.lenses[kind].0)
    let color = CameraModel(Self.colorCamera, lens: Self.lenses[kind].1)
    let aligned = try DepthAligner(depth: depth, color: color, extrinsics: Self.extrinsics).align(Self.map(depth))
    var inside = 0
    for (y, x) in product(0..<180, 0..<320) {
      let p = Self.point(color.direction(x: Double(x) + 0.5, y: Double(y) + 0.5))
      let pixel = depth.pixel(x: p.x / p.z, y: p.y / p.z)
      guard pixel.x > 1.5 && pixel.y > 1.5 && pixel.x < 158.5 && pixel.y < 118.5 else { continue }
      inside += 1
      let wanted = Self.extrinsics.applied(p.x, p.y, p.z).z
      let found = Double(aligned.metres[x, y])
      // A pixel of the map has a single depth, which on this slope differs by up to 3 mm from its neighbour's.
      #expect(abs(found - wanted) < 0.004, "kind \(kind) (\(x), \(y)): \(found), not \(wanted)")
    }
    #expect(inside > 30_000)
  }

  /// The wall's colour depends only on the position on it, so both cameras see the same colour.
  @Test(arguments: lenses.indices) func coloursAsTheDepthCameraSeesThem(_ kind: Int) throws {
    let depth = CameraModel(Self.depthCamera, lens: Self.lenses[kind].0)
    let color = CameraModel(Self.colorCamera, lens: Self.lenses[kind].1)
    func paint(_ p: (x: Double, y: Double, z: Double)) -> (Double, Double) {
      (128 + 90 * sin(5 * p.x), 128 + 90 * cos(6 * p.y))
    }
    let picture = Image.drawn(.rgba8, 320, 180, color: .jpeg) { x, y in
      let (red, green) = paint(Self.point(color.direction(x: Double(x) + 0.5, y: Double(y) + 0.5)))
      return [red.rounded(), green.rounded(), 7, 255].map { Int($0) }
    }
    let map = Self.map(depth)
    let aligned = try PictureAligner(depth: depth, color: color, extrinsics: Self.extrinsics).aligned(picture, to: map)
    #expect(aligned.width == 160 && aligned.height == 120 && aligned.alpha == .straight)
    var inside = 0
    for (y, x) in product(0..<120, 0..<160) {
      let ray = depth.direction(x: Double(x) + 0.5, y: Double(y) + 0.5)
      let z = Self.metres(ray)
      let p = (x: ray.x * z, y: ray.y * z, z: z)
      let there = Self.extrinsics.applied(p.x, p.y, p.z)
      let pixel = color.pixel(x: there.x / there.z, y: there.y / there.z)
      let row = aligned.row(y)
      if pixel.x < -0.1 || pixel.y < -0.1 || pixel.x > 320.1 || pixel.y > 180.1 {
        #expect(row[4 * x + 3] == 0 && row[4 * x] == 0, "kind \(kind) (\(x), \(y))")
        continue
      }
      guard pixel.x > 1 && pixel.y > 1 && pixel.x < 319 && pixel.y < 179 else { continue }
      inside += 1
      let (red, green) = paint(p)
      let found = (Double(row[4 * x]), Double(row[4 * x + 1]))
      #expect(abs(found.0 - red) < 1.6 && abs(found.1 - green) < 1.6, "kind \(kind) (\(x), \(y)): \(found)")
      #expect(row[4 * x + 2] == 7 && row[4 * x + 3] == 255)
    }
    #expect(inside > 8000)
  }

  /// The colour camera is 2 cm to the right: the square hides a part of the wall from it that the depth camera sees.
  @Test func hiddenPointsHaveNoColour() throws {
    var plane = Plane<Float>(repeating: 2, width: 160, height: 120)
    for y in 40..<80 { for x in 60..<100 { plane[x, y] = 0.5 } }
    plane[5, 50] = .nan
    let map = DepthMap(metres: plane, intrinsics: Self.depthCamera, isRegistered: false)
    let color = Intrinsics(fx: 400, fy: 400, cx: 160, cy: 90, width: 320, height: 180)
    let aligner = try PictureAligner(
      depth: CameraModel(Self.depthCamera), color: CameraModel(color),
      extrinsics: Extrinsics(rotation: AlignmentTests.turned(0), translation: [-0.02, 0, 0]))
    // The picture's size and format differ from the camera's.
    let picture = Image.drawn(.bgra8, 640, 360, color: .jpeg) { x, y in
      let (green, red) = (y / 2, x * 3 / 8)
      return [9, green, red, 255]
    }
    for isOpaque in [false, true] {
      let aligned = aligner.aligned(picture, to: map, isOpaque: isOpaque)
      for (y, x) in product(0..<120, 0..<160) {
        let isSquare = (40..<80).contains(y) && (60..<100).contains(x)
        // 400 · 0.02 / z to the left.
        let (u, v) = (2 * (Double(x) + 0.5) - (isSquare ? 16 : 4), 2 * (Double(y) + 0.5) - 30)
        let isHidden = (40..<80).contains(y) && (54..<60).contains(x)
        let isSeen = u >= 0 && v >= 0 && v < 180 && !isHidden && !(x == 5 && y == 50)
        let row = aligned.row(y)
        let found = (row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3])
        #expect(found.3 == (isSeen || isOpaque ? 255 : 0), "(\(x), \(y))")
        if isSeen {
          // The picture has twice the resolution: column 2 u, whose value is 3/8 of it.
          #expect(abs(Double(found.0) - (2 * u - 0.5) * 3 / 8) <= 1.2, "(\(x), \(y)): \(found)")
          #expect(abs(Double(found.1) - (2 * v - 0.5) / 2) <= 1.2 && found.2 == 9, "(\(x), \(y)): \(found)")
        } else {
          #expect(found.0 == 0 && found.1 == 0 && found.2 == 0)
        }
      }
    }
  }

  /// Maps of any content, and any lenses.
  @Test(arguments: 0..<24) func anyMap(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (width, height) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...20, using: &random))
    let values = (0..<width * height).map { _ -> Float in
      [.nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.001, 1, 5].randomElement(using: &random) ?? 1
    }
    func lens(_ camera: Intrinsics) -> LensDistortion {
      let k = (0..<5).map { _ in Double.random(in: -3...3, using: &random) * (seed < 12 ? 1 : 1e5) }
      let table = (0..<Int.random(in: 0...9, using: &random)).map { _ in Float.random(in: -0.99...0.99, using: &random)
      }
      return [
        .none, .inverseBrownConrady(k1: k[0], k2: k[1], p1: k[2], p2: k[3], k3: k[4]),
        .radial(
          RadialDistortion(
            centerX: k[0], centerY: k[1], width: camera.width, height: camera.height, straightening: table,
            distorting: table.reversed())),
      ].randomElement(using: &random) ?? .none
    }
    let map = DepthMap(metres: Plane(values, width: width, height: height), isRegistered: false)
    let camera = Intrinsics(
      fx: Double.random(in: 0.01...5000, using: &random), fy: 30, cx: Double.random(in: -50...50, using: &random),
      cy: 8, width: Int.random(in: 1...50, using: &random), height: Int.random(in: 1...30, using: &random))
    let (depth, color) = (
      CameraModel(Self.depthCamera, lens: lens(Self.depthCamera)), CameraModel(camera, lens: lens(camera))
    )
    let extrinsics = Extrinsics(
      rotation: AlignmentTests.turned(Double.random(in: -180...180, using: &random)), translation: [0.1, -0.1, 0.05])
    let aligned = try DepthAligner(depth: depth, color: color, extrinsics: extrinsics).align(map)
    #expect(aligned.width == camera.width && aligned.height == camera.height)
    #expect(aligned.metres.samples.allSatisfy { $0.isNaN || ($0 > 0 && $0 < .infinity) }, "seed \(seed)")
    let picture = Image(gray: Plane<UInt8>(repeating: 77, width: 7, height: 5))
    let colors = try PictureAligner(depth: depth, color: color, extrinsics: extrinsics).aligned(picture, to: map)
    #expect(colors.width == width && colors.height == height)
    for y in 0..<height {
      let row = colors.row(y)
      for x in 0..<width { #expect(row[4 * x] == (row[4 * x + 3] == 255 ? 77 : 0), "seed \(seed)") }
    }
  }
}

extension Extrinsics {
  /// A point in the second camera's coordinates: rotation · p + translation.
  fileprivate func applied(_ x: Double, _ y: Double, _ z: Double) -> (x: Double, y: Double, z: Double) {
    let r = rotation, t = translation
    return (
      r[0] * x + r[1] * y + r[2] * z + t[0], r[3] * x + r[4] * y + r[5] * z + t[1],
      r[6] * x + r[7] * y + r[8] * z + t[2]
    )
  }
}
