import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

@Suite struct RefineTests {
  static let formats: [PixelFormat] = [.bgra8, .rgb8, .i420, .nv12]

  @Test(arguments: CPULevel.supported, formats)
  func agreesWithTheOracle(_ cpu: CPULevel, _ format: PixelFormat) throws {
    for (seed, size) in [(1, 1), (3, 2), (15, 9), (16, 16), (17, 31), (33, 8), (50, 47)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let (width, height) = size
      let image = Image.noise(format, width * 2 + seed % 2, height * 2 + seed % 3, &random)
      let matte = stepMatte(width, height, &random)
      for (radius, reduction) in [(1, 1), (4, 1), (2, 2)] {
        let settings = MatteRefinement(
          strength: seed % 2 == 0 ? 1 : 0.5, radius: radius, epsilon: 1e-3, seesPixels: seed % 4 < 2,
          ownSlope: seed % 3 == 0 ? 1 : 1.5,
          sharpness: 1.5, threshold: 0.45,
          reduction: reduction)
        let refiner = MatteRefiner(settings, workers: WorkerPool(threads: 1 + seed % 2), cpu: cpu)
        var result = Matte(constant: 0, width: 1, height: 1)
        try refiner.refine(matte, of: image, into: &result)
        let expected = try GuidedOracle.refine(matte, of: image, settings)
        // Single precision, and one step of Q15: the inverse of a nearly singular matrix loses digits.
        var worst = 0.0
        for y in 0..<image.height {
          for x in 0..<image.width { worst = max(worst, abs(result[x, y] - expected[y * image.width + x])) }
        }
        #expect(worst < 2e-3, "seed \(seed), \(size), radius \(radius) reduction \(reduction), \(format) on \(cpu)")
      }
    }
  }

  /// Outside of a frame the result is 0, whatever the reused matte held.
  @Test func nothingIsLeftOutsideTheFrame() throws {
    var random = SeededRandom(seed: 8)
    let image = Image.noise(.bgra8, 70, 50, &random)
    var result = Matte(constant: 1, width: 70, height: 50)
    try MatteRefiner(workers: WorkerPool(threads: 2)).refine(
      Matte(constant: 1, width: 20, height: 15), of: image, frame: IntegerRect(x: 10, y: 6, width: 40, height: 30),
      into: &result)
    for (y, x) in product(0..<50, 0..<70) {
      #expect(result.q15[x, y] == ((10..<50).contains(x) && (6..<36).contains(y) ? 32768 : 0), "\(x), \(y)")
    }
  }

  @Test func constantMattesStay() throws {
    var random = SeededRandom(seed: 7)
    let image = Image.noise(.bgra8, 70, 50, &random)
    for value in [0.0, 1.0] {
      var result = Matte(constant: 0.5, width: 1, height: 1)
      try MatteRefiner(workers: WorkerPool(threads: 2)).refine(
        Matte(constant: value, width: 33, height: 21), of: image, into: &result)
      #expect(result.q15.samples.allSatisfy { $0 == UInt16(value * 32768) })
    }
  }

  /// The picture's colours match the true matte, so the linear model is exact and the coarse edge moves to the picture's edge.
  @Test func followsTheEdgeOfThePicture() throws {
    let (width, height) = (320, 240)
    let truth = Plane<UInt16>(width: width, height: height) { x, y in
      hypot(Double(x) - 163, Double(y) - 121) < 70 + 6 * sin(Double(y) * 0.9) ? 32768 : 0
    }
    let image = Image.drawn(.bgra8, width, height) { x, y in
      [Int](repeating: truth[x, y] > 0 ? 200 : 60, count: 4)
    }
    let exact = Matte(q15: truth)
    let coarse = exact.scaled(toWidth: 80, height: 60)
    var refined = Matte(constant: 0, width: 1, height: 1)
    try MatteRefiner(workers: WorkerPool(threads: 1)).refine(coarse, of: image, into: &refined)
    let before = try MatteMetrics(
      of: coarse.scaled(toWidth: width, height: height).opacities, against: exact.opacities)
    let after = try MatteMetrics(of: refined.opacities, against: exact.opacities)
    #expect(after.mad < before.mad / 3)
    #expect(after.gradient < before.gradient / 3)
  }

