import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth

/// Depth from stereo pairs.
@Suite struct StereoTests {
  private func noise(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Plane<UInt8> {
    Plane(width: width, height: height) { _, _ in .random(in: 0...255, using: &random) }
  }

  /// Among the pixels that both eyes see, the shares with an error over `most` and without a value.
  private func errors(_ found: Plane<Float>, _ pair: MadePair, over most: Float) -> (wrong: Double, missing: Double) {
    var (wrong, missing, all) = (0, 0, 0)
    for (y, x) in product(0..<found.height, 0..<found.width) where !pair.isHidden(x, y) {
      all += 1
      if found[x, y].isNaN {
        missing += 1
      } else if abs(found[x, y] - Float(pair.disparity(Double(x), Double(y)))) > most {
        wrong += 1
      }
    }
    return (Double(wrong) / Double(all - missing), Double(missing) / Double(all))
  }

  @Test(arguments: CPULevel.supported) func matcherIsTheOracle(_ cpu: CPULevel) {
    for (width, height) in [(1, 1), (2, 3), (5, 4), (17, 9), (23, 7), (40, 3)] {
      var random = SeededRandom(seed: UInt64(width * 100 + height))
      let left = noise(width, height, &random)
      var right = noise(width, height, &random)
      // Half of it is the left picture, shifted.
      for y in 0..<height where y < height / 2 + 1 {
        for x in 0..<width { right[x, y] = left[min(x + 3, width - 1), y] }
      }
      for (first, count) in [(0, 16), (-5, 16), (2, 32)] {
        let candidates = StereoMatcher.Candidates(first: first, count: count)
        let found = StereoMatcher.disparities(left, right, candidates, cpu: cpu)
        let truth = StereoOracle(left: left, right: right, first: first, count: count).disparities()
        for (y, x) in product(0..<height, 0..<width) {
          let (a, b) = (found[x, y], truth[x, y])
          #expect(a == b || a.isNaN && b.isNaN, "\(width)×\(height) from \(first): \(a), not \(b) at \(x), \(y)")
        }
      }
    }
  }

  @Test func disparitiesAreTheTruth() throws {
    let pair = MadePair(width: 320, height: 200, wall: 4.3, near: 17.6)
    let found = StereoMatcher.disparities(pair.left, pair.right, StereoMatcher.Candidates(first: 0, count: 32))
    let (wrong, missing) = errors(found, pair, over: 0.5)
    #expect(wrong < 0.02 && missing < 0.02, "\(wrong) wrong, \(missing) missing")
  }

  /// Pictures with the screen plane inside the scene, and pictures with large disparities.
  @Test(arguments: [(-9.0, 6.0), (2, 90), (0, 1)]) func candidatesHoldTheTruth(_ wall: Double, _ near: Double) throws {
    let pair = MadePair(width: 640, height: 360, wall: wall, near: near)
    let found = try #require(try StereoMatcher.candidates(pair.left, pair.right))
    #expect(Double(found.first) <= min(wall, wall * 1.3) && Double(found.first + found.count - 1) >= near)
    #expect(Double(found.count) < near - 1.3 * wall + 48)
  }

  @Test func picturesOfDifferentThingsAreRefused() throws {
    var random = SeededRandom(seed: 3)
    let (a, b) = (Image(gray: noise(200, 150, &random)), Image(gray: noise(200, 150, &random)))
    for (main, other) in [(a, b), (a, a)] {
      #expect(refusal { try StereoDepth(main: main, other: other, isLeft: true, scale: .none).map() }?.kind == .badData)
    }
  }

  /// Both eyes' maps, in metres according to the cameras, with nothing missing.
  @Test(arguments: [true, false]) func camerasGiveMetres(_ isLeft: Bool) throws {
    let pair = MadePair(width: 320, height: 200, wall: 4.3, near: 17.6)
    let camera = Intrinsics(fx: 250, fy: 250, cx: 160, cy: 100, width: 320, height: 200)
    let cameras = StereoCameras(
      main: camera, other: camera,
      extrinsics: Extrinsics(rotation: Extrinsics.identity.rotation, translation: [isLeft ? -0.02 : 0.02, 0, 0]))
    let images = (Image(gray: pair.left), Image(gray: pair.right))
    let map = try StereoDepth(
      main: isLeft ? images.0 : images.1, other: isLeft ? images.1 : images.0, isLeft: isLeft, scale: .cameras(cameras)
    ).map()
    // In the middle of the ellipse, and on the wall beside it. The right eye sees the ellipse at another position.
    let middle = 160 - (isLeft ? 0 : 17)
    #expect(abs(1 / map[middle, 110] - 250 * 0.02 / 17.6) < 0.005)
    #expect(abs(1 / map[280, 100] - 250 * 0.02 / (4.3 * 1.15)) < 0.05)
    #expect(map.samples.allSatisfy { $0.isFinite && $0 > 0 })
  }

  /// A second camera with another pose and another lens sees the same wall at the same distance.
  @Test func turnedCamerasAreRectified() throws {
    let (width, height) = (320, 240)
    let lens = Intrinsics(fx: 280, fy: 280, cx: 158, cy: 122, width: width, height: height)
    let other = Intrinsics(fx: 300, fy: 300, cx: 166, cy: 116, width: width, height: height)
    // Turned by 2° about its axis and 1.5° up; 3 cm to the right and 4 mm lower.
    let (roll, pitch) = (2 * Double.pi / 180, 1.5 * Double.pi / 180)
    let (c, s, e, f) = (Double(cosine(roll)), Double(sine(roll)), Double(cosine(pitch)), Double(sine(pitch)))
    let rotation = [c, -s, 0, e * s, e * c, -f, f * s, f * c, e]
    let position = [0.03, 0.004, 0]
    let turned = Extrinsics(rotation: rotation, translation: [0, 0, 0]).turned(position[0], position[1], position[2])
    let extrinsics = Extrinsics(rotation: rotation, translation: [-turned.x, -turned.y, -turned.z])
    // A wall at 1 m and a wall at 2 m beside it, seen by both cameras.
    // The grain has two samples for each pixel of the main picture, whose centres are at samples.
    let pair = MadePair(width: 1280, height: 1280, wall: 0, near: 0)
    let grain = pair.left
    func seen(_ lens: Intrinsics, _ extrinsics: Extrinsics) -> Plane<UInt8> {
      var result = Plane<UInt8>(repeating: 0, width: width, height: height)
      let back = extrinsics.inverted
      for y in 0..<height {
        for x in 0..<width {
          let ray = back.turned((Double(x) + 0.5 - lens.cx) / lens.fx, (Double(y) + 0.5 - lens.cy) / lens.fy, 1)
          for metres in [1.0, 2.0] {
            let t = (metres - back.translation[2]) / ray.z
            let (u, v) = (back.translation[0] + ray.x * t, back.translation[1] + ray.y * t)
            if metres == 1 && u > 0 { continue }
            let (i, j) = (Int((u / metres * 560 + 640).rounded()), Int((v / metres * 560 + 640).rounded()))
            result[x, y] = grain[min(max(i, 0), 1279), min(max(j, 0), 1279)]
            break
          }
        }
      }
      return result
    }
    let map = try StereoDepth(
      main: Image(gray: seen(lens, .identity)), other: Image(gray: seen(other, extrinsics)), isLeft: true,
      scale: .cameras(StereoCameras(main: lens, other: other, extrinsics: extrinsics))
    ).map()
    for y in stride(from: 40, to: 200, by: 20) {
      #expect(abs(1 / map[90, y] - 1) < 0.05, "\(1 / map[90, y]) m at row \(y)")
      #expect(abs(1 / map[250, y] - 2) < 0.2, "\(1 / map[250, y]) m at row \(y)")
    }
  }

  /// sin and cos by their series, which are exact enough for small angles.
  private func sine(_ x: Double) -> Double { x - x * x * x / 6 + x * x * x * x * x / 120 }
  private func cosine(_ x: Double) -> Double { 1 - x * x / 2 + x * x * x * x / 24 }

  /// Lenses whose axes meet at a distance: objects there have no disparity.
  @Test func convergingLenses() throws {
    let pair = MadePair(width: 320, height: 200, wall: -6, near: 0)
    let angle = 2 * 180 / Double.pi * 0.075 / 2 / 2
    let map = try StereoDepth(
      main: Image(gray: pair.left), other: Image(gray: pair.right), isLeft: true,
      scale: .lenses(baseline: 0.075, convergence: angle, focalLength: 1)
    ).map()
    #expect(abs(1 / map[160, 110] - 2) < 0.05)
    #expect(1 / map[280, 100] > 3)
  }

  @Test func moreCandidatesAreMatchedAtASmallerSize() throws {
    let pair = MadePair(width: 1024, height: 768, wall: -60, near: 140)
    let map = try StereoDepth(
      main: Image(gray: pair.left), other: Image(gray: pair.right), isLeft: true, scale: .none
    ).map()
    #expect(map.width == 1024 && map.height == 768)
    #expect(map[512, 420] > 2 * map[900, 100])
  }
}
