import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

/// Blurs compared with the definition of the Gaussian, in Double, cut off at 8 sigma.
@Suite struct BlurTests {
  /// Weights of all samples of an axis for output `i`, edges replicated.
  static func gaussian(_ count: Int, sigma: Double) -> [[Double]] {
    guard sigma > 0 else { return (0..<count).map { i in (0..<count).map { $0 == i ? 1 : 0 } } }
    let radius = Int((8 * sigma).rounded(.up))
    let taps = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = taps.reduce(0, +)
    return (0..<count).map { i in
      var row = [Double](repeating: 0, count: count)
      for (k, tap) in taps.enumerated() { row[min(max(i + k - radius, 0), count - 1)] += tap / sum }
      return row
    }
  }

  static func box(_ count: Int, radius: Int) -> [[Double]] {
    (0..<count).map { i in
      var row = [Double](repeating: 0, count: count)
      for k in i - radius...i + radius { row[min(max(k, 0), count - 1)] += 1 / Double(2 * radius + 1) }
      return row
    }
  }

  /// Largest difference of any channel from the expectation.
  static func worst(_ output: Image, _ input: Image, _ axis: (Int, Bool) -> [[Double]]) -> Double {
    var worst = 0.0
    for (got, part) in zip(output.channels, input.channels) {
      let want = ResampleTests.oracle(
        part.values, width: part.width, height: part.height, across: axis(part.width, part.halvedX),
        down: axis(part.height, part.halvedY))
      worst = max(worst, zip(got.values, want).map { abs($0 - $1) }.max() ?? 0)
    }
    return worst
  }

  /// Cutting off at 4 sigma leaves 6.3e-5 of the weight outside on each axis, so random samples in -1…1 differ by at most twice that.
  @Test(arguments: CPULevel.supported)
  func floatPlanes(level: CPULevel) throws {
    var seed: UInt64 = 0
    for width in 1...17 {
      for height in 1...9 {
        for sigma in [0.5, 1.3, 5, 20] {
          seed += 1
          var random = SeededRandom(seed: seed)
          let samples = (0..<width * height).map { _ in Float.random(in: -1...1, using: &random) }
          let plane = Plane(samples, width: width, height: height, stride: seed % 2 == 0 ? width + 3 : nil)
          let output = try plane.blurred(sigma: sigma, level: level)
          let want = ResampleTests.oracle(
            samples.map { Double($0) }, width: width, height: height, across: Self.gaussian(width, sigma: sigma),
            down: Self.gaussian(height, sigma: sigma))
          let worst = zip(output.samples, want).map { abs(Double($0) - $1) }.max()!
          #expect(worst < 2.5e-4, "\(width)×\(height) sigma \(sigma) \(level) seed \(seed)")
        }
      }
    }
  }

  @Test(arguments: CPULevel.supported, PixelFormat.allCases.filter { $0 != .grayFloat && $0 != .gray16 })
  func pictures(level: CPULevel, format: PixelFormat) throws {
    let workspace = BlurWorkspace(level: level)
    var seed: UInt64 = 0
    for (width, height) in [(1, 1), (2, 7), (17, 9), (16, 1), (33, 40), (101, 75)] {
      for sigma in [0.5, 2, 3.9, 4, 5, 8, 20, 50, 200] {
        seed += 1
        let image = Image.random(format, width: width, height: height, seed: seed)
        var output = image.sibling()
        try image.blur(sigma: sigma, into: &output, workspace: workspace)
        let worst = Self.worst(output, image) { Self.gaussian($0, sigma: $1 ? sigma / 2 : sigma) }
        // Half a level of rounding, and 0.12 levels for each axis.
        #expect(worst <= 0.75, "\(width)×\(height) \(format) sigma \(sigma) \(level) seed \(seed)")
      }
    }
  }

  /// The worst patterns for a shrinking blur: stripes and checks near its cell size, one-pixel points, a step.
  @Test(arguments: [4.0, 5, 7.9, 8, 11, 16, 20, 31, 64])
  func patterns(sigma: Double) throws {
    let (width, height) = (211, 130)
    for period in [2, 3, 4, 5, 8, 9, 16, 17, 1000] {
      let plane = Plane<UInt8>(width: width, height: height) { x, y in
        period == 1000 ? (x > 100 ? 255 : 0) : (x % period < period / 2) != (y % period < period / 2) ? 255 : 0
      }
      let image = Image(gray: plane)
      let worst = Self.worst(try image.blurred(sigma: sigma), image) { count, _ in Self.gaussian(count, sigma: sigma) }
      #expect(worst <= 0.75, "period \(period) sigma \(sigma)")
    }
  }

  @Test func sixteenBits() throws {
    let image = Image.random(.gray16, width: 61, height: 43, seed: 5)
    for sigma in [1.0, 6, 12] {
      let worst = Self.worst(try image.blurred(sigma: sigma), image) { count, _ in Self.gaussian(count, sigma: sigma) }
      // As for Float: 6.3e-5 of 65535 for each axis, and rounding.
      #expect(worst < 9, "sigma \(sigma)")
    }
  }

  @Test(arguments: CPULevel.supported)
  func boxes(level: CPULevel) throws {
    let workspace = BlurWorkspace(level: level)
    var seed: UInt64 = 0
    for format in PixelFormat.allCases where format != .grayFloat {
      for (width, height) in [(1, 1), (1, 5), (9, 2), (17, 9), (30, 21)] {
        for radius in [0, 1, 2, 7, 40] {
          seed += 1
          let image = Image.random(format, width: width, height: height, seed: seed)
          var output = image.sibling()
          try image.boxBlur(radius: radius, into: &output, workspace: workspace)
          let worst = Self.worst(output, image) { Self.box($0, radius: $1 ? (radius + 1) / 2 : radius) }
          #expect(worst <= 0.5 + 1e-6, "\(width)×\(height) \(format) radius \(radius) \(level) seed \(seed)")
        }
      }
    }
    let plane = Plane((0..<35).map { Float($0 * $0 % 11) }, width: 7, height: 5, stride: 9)
    let want = ResampleTests.oracle(
      plane.samples.map { Double($0) }, width: 7, height: 5, across: Self.box(7, radius: 3),
      down: Self.box(5, radius: 3))
    for (got, want) in zip(try plane.boxBlurred(radius: 3).samples, want) { #expect(abs(Double(got) - want) < 1e-5) }
  }

  @Test func zeroSigmaIsIdentityAndNonsenseThrows() throws {
    let image = Image.random(.nv12, width: 9, height: 7, seed: 2)
    #expect(try image.blurred(sigma: 0).packedBytes == image.packedBytes)
    #expect(throws: BackdropError.self) { try image.blurred(sigma: -1) }
    #expect(throws: BackdropError.self) { try image.blurred(sigma: .nan) }
    #expect(throws: BackdropError.self) { try image.blurred(sigma: .infinity) }
    #expect(throws: BackdropError.self) { try image.boxBlurred(radius: -1) }
    var other = Image(.nv12, width: 8, height: 7)
    #expect(throws: BackdropError.self) { try image.blur(sigma: 2, into: &other, workspace: BlurWorkspace()) }
  }
}
