import BackdropImaging
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct ViewSynthesizerTests {
  @Test(arguments: ViewSynthesizer.formats)
  func aMoveOfNothingIsThePicture(_ format: PixelFormat) throws {
    var random = SeededRandom(seed: 4)
    let image = Image.noise(format, 65, 41, &random)
    var disparity = Plane<Float>(repeating: 0.2, width: 30, height: 20)
    for y in 5..<15 { for x in 8..<20 { disparity[x, y] = 0.9 } }
    let views = ViewSynthesizer(workers: WorkerPool(threads: 2))
    try views.prepare(image, disparity: disparity)
    var output = Image(.gray8, width: 1, height: 1)
    try views.render(x: 0, y: 0, zeroPlane: 0.5, into: &output)
    #expect(output.packedBytes == image.packedBytes)
    // A movement does not change content in the zero plane either.
    try views.prepare(image, disparity: Plane(repeating: 0.5, width: 3, height: 3))
    try views.render(x: 0.03, y: -0.02, zeroPlane: 0.5, into: &output)
    #expect(output.packedBytes == image.packedBytes)
  }

  /// A flat scene moves as a whole, by whole pixels and by fractions.
  @Test(arguments: CPULevel.supported)
  func movesAFlatSceneAsAWhole(_ cpu: CPULevel) throws {
    for (seed, size) in [(1, 1), (7, 3), (64, 9), (129, 70)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      for (format, step) in [(PixelFormat.rgb8, 3), (.rgba8, 4)] {
        let image = Image.noise(format, size.0, size.1, &random)
        let views = ViewSynthesizer(workers: WorkerPool(threads: 1 + seed % 2), cpu: cpu)
        try views.prepare(image, disparity: Plane(repeating: 1, width: 4, height: 4))
        for (dx, dy) in [(3.0, 0.0), (-2, 1), (0.25, -1.5)]
        where abs(dx) / Double(size.0) <= 0.1 && abs(dy) / Double(size.0) <= 0.1 {
          var output = Image(.gray8, width: 1, height: 1)
          try views.render(x: dx / Double(size.0), y: dy / Double(size.0), zeroPlane: 0, into: &output)
          for (y, x) in product(0..<size.1, 0..<size.0) {
            let u = min(max(Double(x) - dx, 0), Double(size.0 - 1)),
              v = min(max(Double(y) - dy, 0), Double(size.1 - 1))
            let (left, top) = (Int(u), Int(v))
            let (right, bottom) = (min(left + 1, size.0 - 1), min(top + 1, size.1 - 1))
            for c in 0..<step {
              func at(_ x: Int, _ y: Int) -> Double { Double(image.row(y)[step * x + c]) }
              let a = at(left, top) + (at(right, top) - at(left, top)) * (u - Double(left))
              let b = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * (u - Double(left))
              let wanted = a + (b - a) * (v - Double(top))
              // Positions in 1/256 of a pixel change noise by at most two levels.
              #expect(
                abs(Double(output.row(y)[step * x + c]) - wanted) <= 2.5,
                "seed \(seed) \(x) \(y) by \(dx) \(dy) on \(cpu)")
            }
          }
        }
      }
    }
  }

  /// A red square in front of a striped wall moves, the wall stays, and no red remains where the wall becomes visible.
  @Test(arguments: CPULevel.supported, [0.03, -0.03])
  func bringsTheFartherSideIntoSight(_ cpu: CPULevel, move: Double) throws {
    let (w, h) = (320, 180)
    func isRed(_ x: Int, _ y: Int) -> Bool { (120..<200).contains(x) && (50..<130).contains(y) }
    let image = Image.drawn(.rgb8, w, h) { x, y in
      let grey = y / 6 % 2 == 0 ? 70 : 130
      return isRed(x, y) ? [250, 10, 10] : [grey, grey, grey]
    }
    let disparity = Plane<Float>(width: w, height: h) { x, y in isRed(x, y) ? 1 : 0 }
    let views = ViewSynthesizer(workers: WorkerPool(threads: 2), cpu: cpu)
    try views.prepare(image, disparity: disparity)
    var output = image
    try views.render(x: move, y: 0, zeroPlane: 0, into: &output)
    let shift = Int((move * Double(w)).rounded())
    for (y, x) in product(0..<h, 0..<w) {
      let away = max(120 + shift - x, x - 199 - shift, 50 - y, y - 129)
      let pixel = (0..<3).map { Int(output.row(y)[3 * x + $0]) }
      if away > 3 { #expect(pixel[0] - pixel[1] < 12, "\(x) \(y) \(pixel)") }
      if away < -3 { #expect(pixel[0] > 235 && pixel[1] < 25, "\(x) \(y) \(pixel)") }
    }
  }

  @Test func takesHolesInDepth() throws {
    var random = SeededRandom(seed: 2)
    let image = Image.noise(.rgb8, 50, 40, &random)
    var disparity = Plane<Float>(repeating: .nan, width: 20, height: 20)
    let views = ViewSynthesizer(workers: WorkerPool(threads: 1))
    var output = image
    try views.prepare(image, disparity: disparity)
    try views.render(x: 0.02, y: 0, zeroPlane: 0.5, into: &output)
    for i in 0..<20 { (disparity[i, 3], disparity[i, 9]) = (.infinity, -.infinity) }
    try views.prepare(image, disparity: disparity)
    try views.render(x: 0.02, y: 0.02, zeroPlane: 0.5, into: &output)
    #expect(output.width == 50 && output.height == 40)
  }

  @Test func refusesWhatIsOutOfRange() throws {
    let views = ViewSynthesizer(workers: WorkerPool(threads: 1))
    var output = Image(.gray8, width: 1, height: 1)
    #expect(throws: BackdropError.self) { try views.render(x: 0, y: 0, zeroPlane: 0, into: &output) }
    let image = Image(.bgra8, width: 4, height: 4)
    #expect(throws: BackdropError.self) {
      try views.prepare(image, disparity: Plane(uninitializedWidth: 0, height: 0))
    }
    #expect(throws: BackdropError.self) {
      try views.prepare(Image(.gray8, width: 4, height: 4), disparity: Plane(repeating: 1, width: 2, height: 2))
    }
    try views.prepare(image, disparity: Plane(repeating: 1, width: 2, height: 2))
    for bad in [(0.2, 0, 0), (0, -0.2, 0), (.nan, 0, 0), (0, 0, 1.1), (0, 0, .nan)] as [(Double, Double, Double)] {
      #expect(throws: BackdropError.self) { try views.render(x: bad.0, y: bad.1, zeroPlane: bad.2, into: &output) }
    }
  }
}