  @Test func refusesWhatIsEmpty() {
    var result = Matte(constant: 0, width: 1, height: 1)
    #expect(throws: BackdropError.self) {
      try MatteRefiner(workers: WorkerPool(threads: 1)).refine(
        Matte(q15: Plane(uninitializedWidth: 0, height: 0)), of: Image(.bgra8, width: 4, height: 4), into: &result)
    }
  }

  /// Flat parts, an edge and some samples between.
  private func stepMatte(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Matte {
    let plane = Plane<UInt16>(width: width, height: height) { x, y in
      x + y / 2 < width / 2 ? 0 : x + y / 2 > width / 2 + 2 ? 32768 : UInt16.random(in: 0...32768, using: &random)
    }
    return Matte(q15: plane)
  }
}

/// The guided filter in double precision, window by window.
enum GuidedOracle {
  /// - Parameter isPlain: whether to ignore the texture within samples and trust colours fully everywhere.
  static func refine(
    _ matte: Matte, of image: Image, _ settings: MatteRefinement, isPlain: Bool = false
  ) throws -> [Double] {
    let (w, h) = (
      max(1, min(matte.width, image.width) / settings.reduction),
      max(1, min(matte.height, image.height) / settings.reduction)
    )
    let matte = matte.width == w && matte.height == h ? matte : matte.scaled(toWidth: w, height: h)
    let small = try image.scaled(toWidth: w, height: h, filter: .area)
    let p = (0..<w * h).map { i -> Double in
      min(max((Double(matte.q15[i % w, i / w]) - 655) / Double(32768 - 1310), 0), 1)
    }
    let guide = (0..<w * h).map { color(small, $0 % w, $0 / w) }
    func window(_ x: Int, _ y: Int, _ radius: Int) -> [Int] {
      (max(0, y - radius)...min(h - 1, y + radius)).flatMap { row in
        (max(0, x - radius)...min(w - 1, x + radius)).map { row * w + $0 }
      }
    }
    let products = (0..<w * h).map { i -> [[Double]] in
      let own = (0..<3).map { r in (0..<3).map { c in guide[i][r] * guide[i][c] } }
      guard !isPlain && settings.seesPixels else { return own }
      let within = covarianceWithin(image, i % w, i / w, w, h)
      return (0..<3).map { r in (0..<3).map { c in own[r][c] + within[r][c] } }
    }
    let background = p.map { isPlain ? 0 : pow(max(0, 1 - 2 * $0), 4) }
    let found = (0..<w * h).map { i -> [Double] in
      let at = window(i % w, i / w, settings.radius)
      let n = Double(at.count)
      let mp = at.reduce(0) { $0 + p[$1] } / n
      let mean = (0..<3).map { c in at.reduce(0) { $0 + guide[$1][c] } / n }
      var matrix = [[Double]](repeating: [0, 0, 0, 0], count: 3)
      for r in 0..<3 {
        for c in 0..<3 {
          matrix[r][c] = at.reduce(0) { $0 + products[$1][r][c] } / n - mean[r] * mean[c]
        }
        matrix[r][r] += settings.epsilon
        matrix[r][3] = at.reduce(0) { $0 + guide[$1][r] * p[$1] } / n - mean[r] * mp
      }
      let slopes = solve(matrix)
      let around = window(i % w, i / w, 2 * settings.radius)
      let weight = around.reduce(0) { $0 + background[$1] } + 1e-3
      let middle = (0..<3).map { c in around.reduce(0) { $0 + background[$1] * guide[$1][c] } / weight }
      var printed = 0.0
      for (r, c) in product(0..<3, 0..<3) {
        let product = around.reduce(0) { $0 + background[$1] * products[$1][r][c] } / weight
        printed += slopes[r] * slopes[c] * (product - middle[r] * middle[c])
      }
      let excess = max(0, printed) / (settings.textureTolerance * settings.textureTolerance)
      let trust = settings.strength / (1 + excess * excess)
      let a = slopes.map { $0 * trust }
      return a + [mp * trust - (0..<3).reduce(0) { $0 + a[$1] * mean[$1] }, trust]
    }
    let means = (0..<w * h).map { i -> [Double] in
      let at = window(i % w, i / w, settings.radius)
      let mean = (0..<5).map { q in at.reduce(0) { $0 + found[$1][q] } / Double(at.count) }
      return mean[0..<3] + [mean[3] + (1 - mean[4]) * min(max((p[i] - 0.5) * settings.ownSlope + 0.5, 0), 1)]
    }
    return (0..<image.width * image.height).map { i in
      let (x, y) = (i % image.width, i / image.width)
      let (left, right, across) = neighbours(x, w, image.width)
      let (top, bottom, down) = neighbours(y, h, image.height)
      let weights = (0..<4).map { q -> Double in
        let a = means[top * w + left][q] * (1 - across) + means[top * w + right][q] * across
        let b = means[bottom * w + left][q] * (1 - across) + means[bottom * w + right][q] * across
        return a + (b - a) * down
      }
      let pixel = color(image, x, y)
      let sum = weights[3] + (0..<3).reduce(0) { $0 + weights[$1] * pixel[$1] }
      return min(max((sum - settings.threshold) * settings.sharpness + 0.5, 0), 1)
    }
  }

