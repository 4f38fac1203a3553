import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropDepth

/// The kernels of topic "colors" compared with their definition, on every CPU level.
@Suite struct ColorsKernelTests {
  static let hard: [Float] = [.nan, .infinity, -.infinity, 0, -1, .greatestFiniteMagnitude, .leastNonzeroMagnitude]

  static func values(_ count: Int, _ random: inout SeededRandom) -> [Float] {
    (0..<count).map { _ in
      Int.random(in: 0..<5, using: &random) == 0
        ? hard.randomElement(using: &random) ?? .nan : Float.random(in: -1...6, using: &random)
    }
  }

  /// The position on a palette, straight from its definition.
  static func index(_ value: Float, _ first: Float, _ scale: Float, _ last: Int) -> Int {
    let index = (value - first) * scale
    return index > 0 ? (index < Float(last) ? Int(index) : last) : 0
  }

  @Test(arguments: 0..<70) func drawsLikeTheDefinition(count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    let values = Self.values(count, &random)
    let table = (0..<97).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
    for (first, last) in [(Float(0.5), Float(4)), (4, 0.5), (2, 2.0001)] {
      let (spectrumScale, tableScale) = (1020 / (last - first), 96 / (last - first))
      let spectrum = DepthPalette.spectrum.table
      let expected = values.map {
        $0.isNaN ? 0xFF00_0000 : UInt32(littleEndian: spectrum[Self.index($0, first, spectrumScale, 1020)])
      }
      let looked = values.map { $0.isNaN ? 0xFF00_0000 : table[Self.index($0, first, tableScale, 96)] }
      for level in CPULevel.supported {
        let kernels = level.kernels.colors
        var output = [UInt32](repeating: 7, count: count + 1)
        kernels.spectrum(&output, values, Int32(count), first, spectrumScale)
        #expect(output.dropLast() == expected[...] && output[count] == 7, "\(level), \(first)…\(last)")
        kernels.table(&output, values, Int32(count), first, tableScale, 96, table)
        #expect(output.dropLast() == looked[...] && output[count] == 7, "\(level), \(first)…\(last)")
      }
    }
  }

  @Test(arguments: [0, 1, 77, 128, 255, 256]) func overlaysLikeTheDefinition(opacity: Int) {
    var random = SeededRandom(seed: UInt64(opacity))
    for count in 0..<40 {
      let values = Self.values(count, &random)
      let pixels = (0..<count).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
      let colors = (0..<count).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
      let expected = (0..<count).map { index -> UInt32 in
        guard !values[index].isNaN else { return pixels[index] }
        var overlaid: UInt32 = 0xFF00_0000
        for shift in [0, 8, 16] {
          let a = Int(pixels[index] >> shift) & 255
          let b = Int(colors[index] >> shift) & 255
          let level = (a * (256 - opacity) + b * opacity + 128) / 256
          overlaid |= UInt32(level << shift)
        }
        return overlaid
      }
      for level in CPULevel.supported {
        var output = pixels + [7]
        level.kernels.colors.overlay(&output, colors, values, Int32(count), Int32(opacity))
        #expect(output == expected + [7], "\(level), \(count) pixels")
      }
    }
  }
}
