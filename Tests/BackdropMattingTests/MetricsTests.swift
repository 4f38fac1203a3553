import BackdropImaging
import BackdropMatting
import TestSupport
import Testing

/// Soft discs with integer noise. They use only operations that every IEEE 754 machine rounds the same way, so another program can produce
/// the same mattes.
private enum Discs {
  static func disc(_ x: Int, _ y: Int, _ cx: Double, _ cy: Double, _ radius: Double, _ soft: Double) -> Double {
    let (dx, dy) = (Double(x) - cx, Double(y) - cy)
    return min(max((radius - (dx * dx + dy * dy).squareRoot()) / soft + 0.5, 0), 1)
  }

  static func eightBit(_ value: Double) -> Float { Float((value * 255 + 0.5).rounded(.down) / 255) }

  static func truth(_ width: Int, _ height: Int, frame: Int) -> Plane<Float> {
    let (w, h, f) = (Double(width), Double(height), Double(frame))
    return plane(width, height) { x, y in
      eightBit(
        max(
          disc(x, y, w * 0.4 + f, h * 0.5, h * 0.3, 9), disc(x, y, w * 0.85, h * 0.25 + f, h * 0.15, 4) * 0.8))
    }
  }

  static func matte(_ width: Int, _ height: Int, frame: Int) -> Plane<Float> {
    let (w, h, f) = (Double(width), Double(height), Double(frame))
    return plane(width, height) { x, y in
      let clean = max(
        disc(x, y, w * 0.4 + f * 1.5 + 1.25, h * 0.5 - 0.75, h * 0.32, 6),
        disc(x, y, w * 0.82, h * 0.28, h * 0.15, 5) * 0.7)
      let noise = Double((x * 7919 + y * 104_729 + frame * 31) % 17 - 8) / 100
      return eightBit(min(max(clean + (clean > 0.02 ? noise : 0), 0), 1))
    }
  }

  static func plane(_ width: Int, _ height: Int, _ value: (Int, Int) -> Float) -> Plane<Float> {
    Plane(width: width, height: height, value)
  }
}

@Suite struct MetricsTests {
  struct Expected: Sendable {
    var width, height, frame: Int
    var sad, mad, mse, gradient, connectivity, iou: Double
  }

  // Computed from the same formulas in float64 with NumPy 2.4.6 and SciPy 1.17.1 (ndimage.correlate, ndimage.label). The script of Robust
  // Video Matting, run with OpenCV 5.0 in float32, agrees with them to 2e-7 after its factors.
  static let expected = [
    Expected(
      width: 96, height: 64, frame: 0, sad: 310.51372549019607, mad: 0.050539343341503264, mse: 0.013779673583077022,
      gradient: 568.6779094811538, connectivity: 300.0784351974726, iou: 0.8266502159161012),
    Expected(
      width: 37, height: 53, frame: 2, sad: 155.49019607843138, mad: 0.07929127795942446, mse: 0.018583853815296005,
      gradient: 185.8223814254584, connectivity: 154.49411994218826, iou: 0.8500986193293886),
    Expected(
      width: 320, height: 180, frame: 1, sad: 2381.5529411764705, mad: 0.04134640522875817, mse: 0.01877463048400188,
      gradient: 4649.427837852565, connectivity: 2305.46668741107, iou: 0.8194275274056029),
  ]

  func near(_ a: Double, _ b: Double, _ tolerance: Double = 1e-5) -> Bool { abs(a - b) <= tolerance * abs(b) }

  @Test(arguments: expected) func agreesWithOtherPrograms(_ expected: Expected) throws {
    let found = try MatteMetrics(
      of: Discs.matte(expected.width, expected.height, frame: expected.frame),
      against: Discs.truth(expected.width, expected.height, frame: expected.frame))
    #expect(found.width == expected.width && found.height == expected.height)
    #expect(near(found.sad, expected.sad))
    #expect(near(found.mad, expected.mad))
    #expect(near(found.mse, expected.mse))
    #expect(near(found.gradient, expected.gradient))
    #expect(near(found.connectivity, expected.connectivity))
    #expect(near(found.iou, expected.iou))
    let scores = found.robustVideoMattingScores
    #expect(near(scores.mad, expected.mad * 1e3) && near(scores.mse, expected.mse * 1e3))
    #expect(near(scores.gradient, expected.gradient / 1e3) && near(scores.connectivity, expected.connectivity / 1e3))
    #expect(scores.dtSSD == nil)
  }

