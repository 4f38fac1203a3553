import TestSupport
import Testing

@testable import BackdropImaging

/// Blending compared with the definition in integer arithmetic, sample by sample.
@Suite struct BlendTests {
  /// floor(background + m (front - background) / whole + 1/2).
  static func mix(_ front: Double, _ back: Double, _ m: Int, _ whole: Int) -> Double {
    let numerator = m * Int(front) + (whole - m) * Int(back)
    return Double((2 * numerator + whole) / (2 * whole))
  }

  static func check(_ level: CPULevel, _ format: PixelFormat, width: Int, height: Int, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let front = Image.random(format, width: width, height: height, seed: seed &+ 1)
    let back = Image.random(format, width: width, height: height, seed: seed &+ 2)
    let whole = 32768
    let masks = (0..<width * height).map { _ in
      [0, whole, whole / 2, Int(random.next() % UInt64(whole + 1))][Int(random.next() % 4)]
    }
    let stride = seed % 2 == 0 ? width + 3 : nil
    let mask = Plane(masks.map { UInt16($0) }, width: width, height: height, stride: stride)
    let output = try front.blended(over: back, mask: mask, level: level)
    for (index, part) in output.channels.enumerated() {
      let (f, b) = (front.channels[index].values, back.channels[index].values)
      var wrong = 0
      for (y, x) in product(0..<part.height, 0..<part.width) {
        var values: [Int] = []
        for v in part.halvedY ? [2 * y, 2 * y + 1] : [y] where v < height {
          for u in part.halvedX ? [2 * x, 2 * x + 1] : [x] where u < width { values.append(masks[v * width + u]) }
        }
        let m = (2 * values.reduce(0, +) + values.count) / (2 * values.count)
        let i = y * part.width + x
        if part.values[i] != mix(f[i], b[i], m, whole) { wrong += 1 }
      }
      #expect(wrong == 0, "\(format) \(width)×\(height) channel \(index) \(level) seed \(seed)")
    }
  }

  @Test(
    arguments: CPULevel.supported, PixelFormat.allCases.filter { $0 != .gray16 && $0 != .grayFloat })
  func smallSizes(level: CPULevel, format: PixelFormat) throws {
    var seed: UInt64 = 0
    for (width, height) in product(1...17, 1...9) {
      seed += 1
      try Self.check(level, format, width: width, height: height, seed: seed)
    }
    try Self.check(level, format, width: 601, height: 5, seed: 1)
  }

  /// Every mask with every pair of samples.
  @Test(arguments: CPULevel.supported)
  func exhaustive(level: CPULevel) throws {
    let kernels = level.kernels.pixel
    let all = (0..<256).map { UInt8($0) }
    var wrong = 0
    var output = [UInt8](repeating: 0, count: 256)
    for back in 0..<256 {
      let rear = [UInt8](repeating: UInt8(back), count: 256)
      for m in stride(from: 0, through: 32768, by: 331) {
        kernels.blend_q15(&output, all, rear, [UInt16](repeating: UInt16(m), count: 256), 256)
        for front in 0..<256 where Int(output[front]) != (m * front + (32768 - m) * back + 16384) >> 15 { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  @Test func nonsenseThrows() {
    let image = Image.random(.i420, width: 4, height: 4, seed: 1)
    let mask = Plane<UInt16>(repeating: 0, width: 4, height: 4)
    #expect(throws: BackdropError.self) {
      try image.blended(over: .random(.nv12, width: 4, height: 4, seed: 1), mask: mask)
    }
    #expect(throws: BackdropError.self) {
      try image.blended(over: .random(.i420, width: 4, height: 3, seed: 1), mask: mask)
    }
    #expect(throws: BackdropError.self) {
      try image.blended(over: image, mask: Plane<UInt16>(repeating: 0, width: 3, height: 4))
    }
  }
}
