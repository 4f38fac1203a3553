import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

/// Equal samples, where a hole equals a hole.
func same(_ a: Plane<Float>, _ b: [Float]) -> Bool {
  a.samples.count == b.count && zip(a.samples, b).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
}

/// Equal up to `tolerance` times the value, where a hole equals a hole.
func close(_ a: Plane<Float>, _ b: [Float], tolerance: Float = 1e-6) -> Bool {
  a.samples.count == b.count
    && zip(a.samples, b).allSatisfy { abs($0 - $1) <= tolerance * abs($1) || ($0.isNaN && $1.isNaN) }
}

/// A map with holes, steps and slopes.
func randomMap(_ width: Int, _ height: Int, holes: Double, using random: inout SeededRandom) -> DepthMap {
  var plane = Plane<Float>(uninitializedWidth: width, height: height, stride: width + 3)
  for (y, x) in product(0..<height, 0..<width) {
    let near = Int.random(in: 0...2, using: &random) == 0
    plane[x, y] =
      Double.random(in: 0..<1, using: &random) < holes
      ? [0, -1, .infinity, .nan].randomElement(using: &random)! : (near ? 0.8 : 2.5) + Float(x) * 0.01
  }
  return DepthMap(
    metres: plane, intrinsics: Intrinsics(fx: 50, fy: 60, cx: 3, cy: 2, width: width, height: height))
}

@Suite struct DepthMapTests {
  @Test func everythingThatIsNoDistanceIsAHole() {
    let map = DepthMap(
      metres: Plane([0, -0.0, -1, .infinity, -.infinity, .nan, 1.5, .leastNonzeroMagnitude], width: 4, height: 2))
    #expect(same(map.metres, [.nan, .nan, .nan, .nan, .nan, .nan, 1.5, .leastNonzeroMagnitude]))
    #expect(!map.isEmpty)
  }

  @Test func allHolesGoThroughEverything() throws {
    let map = DepthMap(metres: Plane(repeating: 0, width: 7, height: 5))
    #expect(map.isEmpty)
    #expect(map.depth(atX: 3, y: 2) == nil)
    #expect(map.extent == nil)
    #expect(map.percentiles([2, 98]).isEmpty)
    #expect(map.percentile(50) == nil)
    let statistics = map.statistics
    #expect(statistics.holeFraction == 1 && statistics.holeCount == 35)
    #expect(statistics.minimum == nil && statistics.median == nil && statistics.mean == nil)
    #expect(map.normalized().samples.allSatisfy { $0.isNaN })
    #expect(map.disparity.isEmpty)
    #expect(try map.resized(toWidth: 3, height: 9).isEmpty)
    #expect(try map.resized(toWidth: 3, height: 9, by: .nearest).isEmpty)
    #expect(try map.units(perMetre: 1000).samples.allSatisfy { $0 == 0 })
    #expect(map.colorized().packedBytes == (0..<140).map { $0 % 4 == 3 ? 255 : 0 })
  }

  @Test func disparityIsTheReciprocal() {
    let depth = DepthMap(metres: Plane([0.5, 2, 0, 4], width: 2, height: 2), isRegistered: false)
    let disparity = depth.disparity
    #expect(same(disparity.perMetre, [2, 0.5, .nan, 0.25]))
    #expect(disparity.accuracy == .absolute && !disparity.isRegistered)
    #expect(same(disparity.depth.metres, [0.5, 2, .nan, 4]))
  }

  @Test func relativeDisparityKeepsZero() {
    let samples: [Float] = [0, -1, .infinity, .nan, 3, 0.25]
    let relative = DisparityMap(perMetre: Plane(samples, width: 3, height: 2), accuracy: .relative)
    #expect(same(relative.perMetre, [0, -1, .nan, .nan, 3, 0.25]))
    let third: Float = 1 / 3
    #expect(same(relative.depth.metres, [.nan, .nan, .nan, .nan, third, 4]))
    let absolute = DisparityMap(perMetre: Plane(samples, width: 3, height: 2), accuracy: .absolute)
    #expect(same(absolute.perMetre, [.nan, .nan, .nan, .nan, 3, 0.25]))
  }

  @Test func normalizedRunsFromLowToHigh() {
    let map = DepthMap(metres: Plane([1, 2, 3, 0, 5, 1.5], width: 3, height: 2))
    #expect(same(map.normalized(), [0, 0.25, 0.5, .nan, 1, 0.125]))
    #expect(same(map.normalized(over: 2...3), [0, 0, 1, .nan, 1, 0]))
    let flat = DepthMap(metres: Plane([2, 2, 0, 2], width: 2, height: 2))
    #expect(same(flat.normalized(), [0, 0, .nan, 0]))
    let huge = DisparityMap(
      perMetre: Plane([-.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude], width: 3, height: 1),
      accuracy: .relative)
    let positions = huge.normalized().samples
    #expect(positions[0] == 0 && abs(positions[1] - 0.5) < 1e-6 && positions[2] == 1)
  }

