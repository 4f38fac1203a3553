import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct DiscMeanTests {
  /// The sum over all pixels whose centres lie within the radius, in integers, rounded half up.
  static func oracle(_ image: Image, radius: Int, channels: Int) -> [UInt8] {
    var offsets: [(x: Int, y: Int)] = []
    for y in -radius...radius {
      for x in -radius...radius where x * x + y * y <= radius * radius { offsets.append((x, y)) }
    }
    var result: [UInt8] = []
    for y in 0..<image.height {
      for x in 0..<image.width {
        for c in 0..<channels {
          let sum = offsets.reduce(0) {
            let row = image.row(min(max(y + $1.y, 0), image.height - 1))
            return $0 + Int(row[min(max(x + $1.x, 0), image.width - 1) * channels + c])
          }
          result.append(UInt8((2 * sum + offsets.count) / (2 * offsets.count)))
        }
      }
    }
    return result
  }

  @Test(arguments: CPULevel.supported, [(PixelFormat.gray8, 1), (.rgb8, 3), (.bgra8, 4)])
  func agreesWithTheOracle(_ cpu: CPULevel, _ format: (PixelFormat, Int)) throws {
    for (seed, size) in [(1, 1), (2, 5), (16, 3), (17, 16), (45, 31), (9, 64)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let image = Image.noise(format.0, size.0, size.1, &random)
      for radius in [1, 2, 5, 20] {
        let blur = DiscMean(workers: WorkerPool(threads: 1 + seed % 3), cpu: cpu)
        var output = Image(.gray8, width: 1, height: 1)
        try blur.blur(image, radius: radius, into: &output)
        #expect(
          output.packedBytes == Self.oracle(image, radius: radius, channels: format.1),
          "seed \(seed) \(size) radius \(radius) on \(cpu)")
      }
    }
  }

  /// The largest possible sums: nothing overflows, and quotients stay exact.
  @Test(arguments: CPULevel.supported, [UInt8(0), 1, 254, 255])
  func keepsAConstant(_ cpu: CPULevel, value: UInt8) throws {
    var image = Image(.rgb8, width: 90, height: 100)
    for y in 0..<100 {
      var row = image.mutableRow(y)
      for x in row.indices { row[x] = value }
    }
    for radius in DiscMean.radii {
      var output = image
      try DiscMean(workers: WorkerPool(threads: 2), cpu: cpu).blur(image, radius: radius, into: &output)
      #expect(output.packedBytes.allSatisfy { $0 == value }, "radius \(radius)")
    }
  }

  /// Means at and near a half, with the largest disc.
  @Test func roundsHalvesUp() throws {
    let radius = DiscMean.radii.upperBound
    var count = 0
    for y in -radius...radius { for x in -radius...radius where x * x + y * y <= radius * radius { count += 1 } }
    let side = 2 * radius + 1
    for base in [0, 127, 253] {
      for above in [count / 2 - 1, count / 2, count / 2 + 1] {
        var (image, left) = (Image(.gray8, width: side, height: side), above)
        for y in 0..<side {
          var row = image.mutableRow(y)
          for x in 0..<side {
            let (dx, dy) = (x - radius, y - radius)
            let isIn = dx * dx + dy * dy <= radius * radius && left > 0
            row[x] = UInt8(isIn ? base + 1 : base)
            if isIn { left -= 1 }
          }
        }
        var output = image
        try DiscMean(workers: WorkerPool(threads: 1)).blur(image, radius: radius, into: &output)
        let wanted = (2 * (base * count + above) + count) / (2 * count)
        #expect(Int(output.row(radius)[radius]) == wanted, "\(base) and \(above) of \(count)")
      }
    }
  }

  @Test func refusesWhatItCannotDo() {
    var output = Image(.gray8, width: 1, height: 1)
    let blur = DiscMean(workers: WorkerPool(threads: 1))
    for radius in [0, -1, 41] {
      #expect(throws: BackdropError.self) {
        try blur.blur(Image(.rgb8, width: 4, height: 4), radius: radius, into: &output)
      }
    }
    #expect(throws: BackdropError.self) {
      try blur.blur(Image(.i420, width: 4, height: 4), radius: 2, into: &output)
    }
  }
}
