import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropMatting

extension DepthMatteMaker {
  fileprivate func makeMatte(of frame: Scene) throws(BackdropError) -> Matte {
    var matte = Matte(constant: 0, width: 1, height: 1)
    try update(&matte, from: frame)
    return matte
  }
}

@Suite struct DepthMatteTests {
  /// Blobs and noise: constant stretches, edges and single holes.
  static func depth(_ width: Int, _ height: Int, _ random: inout SeededRandom, stride: Int? = nil) -> DepthMap {
    let center = (
      Double.random(in: 0...Double(width), using: &random), Double.random(in: 0...Double(height), using: &random)
    )
    let reach = Double.random(in: 0...Double(width + height) / 2, using: &random)
    let noise = Double.random(in: 0...0.2, using: &random)
    var plane = Plane<Float>(repeating: 0, width: width, height: height, stride: stride)
    for (y, x) in product(0..<height, 0..<width) {
      let inside = hypot(Double(x) - center.0, Double(y) - center.1) < reach
      let hole = Double.random(in: 0..<1, using: &random) < noise
      plane[x, y] = hole ? .nan : inside ? 0.6 : 2
    }
    return DepthMap(metres: plane)
  }

  static func frame(_ depth: DepthMap, faces: [Rect] = [], width: Int = 1280, height: Int = 720) -> Scene {
    Scene(image: Image(.gray8, width: width, height: height), depth: depth, faces: faces)
  }

  @Test(arguments: CPULevel.supported)
  func equalsTheOracleOnAllSmallSizes(cpu: CPULevel) throws {
    let workers = WorkerPool(threads: 2)
    for (width, height) in product(Array(1...17) + [63, 64, 65, 127, 130, 200], Array(1...9) + [40]) {
      let seed = UInt64(width * 1000 + height)
      var random = SeededRandom(seed: seed)
      let depth = Self.depth(width, height, &random, stride: width + Int.random(in: 0...5, using: &random))
      let sigma = [0, 0.5, 1.3, 5].randomElement(using: &random)!
      let gamma = [0.25, 0.5, 0.77, 1, 1.5, 2, 3.1].randomElement(using: &random)!
      let maker = DepthMatteMaker(
        DepthMatteRecipe(cutoffMetres: 1, sigma: sigma, gamma: gamma), workers: workers, cpu: cpu)
      let made = try maker.makeMatte(of: Self.frame(depth)).q15.samples
      let wanted = MatteOracle.matte(
        depth.metres, cutoff: 1, sigma: sigma, radius: Int((4 * sigma).rounded(.up)), gamma: gamma)
      // Sums in single precision (relative error 1e-6), stored in Q15: two steps of 1/32768.
      let worst = zip(made, wanted).map { abs(Double($0) - $1 * 32768) }.max()!
      #expect(worst <= 2, "\(width)×\(height) sigma \(sigma) gamma \(gamma) seed \(seed)")
    }
  }

  @Test(arguments: CPULevel.supported)
  func powerIsPrecise(cpu: CPULevel) throws {
    // A blur with one tap leaves 0 and 1; a wide one produces all values between. Gammas over the whole allowed range.
    var random = SeededRandom(seed: 7)
    let depth = Self.depth(130, 60, &random)
    for gamma in [0.05, 0.1, 0.3, 0.9, 1.1, 2.2, 5, 12, 20] {
      let maker = DepthMatteMaker(
        DepthMatteRecipe(cutoffMetres: 1, sigma: 8, gamma: gamma), workers: WorkerPool(threads: 1), cpu: cpu)
      let made = try maker.makeMatte(of: Self.frame(depth)).q15.samples
      let wanted = MatteOracle.matte(depth.metres, cutoff: 1, sigma: 8, radius: 32, gamma: gamma)
      for (a, b) in zip(made, wanted) where b > 1e-4 || gamma >= 1 {
        #expect(abs(Double(a) - b * 32768) <= 2.5, "gamma \(gamma)")
      }
    }
  }

