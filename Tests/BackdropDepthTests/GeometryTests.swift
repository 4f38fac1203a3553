import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@Suite struct GeometryTests {
  // The stored map is 1 2 3 / 4 5 6. Expected rows are those of the EXIF 2.32 table of tag 274, by hand.
  @Test(
    arguments: [
      (Orientation.up, 3, [1, 2, 3, 4, 5, 6]), (.upMirrored, 3, [3, 2, 1, 6, 5, 4]), (.down, 3, [6, 5, 4, 3, 2, 1]),
      (.downMirrored, 3, [4, 5, 6, 1, 2, 3]), (.leftMirrored, 2, [1, 4, 2, 5, 3, 6]), (.right, 2, [4, 1, 5, 2, 6, 3]),
      (.rightMirrored, 2, [6, 3, 5, 2, 4, 1]), (.left, 2, [3, 6, 2, 5, 1, 4]),
    ] as [(Orientation, Int, [Float])])
  func turns(orientation: Orientation, width: Int, expected: [Float]) {
    let map = DepthMap(metres: Plane([1, 2, 3, 4, 5, 6], width: 3, height: 2, stride: 7))
    let turned = map.oriented(orientation)
    #expect(turned.width == width && turned.height == 6 / width)
    #expect(turned.metres.samples == expected)
  }

  /// A camera sees a bright point. Wherever rotation moves the point, the ray through it must be the same except for that rotation.
  @Test(arguments: Orientation.allCases) func intrinsicsTurnAlong(orientation: Orientation) {
    var plane = Plane<Float>(repeating: 2, width: 8, height: 6)
    plane[6, 1] = 1
    let camera = Intrinsics(fx: 10, fy: 12, cx: 3.25, cy: 2.5, width: 8, height: 6)
    let turned = DepthMap(metres: plane, intrinsics: camera).oriented(orientation)
    let k = turned.intrinsics!
    #expect(k.width == turned.width && k.height == turned.height)
    let index = turned.metres.samples.firstIndex(of: 1)!
    let ray = (
      x: (Double(index % turned.width) + 0.5 - k.cx) / k.fx, y: (Double(index / turned.width) + 0.5 - k.cy) / k.fy
    )
    let before = (x: (6.5 - 3.25) / 10, y: (1.5 - 2.5) / 12)
    let expected: (x: Double, y: Double) =
      switch orientation {
      case .up: (before.x, before.y)
      case .upMirrored: (-before.x, before.y)
      case .down: (-before.x, -before.y)
      case .downMirrored: (before.x, -before.y)
      case .leftMirrored: (before.y, before.x)
      case .right: (-before.y, before.x)
      case .rightMirrored: (-before.y, -before.x)
      case .left: (before.y, -before.x)
      }
    #expect(abs(ray.x - expected.x) < 1e-12 && abs(ray.y - expected.y) < 1e-12)
  }

  @Test func intrinsicsOfAnotherReferenceSizeAreBroughtToTheMapFirst() throws {
    let camera = Intrinsics(fx: 4000, fy: 4000, cx: 2000, cy: 1600, width: 4000, height: 3000)
    let map = DepthMap(metres: Plane(repeating: 1, width: 40, height: 30), intrinsics: camera)
    #expect(
      map.oriented(.right).intrinsics
        == Intrinsics(fx: 40, fy: 40, cx: 14, cy: 20, width: 30, height: 40))
    #expect(
      try map.cropped(x: 5, y: 6, width: 20, height: 10).intrinsics
        == Intrinsics(fx: 40, fy: 40, cx: 15, cy: 10, width: 20, height: 10))
    #expect(
      try map.resized(toWidth: 80, height: 15).intrinsics
        == Intrinsics(fx: 80, fy: 20, cx: 40, cy: 8, width: 80, height: 15))
  }

  @Test func cropTakesTheRectangle() throws {
    let map = DepthMap(metres: Plane((1...12).map { Float($0) }, width: 4, height: 3))
    #expect(try map.cropped(x: 1, y: 1, width: 2, height: 2).metres.samples == [6, 7, 10, 11])
  }

  @Test(arguments: [
    (-1, 0, 2, 2), (0, 0, 5, 1), (0, 0, 1, 4), (3, 0, 2, 1), (0, 0, 0, 1), (.max, 0, 1, 1), (0, .min, 1, .max),
  ])
  func cropOutsideIsAnError(x: Int, y: Int, width: Int, height: Int) {
    let map = DepthMap(metres: Plane(repeating: 1, width: 4, height: 3))
    #expect(refusal { try map.cropped(x: x, y: y, width: width, height: height) }?.kind == .wrongArgument)
  }

  @Test func impossibleSizesAreErrors() {
    let map = DepthMap(metres: Plane(repeating: 1, width: 4, height: 3))
    #expect(refusal { try map.resized(toWidth: 0, height: 3) }?.kind == .wrongArgument)
    #expect(refusal { try map.resized(toWidth: 40_000, height: 40_000) }?.kind == .overLimit)
  }
}

