import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct AlignmentTests {
  private static let lens = LensDistortion.brownConrady(k1: 0.12, k2: -0.21, p1: 0.0013, p2: -0.0007, k3: 0.08)

  /// The result of OpenCV 5.0's `projectPoints` for the same numbers.
  @Test(arguments: [
    (0.1, -0.2, 380.7685, 119.4555), (0.45, 0.33, 595.67417849, 444.81764410),
    (-0.5, 0.1, 14.57977600, 302.87637984), (0, 0, 320.5, 241),
  ])
  func projectsAsOpenCV(_ x: Double, _ y: Double, _ u: Double, _ v: Double) {
    let camera = CameraModel(Intrinsics(fx: 600, fy: 605, cx: 320.5, cy: 241, width: 640, height: 480), lens: Self.lens)
    let pixel = camera.pixel(x: x, y: y)
    #expect(abs(pixel.x - u) < 1e-6 && abs(pixel.y - v) < 1e-6, "\(pixel)")
  }

  /// A pixel's direction projects back to that pixel.
  @Test func thereAndBack() {
    let camera = Intrinsics(fx: 600, fy: 605, cx: 320.5, cy: 241, width: 640, height: 480)
    // Magnification by r²; the other table holds the series of the inverse function.
    let radii = (0...200).map { Double($0) / 200 }
    let tables = RadialDistortion(
      centerX: 660, centerY: 470, width: 1280, height: 960, straightening: radii.map { Float(0.02 * $0 * $0) },
      distorting: radii.map { radius in
        let c = 0.02 * radius * radius
        return Float(-c + 3 * c * c - 12 * c * c * c + 55 * c * c * c * c)
      })
    let lenses = [
      .none, Self.lens, .inverseBrownConrady(k1: 0.1, k2: -0.05, p1: 0.001, p2: 0.002, k3: 0), .radial(tables),
    ]
    for lens in lenses {
      let model = CameraModel(camera, lens: lens)
      // Beyond the farthest corner tables continue linearly, which has no exact inverse, so the corners are left out.
      for (y, x) in product(stride(from: 20.5, to: 470, by: 55), stride(from: 20.5, to: 630, by: 65)) {
        let direction = model.direction(x: x, y: y)
        let pixel = model.pixel(x: direction.x, y: direction.y)
        let allowed = if case .radial = lens { 0.02 } else { 1e-3 }
        #expect(abs(pixel.x - x) < allowed && abs(pixel.y - y) < allowed, "\(lens) (\(x), \(y)): \(pixel)")
      }
    }
    // As in the reference implementation: the last entry at the farthest corner.
    let far = CameraModel(camera, lens: .radial(tables)).pixel(x: (0 - 320.5) / 600, y: (480 - 241.0) / 605)
    #expect(abs(far.x - (330 - 330 * (1 - 0.02 + 0.0012))) < 1.5)
  }

  static let depthCamera = Intrinsics(fx: 200, fy: 200, cx: 80, cy: 60, width: 160, height: 120)
  static let colorCamera = Intrinsics(fx: 390, fy: 400, cx: 161, cy: 95, width: 320, height: 180)

  static func turned(_ degrees: Double) -> [Double] {
    let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
    return [c, 0, s, 0, 1, 0, -s, 0, c]
  }

  /// A plane n · p = d seen by both cameras: the measurement of one, transformed, equals the measurement of the other.
  @Test(arguments: CPULevel.supported, [0, 1, 2, 3])
  func plane(_ cpu: CPULevel, _ kind: Int) throws {
    let depth = CameraModel(Self.depthCamera, lens: kind & 1 == 1 ? Self.lens : .none)
    let color = CameraModel(Self.colorCamera, lens: kind & 2 == 2 ? Self.lens : .none)
    let extrinsics = Extrinsics(rotation: Self.turned(1.5), translation: [-0.04, 0.01, 0.005])
    let normal = (0.25, -0.15, 1.0)
    let distance = 1.2
    func metres(_ ray: (x: Double, y: Double)) -> Double {
      distance / (normal.0 * ray.x + normal.1 * ray.y + normal.2)
    }
    let plane = Plane<Float>(width: 160, height: 120) { x, y in
      Float(metres(depth.direction(x: Double(x) + 0.5, y: Double(y) + 0.5)))
    }
    let map = DepthMap(metres: plane, intrinsics: Self.depthCamera, isRegistered: false)
    let aligned = try DepthAligner(depth: depth, color: color, extrinsics: extrinsics, cpu: cpu).align(map)
    #expect(aligned.isRegistered && aligned.intrinsics == Self.colorCamera)
    #expect(aligned.width == 320 && aligned.height == 180)
    // The plane in the coordinates of the colour camera: R n · p = d + R n · t.
    let n = extrinsics.rotation, t = extrinsics.translation
    let turned = (0..<3).map { n[3 * $0] * normal.0 + n[3 * $0 + 1] * normal.1 + n[3 * $0 + 2] * normal.2 }
    let there = distance + turned[0] * t[0] + turned[1] * t[1] + turned[2] * t[2]
    var inside = 0
    for (y, x) in product(0..<180, 0..<320) {
      let ray = color.direction(x: Double(x) + 0.5, y: Double(y) + 0.5)
      let wanted = there / (turned[0] * ray.x + turned[1] * ray.y + turned[2])
      // The point must be well within the depth camera's picture.
      let back = extrinsics.inverted
      let p = (ray.x * wanted, ray.y * wanted, wanted)
      let q = (0..<3).map { row -> Double in
        let r = back.rotation[3 * row..<3 * row + 3]
        return r[3 * row] * p.0 + r[3 * row + 1] * p.1 + r[3 * row + 2] * p.2 + back.translation[row]
      }
      let pixel = depth.pixel(x: q[0] / q[2], y: q[1] / q[2])
      guard pixel.x > 1 && pixel.y > 1 && pixel.x < 159 && pixel.y < 119 else { continue }
      inside += 1
      let found = Double(aligned.metres[x, y])
      // A pixel of the map has a single depth, which on this slope differs by up to 3 mm from its neighbour's.
      let shown: Comment = "kind \(kind) (\(x), \(y)) from \(pixel): \(found), not \(wanted)"
      #expect(abs(found - wanted) < 0.004, shown)
    }
    #expect(inside > 30_000)
  }

  /// In the other view a near square hides the wall exactly where it stands. Next to it is an area that the square
  /// hides from the depth camera.
  @Test(arguments: CPULevel.supported) func occlusion(_ cpu: CPULevel) throws {
    var plane = Plane<Float>(repeating: 2, width: 160, height: 120)
    for y in 40..<80 { for x in 60..<100 { plane[x, y] = 0.5 } }
    let map = DepthMap(metres: plane, intrinsics: Self.depthCamera, isRegistered: false)
    let color = Intrinsics(fx: 400, fy: 400, cx: 160, cy: 90, width: 320, height: 180)
    // The colour camera is 2 cm to the right: the square moves by 400 · 0.02 / 0.5 = 16 pixels, the wall by 4.
    let aligner = try DepthAligner(
      depth: CameraModel(Self.depthCamera), color: CameraModel(color),
      extrinsics: Extrinsics(rotation: Self.turned(0), translation: [-0.02, 0, 0]), cpu: cpu)
    let aligned = aligner.align(map)
    for (y, x) in product(0..<180, 0..<320) {
      let found = aligned.metres[x, y]
      let inRows = (50..<130).contains(y)
      if inRows && (104..<184).contains(x) {
        #expect(found == 0.5, "(\(x), \(y)): the square from 120 - 16 to 200 - 16")
      } else if inRows && (184..<196).contains(x) {
        #expect(found.isNaN, "(\(x), \(y)): behind the square for the depth camera")
      } else {
        #expect(found == 2 || x >= 316, "(\(x), \(y)): the wall")
      }
    }
  }

  @Test func registeredMapsStay() throws {
    let map = DepthMap(metres: Plane([1, .nan, 2, 3], width: 2, height: 2))
    let aligner = try DepthAligner(
      depth: CameraModel(Self.depthCamera), color: CameraModel(Self.colorCamera), extrinsics: .identity)
    let result = aligner.align(map)
    #expect(result.width == 2 && result.metres[0, 0] == 1 && result.metres[1, 0].isNaN)
  }

  /// Maps of any content, with cameras at any position.
  @Test(arguments: CPULevel.supported) func anyMap(_ cpu: CPULevel) throws {
    for seed in 0..<24 {
      var random = SeededRandom(seed: UInt64(seed))
      let (width, height) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...20, using: &random))
      let values = (0..<width * height).map { _ -> Float in
        [.nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.001, 1, 5].randomElement(using: &random) ?? 1
      }
      let map = DepthMap(metres: Plane(values, width: width, height: height), isRegistered: false)
      let color = Intrinsics(
        fx: Double.random(in: 0.01...5000, using: &random), fy: 30, cx: Double.random(in: -50...50, using: &random),
        cy: 8, width: Int.random(in: 1...50, using: &random), height: Int.random(in: 1...30, using: &random))
      let aligner = try DepthAligner(
        depth: CameraModel(Self.depthCamera, lens: seed & 1 == 0 ? Self.lens : .none),
        color: CameraModel(color, lens: seed & 2 == 0 ? Self.lens : .none),
        extrinsics: Extrinsics(
          rotation: Self.turned(Double.random(in: -180...180, using: &random)), translation: [0.1, -0.1, 0.05]),
        cpu: cpu)
      let aligned = aligner.align(map)
      #expect(aligned.width == color.width && aligned.height == color.height)
      #expect(aligned.metres.samples.allSatisfy { $0.isNaN || ($0 > 0 && $0 < .infinity) }, "seed \(seed)")
    }
  }

  /// A chessboard seen through a lens becomes straight: each pixel shows the content in its direction.
  @Test func rectified() throws {
    let camera = CameraModel(Self.colorCamera, lens: Self.lens)
    var seen = Image(.gray8, width: 320, height: 180, color: .jpeg)
    var depth = Plane<Float>(repeating: 1, width: 160, height: 90)
    func shade(_ x: Double, _ y: Double) -> Double { 128 + 100 * sin(x * 12) * cos(y * 15) }
    for y in 0..<180 {
      var row = seen.mutableRow(y)
      for x in row.indices {
        let ray = camera.direction(x: Double(x) + 0.5, y: Double(y) + 0.5)
        row[x] = UInt8(shade(ray.x, ray.y).rounded())
      }
    }
    for (y, x) in product(0..<90, 0..<160) {
      let ray = camera.direction(x: Double(2 * x + 1), y: Double(2 * y + 1))
      depth[x, y] = Float(shade(ray.x, ray.y))
    }
    let rectifier = try LensRectifier(camera)
    let straight = rectifier.rectified(seen)
    let map = rectifier.rectified(DepthMap(metres: depth))
    #expect(map.intrinsics == Self.colorCamera)
    for (y, x) in product(4..<176, 4..<316) {
      let wanted = shade((Double(x) + 0.5 - 161) / 390, (Double(y) + 0.5 - 95) / 400)
      #expect(abs(Double(straight.row(y)[x]) - wanted) < 3, "(\(x), \(y))")
    }
    for (y, x) in product(2..<88, 2..<158) where !map.metres[x, y].isNaN {
      let wanted = shade((Double(2 * x + 1) - 161) / 390, (Double(2 * y + 1) - 95) / 400)
      // Half a pixel of the map off: up to 5 of 200 here.
      #expect(abs(Double(map.metres[x, y]) - wanted) < 6, "(\(x), \(y))")
    }
    #expect(try LensRectifier(CameraModel(Self.colorCamera)).rectified(seen).packedBytes == seen.packedBytes)
  }

  @Test func nonsense() {
    let good = CameraModel(Self.colorCamera)
    var (zero, bent) = (good, good)
    zero.intrinsics.fx = 0
    bent.lens = .brownConrady(k1: .nan, k2: 0, p1: 0, p2: 0, k3: 0)
    let cases: [(CameraModel, CameraModel, Extrinsics, String)] = [
      (zero, good, .identity, "the depth camera has impossible intrinsics: focal lengths 0.0"),
      (good, zero, .identity, "the colour camera has impossible intrinsics: focal lengths 0.0"),
      (good, bent, .identity, "distortion coefficients are impossible"),
      (good, good, Extrinsics(rotation: [1], translation: [0, 0, 0]), "1 + 3 numbers"),
      (good, good, Extrinsics(rotation: [1, 0, 0, 0, 1, 0, 0, 1, 1], translation: [0, 0, 0]), "is not a rotation"),
      (good, good, Extrinsics(rotation: Self.turned(3), translation: [.nan, 0, 0]), "over 100 m"),
    ]
    for (depth, color, extrinsics, reason) in cases {
      let error = refusal { try DepthAligner(depth: depth, color: color, extrinsics: extrinsics) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }
}