  @Test func allLevelsAndThreadCountsAgree() throws {
    var random = SeededRandom(seed: 3)
    let depth = Self.depth(333, 77, &random)
    var mattes: [Plane<UInt16>] = []
    for (cpu, threads) in product(CPULevel.supported, [1, 2, 3]) {
      let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: threads), cpu: cpu)
      mattes.append(try maker.makeMatte(of: Self.frame(depth)).q15)
    }
    for matte in mattes {
      let worst = zip(matte.samples, mattes[0].samples).map { abs(Int($0) - Int($1)) }.max()!
      // Fused and separate multiply-add differ in the last bit.
      #expect(worst <= 1)
    }
  }

  @Test func cutoffIsInclusiveAndZeroAndHolesAreBackground() throws {
    let depth = DepthMap(metres: Plane([0, 0.5, 1, 1.0000001, -1, .nan, .infinity, 0.001], width: 8, height: 1))
    let maker = DepthMatteMaker(
      DepthMatteRecipe(cutoffMetres: 1, sigma: 0, gamma: 1), workers: WorkerPool(threads: 1))
    let matte = try maker.makeMatte(of: Self.frame(depth))
    #expect(matte.q15.samples == [0, 32768, 32768, 0, 0, 0, 0, 32768])
  }

  @Test func faceCenterIsMappedForXAndYIndependently() throws {
    // A 4:3 map for a 16:9 picture: the face centre at 3/4 of the width and 1/4 of the height.
    var plane = Plane<Float>(repeating: 3, width: 640, height: 480)
    plane[480, 120] = 0.5
    let face = Rect(x: 960 - 20, y: 180 - 30, width: 40, height: 60)
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: [face]))
    #expect(maker.cutoffMetres == 0.75)
  }

  @Test func faceInAHoleTakesTheMedianAroundThenTheLastCutoff() throws {
    var plane = Plane<Float>(repeating: 0.9, width: 64, height: 36)
    plane[32, 18] = .nan
    let face = Rect(x: 630, y: 350, width: 20, height: 20)
    let maker = DepthMatteMaker(DepthMatteRecipe(cutoffMetres: 1), workers: WorkerPool(threads: 1))
    let noFace = Self.frame(DepthMap(metres: plane))
    _ = try maker.makeMatte(of: noFace)
    #expect(maker.cutoffMetres == 1, "no face yet")
    _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: [face]))
    #expect(abs(maker.cutoffMetres - 1.15) < 1e-6, "median around the hole")
    let holes = DepthMap(metres: Plane(repeating: .nan, width: 64, height: 36))
    let matte = try maker.makeMatte(of: Self.frame(holes, faces: [face]))
    #expect(abs(maker.cutoffMetres - 1.15) < 1e-6, "last good cutoff")
    #expect(matte.coverage == 0)
    _ = try maker.makeMatte(of: noFace)
    #expect(abs(maker.cutoffMetres - 1.15) < 1e-6, "no face any more")
    maker.recipe.followsFace = false
    _ = try maker.makeMatte(of: noFace)
    #expect(maker.cutoffMetres == 1)
  }

  @Test func aStrayValueAtTheFaceDoesNotExposeTheBackground() throws {
    var plane = Plane<Float>(repeating: 0.6, width: 64, height: 36)
    plane[32, 18] = 4.4
    let face = Rect(x: 630, y: 350, width: 20, height: 20)
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: [face]))
    #expect(abs(maker.cutoffMetres - 0.85) < 1e-6)
  }

  @Test func theLargestFaceDecides() throws {
    var plane = Plane<Float>(repeating: 3.5, width: 64, height: 36)
    for y in 10..<30 { for x in 10..<30 { plane[x, y] = 0.6 } }
    let person = Rect(x: 300, y: 300, width: 200, height: 200)
    let poster = Rect(x: 1000, y: 100, width: 40, height: 40)
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: [person, poster]))
    #expect(abs(maker.cutoffMetres - 0.85) < 1e-6)
  }

  /// Two people at 0.6 m and 1.4 m and a third whose depth is a hole: the recipe decides whether the farther one counts.
  @Test(arguments: [(DepthMatteRecipe.FaceChoice.largest, 0.85), (.all, 1.65)])
  func theFarthestFaceDecidesForAll(faces: DepthMatteRecipe.FaceChoice, cutoff: Double) throws {
    var plane = Plane<Float>(repeating: 3.5, width: 64, height: 36)
    for y in 10..<30 {
      for x in 0..<20 { plane[x, y] = 0.6 }
      for x in 20..<40 { plane[x, y] = 1.4 }
      for x in 40..<64 { plane[x, y] = .nan }
    }
    func face(_ x: Double, _ size: Double) -> Rect {
      Rect(x: 20 * x - size / 2, y: 400 - size / 2, width: size, height: size)
    }
    let people = [face(10, 200), face(30, 90), face(52, 60)]
    var recipe = DepthMatteRecipe()
    recipe.faces = faces
    let maker = DepthMatteMaker(recipe, workers: WorkerPool(threads: 1))
    _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: people))
    #expect(abs(maker.cutoffMetres - cutoff) < 1e-6)
    // Without a face, or without depth at the faces, the maker keeps the last cutoff.
    for few in [[people[2]], []] {
      _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: few))
      #expect(abs(maker.cutoffMetres - cutoff) < 1e-6)
    }
  }

  /// If all faces count, their order does not matter; with a single face, both choices give the same result.
  @Test func allFacesInAnyOrder() throws {
    for seed in 0..<50 {
      var random = SeededRandom(seed: UInt64(seed))
      let depth = DepthMap(
        metres: Plane((0..<64 * 36).map { _ in Float.random(in: 0.3...4, using: &random) }, width: 64, height: 36))
      var people = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Rect(
          x: .random(in: 0...1200, using: &random), y: .random(in: 0...640, using: &random), width: 80, height: 80)
      }
      func cutoff(_ choice: DepthMatteRecipe.FaceChoice, _ faces: [Rect]) throws -> Double {
        var recipe = DepthMatteRecipe()
        recipe.faces = choice
        let maker = DepthMatteMaker(recipe, workers: WorkerPool(threads: 1))
        _ = try maker.makeMatte(of: Self.frame(depth, faces: faces))
        return maker.cutoffMetres
      }
      let all = try cutoff(.all, people)
      #expect(all == (try people.map { try cutoff(.largest, [$0]) }.max()), "seed \(seed)")
      people.shuffle(using: &random)
      #expect(all == (try cutoff(.all, people)), "seed \(seed)")
    }
  }

  @Test func aSmallFaceInALargeHoleDoesNotTakeTheWall() throws {
    var plane = Plane<Float>(repeating: 3.5, width: 64, height: 36)
    for y in 13..<24 { for x in 27..<38 { plane[x, y] = .nan } }
    let face = Rect(x: 600, y: 320, width: 80, height: 80)
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    _ = try maker.makeMatte(of: Self.frame(DepthMap(metres: plane), faces: [face]))
    #expect(maker.cutoffMetres == 1)
  }

  @Test func mapsThatCannotBeUsedAreRefused() {
    let maker = DepthMatteMaker(DepthMatteRecipe(sigma: 0), workers: WorkerPool(threads: 1))
    let some = Plane<Float>(repeating: 1, width: 4, height: 4)
    for map in [
      DepthMap(metres: Plane(repeating: 1, width: 0, height: 5)),
      DepthMap(metres: Plane(repeating: 1, width: 5, height: 0)),
      DepthMap(metres: some, isRegistered: false),
    ] {
      #expect(throws: BackdropError.self) { try maker.makeMatte(of: Self.frame(map)) }
    }
  }

  @Test func recipesBeyondTheKernelsAreClamped() throws {
    var random = SeededRandom(seed: 11)
    let depth = Self.depth(70, 20, &random)
    for (sigma, gamma) in [(1.0, -20.0), (1, .nan), (1, 1e9), (-3, 1), (.infinity, 1)] {
      let maker = DepthMatteMaker(DepthMatteRecipe(sigma: sigma, gamma: gamma), workers: WorkerPool(threads: 1))
      let matte = try maker.makeMatte(of: Self.frame(depth))
      #expect(matte.q15.samples.allSatisfy { $0 <= 32768 }, "sigma \(sigma) gamma \(gamma)")
    }
  }

  @Test(arguments: CPULevel.supported)
  func samplesAboveOneCountAsOne(cpu: CPULevel) {
    var high = Plane<UInt16>(repeating: 0, width: 40, height: 30)
    var one = high
    for y in 10..<20 { for x in 10..<20 { (high[x, y], one[x, y]) = (65535, 32768) } }
    let plan = MatteUpsampling(fromWidth: 40, height: 30, toWidth: 130, height: 77, cpu: cpu)
    #expect(plan.apply(to: high) == plan.apply(to: one))
  }

  @Test func faceOutsideThePictureIsIgnored() throws {
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    let depth = DepthMap(metres: Plane(repeating: 0.5, width: 8, height: 8))
    for x in [-1000.0, 5000] {
      _ = try maker.makeMatte(
        of: Self.frame(depth, faces: [Rect(x: x, y: x, width: 10, height: 10)], width: 80, height: 80))
      #expect(maker.cutoffMetres == 1)
    }
  }

  /// Some cameras write 65,535 mm for pixels without a measurement.
  @Test func aFaceAtNoDepthDoesNotExposeTheBackground() throws {
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    let depth = DepthMap(metres: Plane(repeating: 65.535, width: 8, height: 8))
    let matte = try maker.makeMatte(
      of: Self.frame(depth, faces: [Rect(x: 20, y: 20, width: 30, height: 30)], width: 80, height: 80))
    #expect(maker.cutoffMetres == 1)
    #expect(matte.coverage == 0)
  }

  @Test func aFrameWithoutDepthIsAnError() {
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: WorkerPool(threads: 1))
    #expect(throws: BackdropError.self) {
      try maker.makeMatte(of: Scene(image: Image(.gray8, width: 4, height: 4)))
    }
  }
}
