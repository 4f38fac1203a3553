import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct LensBlurTests {
  /// IEC 61966-2-1.
  static func light(_ byte: UInt8) -> Double {
    let v = Double(byte) / 255
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
  }

  static func byte(_ light: Double) -> Double {
    255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// Weights of a disc or an upright square around a pixel, with the exact area in each row.
  static func weights(_ aperture: Aperture, radius: Double) -> [(x: Int, y: Int, weight: Double)] {
    let reach = Int((radius + 0.5).rounded(.up))
    var weights: [(Int, Int, Double)] = []
    for dy in -reach...reach {
      let half =
        (0..<1000).reduce(0.0) {
          let y = Double(dy) - 0.5 + (Double($1) + 0.5) / 1000
          let side = radius / 2.0.squareRoot()
          return $0 + (aperture == .disc ? max(0, radius * radius - y * y).squareRoot() : abs(y) < side ? side : 0)
        } / 1000
      for dx in -reach...reach {
        let covered = min(max(min(half, Double(dx) + 0.5) - max(-half, Double(dx) - 0.5), 0), 1)
        if covered > 0 { weights.append((dx, dy, covered)) }
      }
    }
    return weights
  }

  /// If a picture is equally out of focus everywhere, the aperture spreads the light of each pixel.
  @Test(arguments: CPULevel.supported, [Aperture.disc, .polygon(blades: 4, rotation: 45)])
  func agreesWithTheOracle(_ cpu: CPULevel, _ aperture: Aperture) throws {
    for (seed, size) in [(1, 1), (2, 5), (16, 3), (17, 16), (45, 31)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      for (format, step) in [(PixelFormat.bgra8, 4), (.rgb8, 3)] {
        let image = Image.noise(format, size.0, size.1, &random)
        for (radius, value) in [(2.6, Float(1)), (5, -1), (12.3, 1)] {
          var output = Image(.gray8, width: 1, height: 1)
          try LensBlur(workers: WorkerPool(threads: 1 + seed % 3), cpu: cpu).blur(
            image, defocus: Plane(repeating: value, width: 3, height: 2), radius: radius, aperture: aperture,
            into: &output)
          let weights = Self.weights(aperture, radius: radius)
          let total = weights.reduce(0) { $0 + $1.weight }
          for (y, x) in product(0..<size.1, 0..<size.0) {
            for c in 0..<3 {
              let sum = weights.reduce(0.0) {
                let row = image.row(min(max(y + $1.y, 0), size.1 - 1))
                return $0 + $1.weight * Self.light(row[min(max(x + $1.x, 0), size.0 - 1) * step + c])
              }
              let got = Double(output.row(y)[x * step + c])
              // Half a level for rounding; the chords of the oracle are good to three digits.
              #expect(
                abs(got - Self.byte(sum / total)) < 0.75,
                "seed \(seed) \(size) radius \(radius) \(format) \(x) \(y) on \(cpu)")
            }
            if step == 4 { #expect(output.row(y)[4 * x + 3] == image.row(y)[4 * x + 3]) }
          }
        }
      }
    }
  }

  @Test(arguments: LensBlur.formats, [0.0, 0.5, 1])
  func keepsAConstant(_ format: PixelFormat, bloom: Double) throws {
    var random = SeededRandom(seed: 7)
    var defocus = Plane<Float>(width: 23, height: 19) { x, _ in
      x < 8 ? 0 : Float.random(in: -1.2...1.2, using: &random)
    }
    defocus[3, 3] = .nan
    defocus[20, 3] = .infinity
    for value in [0.0, 0.4, 0.9] {
      var image = Image(format, width: 75, height: 43)
      image.fill(RGBColor(red: value, green: value / 2, blue: 1 - value))
      var output = Image(.gray8, width: 1, height: 1)
      for radius in [3.0, 20] {
        try LensBlur(workers: WorkerPool(threads: 2)).blur(
          image, defocus: defocus, radius: radius, bloom: bloom, into: &output)
        let worst = zip(output.packedBytes, image.packedBytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(worst <= 1, "value \(value) radius \(radius)")
      }
    }
  }

  @Test func copiesWhatIsInFocus() throws {
    var random = SeededRandom(seed: 1)
    let image = Image.noise(.rgb8, 40, 30, &random)
    var output = Image(.gray8, width: 1, height: 1)
    try LensBlur(workers: WorkerPool(threads: 1)).blur(
      image, defocus: Plane(repeating: 0, width: 4, height: 3), radius: 30, into: &output)
    #expect(output.packedBytes == image.packedBytes)
  }

  /// A red square in focus in front of a grey wall out of focus has no red glow.
  @Test(arguments: CPULevel.supported, [6.0, 20, 40])
  func doesNotLetTheForegroundGlow(_ cpu: CPULevel, radius: Double) throws {
    func isRed(_ x: Int, _ y: Int) -> Bool { (60..<140).contains(x) && (50..<110).contains(y) }
    let image = Image.drawn(.rgb8, 200, 160) { x, y in isRed(x, y) ? [255, 20, 20] : [90, 90, 90] }
    let defocus = Plane<Float>(width: 200, height: 160) { x, y in isRed(x, y) ? 0 : 1 }
    var output = image
    try LensBlur(workers: WorkerPool(threads: 2), cpu: cpu).blur(image, defocus: defocus, radius: radius, into: &output)
    for (y, x) in product(0..<160, 0..<200) {
      let away = max(60 - x, x - 139, 50 - y, y - 109)
      let pixel = (0..<3).map { Int(output.row(y)[3 * x + $0]) }
      if away > 3 { #expect(pixel.allSatisfy { abs($0 - 90) <= 3 }, "\(x) \(y) \(pixel)") }
      if away < -3 { #expect(pixel[0] > 240 && pixel[1] < 40, "\(x) \(y) \(pixel)") }
    }
  }

  /// A red square in front of the focus overlaps the focused area softly, also outside its edges.
  @Test func laysTheForegroundOverTheRest() throws {
    func isRed(_ x: Int, _ y: Int) -> Bool { (40..<120).contains(x) && (30..<90).contains(y) }
    let image = Image.drawn(.rgb8, 160, 120) { x, y in isRed(x, y) ? [255, 0, 0] : [90, 90, 90] }
    let defocus = Plane<Float>(width: 160, height: 120) { x, y in isRed(x, y) ? -1 : 0 }
    var output = image
    try LensBlur(workers: WorkerPool(threads: 2)).blur(image, defocus: defocus, radius: 12, into: &output)
    let row = output.row(60)
    #expect(row[3 * 80] >= 254 && row[3 * 80 + 1] <= 1)
    // The straight edge of a disc: half at the edge, and a part outside.
    #expect(row[3 * 34] > 110 && row[3 * 34 + 1] < 88 && row[3 * 34 + 1] > 60)
    #expect(row[3 * 46 + 1] > 20)
    #expect(row[3 * 20] == 90 && row[3 * 20 + 1] == 90)
  }

  /// A bright spot takes the aperture's shape and keeps all its light, or gains some with bloom.
  @Test(arguments: [Aperture.disc, .polygon(blades: 6, rotation: 10)], [0.0, 1])
  func spreadsALamp(_ aperture: Aperture, bloom: Double) throws {
    let side = 121
    var image = Image(.rgb8, width: side, height: side)
    image.fill(.black)
    for y in 59...61 {
      var row = image.mutableRow(y)
      for x in 3 * 59..<3 * 62 { row[x] = 255 }
    }
    var output = image
    try LensBlur(workers: WorkerPool(threads: 2)).blur(
      image, defocus: Plane(repeating: 1, width: 5, height: 5), radius: 15, aperture: aperture, bloom: bloom,
      into: &output)
    var sum = 0.0
    for y in 0..<side { for x in 0..<side { sum += Self.light(output.row(y)[3 * x]) } }
    let wanted = bloom == 0 ? 9.0 : 9 * 16
    #expect(abs(sum / wanted - 1) < 0.08, "\(sum)")
    #expect(output.row(60)[3 * 40] == 0 && output.row(60)[3 * 60] > 0)
  }

  @Test func refusesWhatIsOutOfRange() {
    let blur = LensBlur(workers: WorkerPool(threads: 1))
    let image = Image(.bgra8, width: 4, height: 4)
    let defocus = Plane<Float>(repeating: 1, width: 2, height: 2)
    func fails(
      _ image: Image, _ defocus: Plane<Float>, radius: Double = 5, aperture: Aperture = .disc, bloom: Double = 0
    ) {
      var output = Image(.gray8, width: 1, height: 1)
      #expect(throws: BackdropError.self) {
        try blur.blur(image, defocus: defocus, radius: radius, aperture: aperture, bloom: bloom, into: &output)
      }
    }
    for radius in [0, -1, 0.4, 401, .nan, .infinity] { fails(image, defocus, radius: radius) }
    for bloom in [-0.1, 1.1, .nan] { fails(image, defocus, bloom: bloom) }
    fails(image, defocus, aperture: .polygon(blades: 2, rotation: 0))
    fails(image, defocus, aperture: .polygon(blades: 6, rotation: .nan))
    fails(Image(.gray8, width: 4, height: 4), defocus)
    fails(image, Plane(uninitializedWidth: 0, height: 0))
  }
}