  @Test func depthAtAPointIsTheMedianOfValidNeighbours() {
    // Calculated by hand: the valid values around (1, 1) are 1, 1.1, 1.2, 5, 9 (median 1.2).
    let map = DepthMap(metres: Plane([1, 0, 5, 1.1, .nan, 1.2, -1, 9, 0], width: 3, height: 3))
    #expect(map.depth(atX: 1, y: 1, window: 3) == 1.2)
    #expect(map.depth(atX: 1, y: 1, window: 1) == nil)
    // 1 and 1.1: the median of two values is the nearer one.
    #expect(map.depth(atX: 0, y: 0, window: 3) == 1)
    #expect(map.depth(atX: 2, y: 2, window: 1) == nil)
    #expect(map.depth(atX: 0, y: 0, window: 100) == 1.2)
    #expect(map.depth(atX: 50, y: 0) == nil)
    #expect(map.depth(atX: .max, y: .min, window: .max) == nil)
    #expect(map.depth(atX: .min, y: .max) == nil)
  }

  @Test func pointsMapForXAndYIndependently() {
    var plane = Plane<Float>(repeating: 3, width: 64, height: 48)
    plane[32, 12] = 1
    let map = DepthMap(metres: plane)
    // 1280×720 to 64×48: x by 1/20, y by 1/15.
    let point = map.coordinates(ofX: 645, y: 190, inPictureWidth: 1280, height: 720)
    #expect(point.x == 32.25 && abs(point.y - 190.0 / 15) < 1e-12)
    #expect(map.depth(atX: 645, y: 190, inPictureWidth: 1280, height: 720, window: 1) == 1)
    #expect(map.depth(atX: 1280, y: 720, inPictureWidth: 1280, height: 720) == 3)
    #expect(map.depth(atX: 1281, y: 0, inPictureWidth: 1280, height: 720) == nil)
    #expect(map.depth(atX: .nan, y: 0, inPictureWidth: 1280, height: 720) == nil)
    #expect(map.depth(atX: .infinity, y: 0, inPictureWidth: 1280, height: 720) == nil)
    #expect(map.depth(atX: 5, y: 5, inPictureWidth: 0, height: 0) == nil)
  }

  @Test(arguments: 0..<20) func statisticsAgreeWithSorting(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let map = randomMap(
      Int.random(in: 1...40, using: &random), Int.random(in: 1...30, using: &random), holes: 0.2, using: &random)
    let sorted = map.metres.samples.filter { !$0.isNaN }.sorted()
    let statistics = map.statistics
    #expect(statistics.validCount == sorted.count, "seed \(seed)")
    #expect(statistics.holeCount == map.width * map.height - sorted.count, "seed \(seed)")
    #expect(statistics.minimum == sorted.first && statistics.maximum == sorted.last, "seed \(seed)")
    guard !sorted.isEmpty else {
      #expect(statistics.median == nil && statistics.mean == nil && map.percentiles([50]).isEmpty, "seed \(seed)")
      return
    }
    #expect(statistics.median == sorted[(sorted.count - 1) / 2], "seed \(seed)")
    #expect(abs(statistics.mean! - sorted.reduce(0, +) / Float(sorted.count)) < 1e-4, "seed \(seed)")
    let percents = [-5, 0, 2, 33.3, 50, 98, 100, 400]
    let expected = percents.map { sorted[Int((min(max($0, 0), 100) / 100 * Double(sorted.count - 1)).rounded())] }
    #expect(map.percentiles(percents) == expected, "seed \(seed)")
  }

  @Test func percentilesKeepTheOrderOfNegativeValues() {
    let samples: [Float] = [
      3, -2, 0, -0.5, .nan, 1, -.greatestFiniteMagnitude, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
    let map = DisparityMap(perMetre: Plane(samples, width: 9, height: 1), accuracy: .relative)
    let sorted = samples.filter { !$0.isNaN }.sorted()
    #expect(map.percentiles((0..<8).map { Double($0) / 7 * 100 }) == sorted)
    #expect(map.extent == sorted.first!...sorted.last!)
  }

  /// An alpha plane of any size creates holes where it is 0, and nowhere else.
  @Test func whatAlphaHidesIsAHole() {
    let map = DepthMap(metres: Plane<Float>(repeating: 2, width: 4, height: 2))
    var alpha = Plane<UInt8>(width: 8, height: 6) { x, y in x >= 4 && y < 3 ? 0 : 255 }
    alpha[0, 5] = 1
    #expect(same(map.hidden(by: alpha).metres, [2, 2, .nan, .nan, 2, 2, 2, 2]))
    #expect(same(map.hidden(by: nil).metres, map.metres.samples.map { $0 }))
  }
}