  /// Covariances of the colours of eight of a sample's pixels, in different rows and columns.
  private static func covarianceWithin(_ image: Image, _ x: Int, _ y: Int, _ w: Int, _ h: Int) -> [[Double]] {
    let columns: [Float] = [0, 4, 2, 6, 1, 5, 3, 7]
    let (across, down) = (Float(image.width) / Float(w), Float(image.height) / Float(h))
    let taps = (0..<8).map { tap -> [Double] in
      let (column, row) = (Float(x) + (columns[tap] + 0.5) / 8, Float(y) + (Float(tap) + 0.5) / 8)
      return color(image, min(Int(column * across), image.width - 1), min(Int(row * down), image.height - 1))
    }
    func mean(_ value: ([Double]) -> Double) -> Double { taps.reduce(0) { $0 + value($1) } / 8 }
    return (0..<3).map { r in
      (0..<3).map { c -> Double in
        let (first, second) = (mean { $0[r] }, mean { $0[c] })
        return mean { $0[r] * $0[c] } - first * second
      }
    }
  }

  private static func neighbours(_ x: Int, _ from: Int, _ to: Int) -> (Int, Int, Double) {
    let position = max(0, (Double(x) + 0.5) * Double(from) / Double(to) - 0.5)
    let left = min(Int(position), from - 1)
    return (left, min(left + 1, from - 1), position - Double(left))
  }

  private static func color(_ image: Image, _ x: Int, _ y: Int) -> [Double] {
    let bytes: [UInt8] =
      switch image.format {
      case .i420: [image.row(y)[x], image.row(y / 2, plane: 1)[x / 2], image.row(y / 2, plane: 2)[x / 2]]
      case .nv12:
        [image.row(y)[x], image.row(y / 2, plane: 1)[x / 2 * 2], image.row(y / 2, plane: 1)[x / 2 * 2 + 1]]
      case .rgb8: (0..<3).map { image.row(y)[3 * x + $0] }
      default: (0..<3).map { image.row(y)[4 * x + $0] }
      }
    return bytes.map { Double($0) / 255 }
  }

  /// Gaussian elimination with pivots.
  private static func solve(_ system: [[Double]]) -> [Double] {
    var m = system
    for k in 0..<3 {
      let best = (k..<3).max { abs(m[$0][k]) < abs(m[$1][k]) }!
      m.swapAt(k, best)
      for r in 0..<3 where r != k {
        let f = m[r][k] / m[k][k]
        for c in k..<4 { m[r][c] -= f * m[k][c] }
      }
    }
    return (0..<3).map { m[$0][3] / m[$0][$0] }
  }
}