@Suite struct ResizeTests {
  /// The documented rule, implemented literally, in double precision and without optimization.
  func oracle(_ map: DepthMap, _ width: Int, _ height: Int, jump: Double) -> [Double] {
    func weights(_ source: Int, _ target: Int, _ index: Int) -> [(Int, Double)] {
      let scale = Double(source) / Double(target)
      if target >= source {
        let position = (Double(index) + 0.5) * scale - 0.5
        return (0..<source).map { s in
          // A clamped source: a pixel outside counts as the border pixel.
          let reach = [s] + (s == 0 ? [-1] : []) + (s == source - 1 ? [source] : [])
          return (s, reach.reduce(0) { $0 + max(0, 1 - abs(position - Double($1))) })
        }
      }
      return (0..<source).map { s in
        let overlap = min(Double(index + 1) * scale, Double(s + 1)) - max(Double(index) * scale, Double(s))
        return (s, max(0, overlap) / scale)
      }
    }
    var result: [Double] = []
    for (y, x) in product(0..<height, 0..<width) {
      var valid: [(value: Double, weight: Double)] = []
      for (sy, wy) in weights(map.height, height, y) {
        for (sx, wx) in weights(map.width, width, x) where wx * wy > 0 && !map.metres[sx, sy].isNaN {
          valid.append((Double(map.metres[sx, sy]), wx * wy))
        }
      }
      let total = valid.reduce(0) { $0 + $1.weight }
      guard total >= 0.5 - 1e-5 else {
        result.append(.nan)
        continue
      }
      valid.sort { $0.value < $1.value }
      var passed = 0.0
      let median = valid.first {
        passed += $0.weight
        return passed >= total * (0.5 - 1e-5)
      }!.value
      let extent = valid.last!.value - valid.first!.value
      let near =
        extent <= jump * valid.last!.value
        ? valid : valid.filter { abs($0.value - median) <= jump * max($0.value, median) }
      result.append(near.reduce(0) { $0 + $1.value * $1.weight } / near.reduce(0) { $0 + $1.weight })
    }
    return result
  }

  @Test(arguments: 0..<60) func smoothFollowsItsRule(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let map = randomMap(
      Int.random(in: 1...13, using: &random), Int.random(in: 1...11, using: &random),
      holes: [0, 0.1, 0.5].randomElement(using: &random)!, using: &random)
    let (width, height) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...20, using: &random))
    let jump: Float = [0, 0.05, 0.5, 100].randomElement(using: &random)!
    let result = try map.resized(toWidth: width, height: height, by: .smooth(jump: jump))
    // With the same size nothing changes, including holes.
    guard width != map.width || height != map.height else {
      #expect(same(result.metres, map.metres.samples), "seed \(seed)")
      return
    }
    let expected = oracle(map, width, height, jump: Double(jump))
    for (index, (found, wanted)) in zip(result.metres.samples, expected).enumerated() {
      #expect(
        (found.isNaN && wanted.isNaN) || abs(Double(found) - wanted) < 1e-5,
        "seed \(seed), \(map.width)×\(map.height) to \(width)×\(height), jump \(jump), sample \(index): \(found), \(wanted)"
      )
    }
  }

  @Test(arguments: 0..<20) func noValueAppearsBetweenPersonAndWall(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let map = randomMap(23, 17, holes: 0.2, using: &random)
    let result = try map.resized(
      toWidth: Int.random(in: 1...60, using: &random), height: Int.random(in: 1...60, using: &random))
    // Near is 0.8…1.03 m and far 2.5…2.73 m.
    #expect(result.metres.samples.allSatisfy { $0.isNaN || $0 < 1.04 || $0 > 2.49 }, "seed \(seed)")
  }

  @Test func nearestTakesThePixelUnderTheCentre() throws {
    let map = DepthMap(metres: Plane([1, 2, 0, 4, 5, 6], width: 3, height: 2))
    #expect(same(try map.resized(toWidth: 1, height: 1, by: .nearest).metres, [5]))
    #expect(
      same(
        try map.resized(toWidth: 6, height: 2, by: .nearest).metres, [1, 1, 2, 2, .nan, .nan, 4, 4, 5, 5, 6, 6]))
    #expect(same(try map.resized(toWidth: 3, height: 2, by: .nearest).metres, [1, 2, .nan, 4, 5, 6]))
  }

  @Test func aPlaneStaysAPlane() throws {
    // Bilinear, and area by a whole factor, keep a linear slope away from the border: closed form 1 + 0.01 · x.
    let plane = Plane<Float>(width: 40, height: 4) { x, _ in 1 + 0.01 * (Float(x) + 0.5) }
    let map = DepthMap(metres: plane)
    for width in [80, 20, 64, 10] {
      let result = try map.resized(toWidth: width, height: 4, by: .smooth(jump: 1))
      for x in width / 8..<width * 7 / 8 {
        let expected = 1 + 0.01 * (Float(x) + 0.5) * 40 / Float(width)
        #expect(abs(result.metres[x, 1] - expected) < 1e-5, "width \(width), x \(x)")
      }
    }
  }

  @Test func relativeDisparityResizesToo() throws {
    let map = DisparityMap(perMetre: Plane([0, 0, -1, -1], width: 4, height: 1), accuracy: .relative)
    #expect(same(try map.resized(toWidth: 2, height: 1).perMetre, [0, -1]))
  }
}
