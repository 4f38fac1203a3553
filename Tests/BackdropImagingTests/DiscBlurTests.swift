import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct DiscBlurTests {
  /// A disc drawn sample by sample, with the exact area at its rim: the half chord of a row is the mean of a thousand steps over the row's
  /// height. Light is the square of a sample.
  static func oracle(_ image: Image, radius: Double, channel: Int, step: Int) -> [Double] {
    let reach = Int((radius + 0.5).rounded(.up))
    var weights: [(Int, Int, Double)] = []
    for dy in -reach...reach {
      let half =
        (0..<1000).reduce(0.0) {
          let y = Double(dy) - 0.5 + (Double($1) + 0.5) / 1000
          return $0 + max(0, radius * radius - y * y).squareRoot()
        } / 1000
      for dx in -reach...reach {
        // The part of the column that the chord covers.
        let covered = min(max(min(half, Double(dx) + 0.5) - max(-half, Double(dx) - 0.5), 0), 1)
        if covered > 0 { weights.append((dx, dy, covered)) }
      }
    }
    let total = weights.reduce(0) { $0 + $1.2 }
    var result: [Double] = []
    for (y, x) in product(0..<image.height, 0..<image.width) {
      let sum = weights.reduce(0.0) {
        let row = image.row(min(max(y + $1.1, 0), image.height - 1))
        let sample = Double(row[min(max(x + $1.0, 0), image.width - 1) * step + channel])
        return $0 + $1.2 * sample * sample
      }
      result.append((sum / total).squareRoot())
    }
    return result
  }

  /// Blurring in bands of rows, each with only its surroundings, gives the same result as blurring the whole picture.
  @Test(arguments: [PixelFormat.rgb8, .bgra8], [0.5, 2.3, 7.9, 8, 15, 16.5, 40])
  func bandsEqualTheWhole(format: PixelFormat, radius: Double) throws {
    var random = SeededRandom(seed: 8)
    for height in [1, 90, 333, 512, 701] {
      let image = Image.noise(format, 37, height, &random)
      let blur = DiscBlur(workers: WorkerPool(threads: 2))
      var (whole, banded) = (image, image)
      try blur.blur(&whole, radius: radius)
      try blur.blurInBands(&banded, radius: radius, bandBytes: 1)
      // Sums of light are integers; only the positions between two samples depend on the row's number.
      let differences = zip(whole.packedBytes, banded.packedBytes).map { abs(Int($0) - Int($1)) }
      #expect(differences.max() ?? 0 <= 1, "height \(height)")
      #expect(differences.count { $0 != 0 } * 200 <= differences.count, "height \(height)")
    }
  }

  @Test(arguments: CPULevel.supported)
  func agreesWithTheOracle(_ cpu: CPULevel) throws {
    for (seed, size) in [(1, 1), (2, 5), (16, 3), (17, 16), (45, 31)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      for (format, step) in [(PixelFormat.bgra8, 4), (.rgb8, 3)] {
        let image = Image.noise(format, size.0, size.1, &random)
        for radius in [0.5, 1, 2.3, 5, 7.9] {
          var output = Image(.gray8, width: 1, height: 1)
          try DiscBlur(workers: WorkerPool(threads: 1 + seed % 3), cpu: cpu).blur(image, radius: radius, into: &output)
          for channel in 0..<3 {
            let wanted = Self.oracle(image, radius: radius, channel: channel, step: step)
            // Half a level for rounding; the chords of the oracle are good to four digits.
            for i in wanted.indices {
              let got = output.row(i / size.0)[i % size.0 * step + channel]
              #expect(abs(Double(got) - wanted[i]) < 0.6, "seed \(seed) \(size) radius \(radius) \(format) on \(cpu)")
            }
          }
        }
      }
    }
  }

  /// With a large radius, the blur works on a shrunk picture; a bright spot must become a disc of the right size and light.
  @Test(arguments: CPULevel.supported, [13.0, 30, 60])
  func spreadsALampEvenly(_ cpu: CPULevel, radius: Double) throws {
    let side = 4 * Int(radius) + 1
    var image = Image(.rgb8, width: side, height: side)
    image.fill(.black)
    for y in side / 2 - 2...side / 2 + 2 {
      var row = image.mutableRow(y)
      for x in 3 * (side / 2 - 2)..<3 * (side / 2 + 3) { row[x] = 255 }
    }
    var output = Image(.gray8, width: 1, height: 1)
    try DiscBlur(workers: WorkerPool(threads: 2), cpu: cpu).blur(image, radius: radius, into: &output)
    var light = 0.0
    for (y, x) in product(0..<side, 0..<side) {
      let value = Double(output.row(y)[3 * x])
      light += value * value
      let away = hypot(Double(x - side / 2), Double(y - side / 2))
      // 25 white pixels spread over the disc's area; the spot's width and the shrinking soften the rim.
      let inside = 255 * (25 / (Double.pi * radius * radius)).squareRoot()
      if away < radius * 0.7 { #expect(abs(value - inside) < 0.1 * inside + 1, "\(x) \(y)") }
      if away > radius * 1.3 + 4 { #expect(value == 0, "\(x) \(y)") }
    }
    #expect(abs(light / (25 * 255 * 255) - 1) < 0.1)
  }

  @Test(arguments: DiscBlur.formats, [1.0, 8, 12, 25, 200])
  func keepsAConstant(_ format: PixelFormat, radius: Double) throws {
    var image = Image(format, width: 75, height: 43)
    image.fill(RGBColor(red: 0.5, green: 0.2, blue: 0.35))
    var output = Image(.gray8, width: 1, height: 1)
    try DiscBlur(workers: WorkerPool(threads: 2)).blur(image, radius: radius, into: &output)
    let worst = zip(output.packedBytes, image.packedBytes).map { abs(Int($0) - Int($1)) }.max()
    #expect(worst! <= (format.isYUV ? 1 : 0))
  }

  /// Y′CbCr gives the same result as R′G′B′, as far as halved chroma allows.
  @Test(arguments: [PixelFormat.i420, .nv12], [4.0, 15, 40])
  func isTheSameInEveryFormat(_ format: PixelFormat, radius: Double) throws {
    var image = Image(.bgra8, width: 120, height: 90)
    for y in 0..<90 {
      var row = image.mutableRow(y)
      for x in 0..<120 {
        row[4 * x] = UInt8(128 + 60 * sin(Double(x) * 0.1))
        row[4 * x + 1] = UInt8(128 + 60 * cos(Double(y) * 0.07))
        row[4 * x + 2] = UInt8(128 + 50 * sin(Double(x + y) * 0.05))
        row[4 * x + 3] = 255
      }
    }
    let blur = DiscBlur(workers: WorkerPool(threads: 1))
    var wanted = Image(.gray8, width: 1, height: 1)
    try blur.blur(image, radius: radius, into: &wanted)
    var output = Image(.gray8, width: 1, height: 1)
    try blur.blur(image.converted(to: format, color: .jpeg), radius: radius, into: &output)
    let back = output.converted(to: .bgra8, color: .jpeg)
    let worst = zip(back.packedBytes, wanted.packedBytes).map { abs(Int($0) - Int($1)) }.max()
    #expect(worst! <= 5)
  }

  @Test func refusesWhatIsOutOfRange() {
    let blur = DiscBlur(workers: WorkerPool(threads: 1))
    var output = Image(.gray8, width: 1, height: 1)
    for radius in [0, -1, 0.4, 200.5, .nan, .infinity] {
      #expect(throws: BackdropError.self) {
        try blur.blur(Image(.bgra8, width: 4, height: 4), radius: radius, into: &output)
      }
    }
    #expect(throws: BackdropError.self) { try blur.blur(Image(.gray8, width: 4, height: 4), radius: 2, into: &output) }
  }

  /// The result is the same in the picture's own memory, also for a Gaussian.
  @Test(arguments: [(3, PixelFormat.rgb8), (9.5, .rgb8), (30, .bgra8), (9.5, .nv12)])
  func worksInPlace(radius: Double, format: PixelFormat) throws {
    var random = SeededRandom(seed: 3)
    let image = Image.noise(format, 75, 58, &random)
    let blur = DiscBlur(workers: WorkerPool(threads: 2))
    var wanted = Image(.gray8, width: 1, height: 1)
    try blur.blur(image, radius: radius, into: &wanted)
    var output = image
    try blur.blur(&output, radius: radius)
    #expect(output.packedBytes == wanted.packedBytes)
    output = image
    try output.blur(sigma: radius, workspace: BlurWorkspace())
    #expect(try output.packedBytes == image.blurred(sigma: radius).packedBytes)
  }
}