  @Test func aSequenceAddsFlicker() throws {
    var evaluator = MatteSequenceEvaluator()
    #expect(evaluator.metrics == nil)
    for frame in 0..<3 {
      try evaluator.add(Discs.matte(96, 64, frame: frame), truth: Discs.truth(96, 64, frame: frame))
      if frame == 0 { #expect(evaluator.metrics?.dtSSD == nil) }
    }
    let found = try #require(evaluator.metrics)
    #expect(found.frameCount == 3)
    // From the same numpy run: the mean over two pairs, and the mean of three frames' MAD.
    #expect(near(try #require(found.dtSSD), 0.05803549181462178))
    #expect(near(found.mean.mad, (0.050539343341503264 + 0.05173547283496733 + 0.05512599571078431) / 3))
    #expect(near(try #require(found.robustVideoMattingScores.dtSSD), 5.803549181462178 * 2 / 3))
  }

  @Test func aMatteAgainstItselfIsPerfect() throws {
    let truth = Discs.truth(40, 30, frame: 0)
    let found = try MatteMetrics(of: truth, against: truth)
    #expect(found.sad == 0 && found.mad == 0 && found.mse == 0 && found.gradient == 0 && found.connectivity == 0)
    #expect(found.iou == 1)
  }

  @Test func flatMattes() throws {
    let none = Plane<Float>(repeating: 0, width: 8, height: 4)
    let all = Plane<Float>(repeating: 1, width: 8, height: 4)
    // Closed forms: every pixel differs by 1; no gradient anywhere; nothing is connected, so every pixel of the opaque
    // matte lies 1 above its level 0.
    let found = try MatteMetrics(of: none, against: all)
    #expect(found.sad == 32 && found.mad == 1 && found.mse == 1 && found.gradient == 0 && found.connectivity == 32)
    #expect(found.iou == 0)
    #expect(try MatteMetrics(of: none, against: none).iou == 1)
    #expect(try MatteMetrics(of: all, against: all).connectivity == 0)
    let one = Plane<Float>(repeating: 0.5, width: 1, height: 1)
    #expect(try MatteMetrics(of: one, against: one).sad == 0)
  }

  /// An island of the matte that is not in the truth is unconnected, and so is one that is not the largest.
  @Test func islandsAreUnconnected() throws {
    var truth = Plane<Float>(repeating: 0, width: 9, height: 1)
    for x in [0, 1, 2, 6] { truth[x, 0] = 1 }
    var matte = truth
    matte[4, 0] = 1
    matte[6, 0] = 0.5
    // x = 4: level 0, the matte 1 above it. x = 6: level 0, the truth 1 and the matte 0.5 above it.
    let found = try MatteMetrics(of: matte, against: truth)
    #expect(near(found.connectivity, 1.5))
  }

  @Test func valuesOutsideAreClamped() throws {
    let wild = Plane<Float>([-3, .nan, 7, .infinity, -.infinity, 0.5], width: 3, height: 2)
    let tame = Plane<Float>([0, 0, 1, 1, 0, 0.5], width: 3, height: 2)
    #expect(try MatteMetrics(of: wild, against: tame).sad == 0)
  }

  @Test func sizesMustAgree() throws {
    let (a, b) = (Plane<Float>(repeating: 0, width: 4, height: 3), Plane<Float>(repeating: 0, width: 3, height: 4))
    let error = try #require(refusal { try MatteMetrics(of: a, against: b) })
    #expect(error.kind == .wrongArgument && error.message.contains("4×3") && error.message.contains("3×4"))
    var evaluator = MatteSequenceEvaluator()
    try evaluator.add(a, truth: a)
    let next = try #require(refusal { try evaluator.add(b, truth: b) })
    #expect(next.kind == .wrongArgument && next.message.contains("4×3") && next.message.contains("3×4"))
    #expect(evaluator.metrics?.frameCount == 1)
    let empty = Plane<Float>(repeating: 0, width: 0, height: 0)
    #expect(refusal { try MatteMetrics(of: empty, against: empty) }?.kind == .wrongArgument)
  }

  /// The sum by definition, pixel by pixel, with the largest regions from a flood fill instead of runs.
  @Test(arguments: 0..<20) func connectivityAgreesWithFloodFill(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (width, height) = (Int.random(in: 1...14, using: &random), Int.random(in: 1...12, using: &random))
    func anyMatte() -> Plane<Float> {
      Discs.plane(width, height) { _, _ in Float(Int.random(in: 0...20, using: &random)) / 20 }
    }
    let (matte, truth) = (anyMatte(), anyMatte())
    var level = [Float](repeating: -1, count: width * height)
    for step in 1...10 {
      let threshold = Float(Double(step) * 0.1)
      var open = (0..<width * height).map { matte.samples[$0] >= threshold && truth.samples[$0] >= threshold }
      var largest: Set<Int> = []
      for start in open.indices where open[start] {
        var region: Set<Int> = []
        var stack = [start]
        while let index = stack.popLast() {
          guard open[index] else { continue }
          open[index] = false
          region.insert(index)
          if index % width > 0 { stack.append(index - 1) }
          if index % width < width - 1 { stack.append(index + 1) }
          if index >= width { stack.append(index - width) }
          if index < width * (height - 1) { stack.append(index + width) }
        }
        if region.count > largest.count { largest = region }
      }
      for index in level.indices where level[index] == -1 && !largest.contains(index) {
        level[index] = Float(Double(step - 1) * 0.1)
      }
    }
    var sum = 0.0
    for index in level.indices {
      func phi(_ plane: Plane<Float>) -> Float {
        let distance = plane.samples[index] - (level[index] == -1 ? 1 : level[index])
        return distance >= 0.15 ? 1 - distance : 1
      }
      sum += Double(abs(phi(matte) - phi(truth)))
    }
    #expect(abs(try MatteMetrics(of: matte, against: truth).connectivity - sum) < 1e-4, "seed \(seed)")
  }
}
