import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth

@Suite struct ConfidenceTests {
  static func map(_ width: Int = 24, _ height: Int = 18, _ metres: (Int, Int) -> Float) -> DepthMap {
    DepthMap(metres: Plane(width: width, height: height, metres))
  }

  static func filter(_ chain: String) throws -> DepthFilter {
    let filter = DepthFilter(try DepthFilterChain(parsing: chain))
    filter.estimatesConfidence = true
    return filter
  }

  /// The number for a confidence.
  static func number(_ confidence: Float) -> Int { Int((confidence * 255).rounded()) }

  @Test func planesAreTrusted() {
    let flat = Self.map { _, _ in 1.5 }.estimatedConfidence()
    #expect(flat.values.samples.allSatisfy { $0 == 255 })
    // 1/z continues in equal steps.
    let tilted = Self.map { x, y in 1 / (0.5 + 0.002 * Float(x) + 0.004 * Float(y)) }.estimatedConfidence()
    #expect(tilted.values.samples.allSatisfy { $0 >= 254 })
  }

  /// Confidence rises by a quarter with each pixel of distance from a hole or from a step in depth.
  @Test func edgesHaveLessConfidence() {
    let map = Self.map { x, y in x == 9 && y == 8 ? .nan : x < 18 ? 1 : 1.1 }
    let found = map.estimatedConfidence()
    for (y, x) in product(0..<18, 0..<24) {
      let toHole = abs(x - 9) + abs(y - 8)
      // Columns 17 and 18 lie at the step, with a bend of 1 - 1/1.1 in 1/z.
      let toStep = x < 18 ? 18 - x : x - 17
      var expected = Float(min(toHole, toStep, 4)) / 4
      let bend: Float = 1 - 1 / 1.1
      if toStep == 1 { expected /= 1 + bend * bend / (6 * 0.02 * 0.02) }
      #expect(abs(Int(found.values[x, y]) - Self.number(expected)) <= 1, "(\(x), \(y))")
    }
  }

  /// An error of δ in one pixel's 1/z causes a bend of 2 δ there and of δ at its neighbours.
  @Test(arguments: [0.001, 0.01, 0.02] as [Float]) func noiseHasLessConfidence(delta: Float) {
    let map = Self.map { x, y in x == 12 && y == 9 ? 1 / (1 + delta) : 1 }
    let found = map.estimatedConfidence()
    func expected(_ bend: Float) -> Int { Self.number(1 / (1 + bend * bend / (6 * 0.0004))) }
    #expect(abs(Int(found.values[12, 9]) - expected(2 * delta)) <= 1)
    for (x, y) in [(11, 9), (13, 9), (12, 8), (12, 10)] {
      #expect(abs(Int(found.values[x, y]) - expected(delta)) <= 1)
    }
    #expect(found.values[10, 9] == 255)
  }

  @Test func noiseLowersTheMean() throws {
    var random = SeededRandom(seed: 3)
    var last = 1.01
    for sigma in [0, 0.005, 0.01, 0.03] as [Float] {
      var map = Self.map(64, 48) { _, _ in
        let noise = (0..<12).reduce(-6) { sum, _ in sum + Float.random(in: 0...1, using: &random) }
        return 1 / (0.6 + sigma * noise)
      }
      map.confidence = map.estimatedConfidence()
      let mean = try #require(map.meanConfidence)
      #expect(mean < last, "seed 3, \(sigma)")
      last = mean
    }
    #expect(last < 0.6)
  }

