import BackdropDepth
import BackdropImaging
import CAllocationCounter
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct VariableBlurTests {
  /// A Gaussian summed sample by sample at full size, in Double, cut off at 6 sigma, with edges replicated.
  static func gaussian(_ samples: [Double], _ width: Int, _ height: Int, sigma: Double) -> [Double] {
    guard sigma > 0.05 else { return samples }
    let reach = Int((6 * sigma).rounded(.up))
    let taps = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = taps.reduce(0, +)
    func pass(_ source: [Double], _ index: (Int, Int) -> Int, _ count: Int, _ lines: Int) -> [Double] {
      var result = source
      for (line, i) in product(0..<lines, 0..<count) {
        var value = 0.0
        for (k, tap) in taps.enumerated() {
          value += tap * source[index(line, min(max(i + k - reach, 0), count - 1))]
        }
        result[index(line, i)] = value / sum
      }
      return result
    }
    let across = pass(samples, { $0 * width + $1 }, width, height)
    return pass(across, { $1 * width + $0 }, height, width)
  }

  /// Mixes the picture and its Gaussians of a third, two thirds and the whole sigma linearly, by the mask at the picture's size.
  static func oracle(_ samples: [Double], _ width: Int, _ height: Int, mask: [Double], sigma: Double) -> [Double] {
    var result = samples
    for level in 1...3 {
      let blurred = gaussian(samples, width, height, sigma: sigma * Double(level) / 3)
      for i in result.indices {
        result[i] += min(max(3 * mask[i] - Double(level - 1), 0), 1) * (blurred[i] - result[i])
      }
    }
    return result
  }

  static func mask(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Plane<UInt16> {
    // Runs of 0 and 1 between random values, so that whole blocks of each kind occur.
    return Plane(width: width, height: height) { x, y in
      let kind = (x / 3 + 2 * (y / 3)) % 5
      return kind < 2 ? 0 : kind == 2 ? 32768 : UInt16.random(in: 0...32768, using: &random)
    }
  }

  static func planes(_ image: Image) -> [(plane: Int, step: Int, offset: Int, width: Int, height: Int)] {
    let (w, h) = (image.width, image.height), half = ((w + 1) / 2, (h + 1) / 2)
    switch image.format {
    case .i420: return [(0, 1, 0, w, h), (1, 1, 0, half.0, half.1), (2, 1, 0, half.0, half.1)]
    case .nv12: return [(0, 1, 0, w, h), (1, 2, 0, half.0, half.1), (1, 2, 1, half.0, half.1)]
    case .gray8: return [(0, 1, 0, w, h)]
    default:
      let step = image.format == .rgb8 ? 3 : 4
      return (0..<3).map { (0, step, $0, w, h) }
    }
  }

  @Test(arguments: CPULevel.supported, VariableBlur.formats)
  func agreesWithTheOracle(_ cpu: CPULevel, _ format: PixelFormat) throws {
    let cases = [(1, 1, 3.0), (2, 5, 0.4), (31, 9, 2), (33, 40, 7.5), (97, 65, 15), (130, 71, 33), (64, 23, 120)]
    for (seed, size) in cases.enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let image = Image.noise(format, size.0, size.1, &random)
      let mask = Self.mask(max(1, size.0 / 3), max(1, size.1 / 2), &random)
      var output = Image(.gray8, width: 1, height: 1)
      try VariableBlur(workers: WorkerPool(threads: 1 + seed % 3), cpu: cpu)
        .blur(image, mask: mask, sigma: size.2, into: &output)
      for part in Self.planes(image) {
        var samples: [Double] = []
        for y in 0..<part.height {
          let row = image.row(y, plane: part.plane)
          for x in 0..<part.width { samples.append(Double(row[x * part.step + part.offset])) }
        }
        let scaled = Matte(q15: mask).scaled(toWidth: part.width, height: part.height).q15.samples.map {
          Double($0) / 32768
        }
        let wanted = Self.oracle(
          samples, part.width, part.height, mask: scaled, sigma: part.plane > 0 ? size.2 / 2 : size.2)
        // Half a level for rounding. The rest is for weights in Q15, samples in Q7 and the B-spline instead of the Gaussian; noise is the
        // worst case.
        for i in wanted.indices {
          let got = output.row(i / part.width, plane: part.plane)[i % part.width * part.step + part.offset]
          #expect(
            abs(Double(got) - wanted[i]) < 0.9,
            "seed \(seed) \(size) plane \(part.plane) sample \(i) of \(format) on \(cpu): \(got), wanted \(wanted[i])")
        }
      }
      if format.hasAlpha {
        for y in 0..<size.1 { for x in 0..<size.0 { #expect(output.row(y)[4 * x + 3] == image.row(y)[4 * x + 3]) } }
      }
    }
  }

  @Test(arguments: VariableBlur.formats, [0.7, 4, 15, 60, 256])
  func keepsAConstant(_ format: PixelFormat, sigma: Double) throws {
    var random = SeededRandom(seed: 5)
    let mask = Self.mask(31, 17, &random)
    for value in [0.0, 0.37, 1] {
      var image = Image(format, width: 75, height: 43)
      image.fill(RGBColor(red: value, green: value / 2, blue: 1 - value))
      var output = Image(.gray8, width: 1, height: 1)
      try VariableBlur(workers: WorkerPool(threads: 2)).blur(image, mask: mask, sigma: sigma, into: &output)
      #expect(output.packedBytes == image.packedBytes)
    }
  }

  /// Areas that the mask leaves sharp are copied; if the mask has no others, the result is the picture itself.
  @Test(arguments: CPULevel.supported)
  func copiesWhatIsSharp(_ cpu: CPULevel) throws {
    var random = SeededRandom(seed: 9)
    let image = Image.noise(.rgb8, 161, 90, &random)
    var mask = Plane<UInt16>(repeating: 0, width: 161, height: 90)
    let blur = VariableBlur(workers: WorkerPool(threads: 2), cpu: cpu)
    var output = Image(.gray8, width: 1, height: 1)
    try blur.blur(image, mask: mask, sigma: 12, into: &output)
    #expect(output.packedBytes == image.packedBytes)
    for y in 40..<60 { for x in 70..<80 { mask[x, y] = 32768 } }
    try blur.blur(image, mask: mask, sigma: 12, into: &output)
    for (y, x) in product(0..<90, 0..<161) where mask[x, y] == 0 {
      for c in 0..<3 { #expect(output.row(y)[3 * x + c] == image.row(y)[3 * x + c]) }
    }
  }

  @Test(.enabled(if: bd_allocation_count() >= 0, "needs glibc"))
  func allocatesNothingTheSecondTime() throws {
    var random = SeededRandom(seed: 3)
    let image = Image.noise(.bgra8, 200, 100, &random)
    let mask = Self.mask(50, 25, &random)
    let blur = VariableBlur(workers: WorkerPool(threads: 1))
    var output = image
    try blur.blur(image, mask: mask, sigma: 15, into: &output)
    let before = bd_allocation_count()
    try blur.blur(image, mask: mask, sigma: 15, into: &output)
    // Only small arrays of row ranges.
    #expect(bd_allocation_count() - before <= 16)
  }

  @Test func refusesWhatIsOutOfRange() {
    let blur = VariableBlur(workers: WorkerPool(threads: 1))
    var output = Image(.gray8, width: 1, height: 1)
    let image = Image(.bgra8, width: 4, height: 4)
    let mask = Plane<UInt16>(repeating: 1, width: 2, height: 2)
    for sigma in [-1, 256.5, .nan, .infinity] {
      #expect(throws: BackdropError.self) { try blur.blur(image, mask: mask, sigma: sigma, into: &output) }
    }
    #expect(throws: BackdropError.self) {
      try blur.blur(image, mask: Plane(uninitializedWidth: 0, height: 0), sigma: 2, into: &output)
    }
    #expect(throws: BackdropError.self) {
      try blur.blur(Image(.gray16, width: 4, height: 4), mask: mask, sigma: 2, into: &output)
    }
  }
}