  @Test func nobodyAsks() throws {
    let source = Self.map { x, y in x == 3 ? .nan : Float(1 + y) }
    for chain in ["raw", "decimate:2,fill", "filtered", "librealsense"] {
      let chain = try DepthFilterChain(parsing: chain)
      var (silent, told) = (source, source)
      DepthFilter(chain).apply(&silent)
      let filter = DepthFilter(chain)
      filter.estimatesConfidence = true
      filter.apply(&told)
      #expect(silent.confidence == nil)
      #expect(told.confidence?.width == told.width && told.confidence?.height == told.height)
      for (a, b) in zip(silent.metres.samples, told.metres.samples) { #expect(a == b || (a.isNaN && b.isNaN)) }
    }
  }

  /// Filled holes have little confidence, new holes have none, and the sensor's value counts for the rest.
  @Test func stepsAreFollowed() throws {
    var map = Self.map { x, y in y == 0 || y == 17 || x == 0 ? 1 : x == 5 ? .nan : x == 10 ? 9 : 1 }
    map.confidence = ConfidenceMap(Plane(repeating: 200, width: 24, height: 18))
    try Self.filter("threshold:0.1:4,fill").apply(&map)
    let found = try #require(map.confidence)
    for y in 1..<17 {
      for x in 1..<24 { #expect(found.values[x, y] == (x == 5 || x == 10 ? 26 : 200), "(\(x), \(y))") }
    }
    var hidden = Self.map { x, _ in x == 10 ? 9 : 1 }
    hidden.confidence = ConfidenceMap(Plane(repeating: 200, width: 24, height: 18))
    try Self.filter("threshold:0.1:4").apply(&hidden)
    #expect(hidden.confidence?.values[10, 4] == 0 && hidden.confidence?.values[11, 4] == 200)
  }

  /// Means over the pixels that are merged, a hole as 0; a map too small for that does not change.
  @Test func decimationTakesMeans() throws {
    var map = Self.map(8, 6) { x, y in x == 0 && y == 0 ? .nan : 1 }
    var numbers = Plane<UInt8>(repeating: 100, width: 8, height: 6)
    (numbers[3, 0], numbers[0, 0]) = (200, 255)
    map.confidence = ConfidenceMap(numbers)
    try Self.filter("decimate:2").apply(&map)
    let found = try #require(map.confidence)
    #expect(found.width == 4 && found.values[0, 0] == 75 && found.values[1, 0] == 125 && found.values[2, 2] == 100)
    for (width, height) in [(1, 1), (1, 5), (7, 1), (3, 3)] {
      var small = Self.map(width, height) { _, _ in 1 }
      try Self.filter("decimate:8").apply(&small)
      #expect(small.confidence?.width == small.width && small.confidence?.values[0, 0] == 255)
    }
  }

  /// Confidence depends on the share of the last 8 frames with a value, or of as many as exist.
  @Test func timeCounts() throws {
    let filter = try Self.filter("temporal:persistency=8")
    // A pixel's values in successive frames, and the expected confidence.
    let frames: [(metres: Float, confidence: Float)] = [
      (1, 1), (.nan, 0.5 * 1 / 2), (1, 2 / 3), (1, 3 / 4), (2, 1 / 5), (.nan, 0.5 * 1 / 6), (.nan, 0.5 * 1 / 7),
    ]
    for (index, frame) in frames.enumerated() {
      var map = Self.map(8, 8) { _, _ in frame.metres }
      map.confidence = ConfidenceMap(Plane(repeating: 255, width: 8, height: 8))
      filter.apply(&map)
      let found = Int(try #require(map.confidence).values[4, 4])
      #expect(abs(found - Self.number(frame.confidence)) <= 1, "frame \(index): \(found)")
    }
    filter.reset()
    var map = Self.map(8, 8) { _, _ in 2 }
    map.confidence = ConfidenceMap(Plane(repeating: 255, width: 8, height: 8))
    filter.apply(&map)
    #expect(map.confidence?.values[4, 4] == 255)
  }

  @Test func steadinessCounts() throws {
    let filter = try Self.filter("steady:frames=4")
    // Means of 1, 2, 3, 4, 4 frames; a change; two frames without a value, which keep a value seen twice.
    let frames: [(metres: Float, confidence: Float)] = [
      (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (2, 0.5 + 0.5 / 4), (2, 0.5 + 0.5 * 2 / 4),
      (.nan, 0.5 * 0.5 * 0.75), (.nan, 0.5 * 0.5 * 0.5),
    ]
    for (index, frame) in frames.enumerated() {
      var map = Self.map(8, 8) { _, _ in frame.metres }
      map.confidence = ConfidenceMap(Plane(repeating: 255, width: 8, height: 8))
      filter.apply(&map)
      let found = Int(try #require(map.confidence).values[4, 4])
      #expect(abs(found - Self.number(frame.confidence)) <= 1, "frame \(index): \(found)")
    }
  }

  @Test func goesWithTheMap() throws {
    var map = Self.map(6, 4) { x, y in Float(1 + x + 10 * y) }
    map.confidence = ConfidenceMap(Plane((0..<24).map { UInt8($0 % 6 + 10 * ($0 / 6)) }, width: 6, height: 4))
    func agrees(_ map: DepthMap) -> Bool {
      guard let confidence = map.confidence else { return false }
      return zip(map.metres.samples, confidence.values.samples).allSatisfy { Int($0) == Int($1) + 1 }
    }
    for orientation in Orientation.allCases { #expect(agrees(map.oriented(orientation)), "\(orientation)") }
    #expect(agrees(try map.cropped(x: 2, y: 1, width: 3, height: 2)))
    #expect(agrees(try map.resized(toWidth: 12, height: 3, by: .nearest)))
    #expect(agrees(try map.resized(toWidth: 6, height: 4)))
    #expect(agrees(map.disparity.depth.replacingRoundings))
    #expect(map.replacing(values: map.metres, intrinsics: nil).confidence == nil)
  }

  @Test func numbersAreParts() {
    let parts = Plane<Float>([0, 0.5, 1, 2, -1, .nan, .infinity, 0.1], width: 8, height: 1)
    #expect(ConfidenceMap(parts: parts).values.samples == [0, 128, 255, 255, 0, 0, 255, 26])
    #expect(ConfidenceMap(parts: parts)[1, 0] == Float(128) / 255)
  }

  @Test func minimumConfidence() throws {
    var map = Self.map(4, 1) { x, _ in x == 0 ? .nan : Float(x) }
    #expect(map.confident(atLeast: 1).metres[1, 0] == 1 && map.meanConfidence == nil)
    map.confidence = ConfidenceMap(Plane([9, 0, 128, 255], width: 4, height: 1))
    #expect(abs(try #require(map.meanConfidence) - 383 / 3 / 255.0) < 1e-3)
    let expected: [(Double, [Bool])] = [
      (0, [false, true, true, true]), (0.01, [false, false, true, true]), (128 / 255.0, [false, false, true, true]),
      (0.51, [false, false, false, true]), (1, [false, false, false, true]),
    ]
    for (least, kept) in expected {
      #expect(map.confident(atLeast: least).metres.samples.map { !$0.isNaN } == kept, "\(least)")
    }
  }

  /// Maps of any content.
  @Test(arguments: 0..<16) func anyMap(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let filters = try ["raw", "filtered", "librealsense", "decimate:3,temporal,fill:left"].map { try Self.filter($0) }
    for _ in 0..<4 {
      let (width, height) = (Int.random(in: 0...20, using: &random), Int.random(in: 0...12, using: &random))
      let map = Self.map(width, height) { _, _ in
        [.nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.001, 1, 1.2, 5].randomElement(using: &random) ?? 1
      }
      for filter in filters {
        var result = map
        filter.apply(&result)
        #expect(result.confidence?.width == result.width && result.confidence?.height == result.height, "seed \(seed)")
        let numbers = result.confidence?.values.samples ?? []
        for (metres, number) in zip(result.metres.samples, numbers) {
          #expect(!metres.isNaN || number == 0, "seed \(seed)")
        }
      }
    }
  }
}

extension DepthMap {
  /// The map in whole metres again after two divisions.
  fileprivate var replacingRoundings: DepthMap {
    var result = DepthMap(
      metres: Plane(metres.samples.map { $0.rounded() }, width: width, height: height), intrinsics: intrinsics)
    result.confidence = confidence
    return result
  }
}
