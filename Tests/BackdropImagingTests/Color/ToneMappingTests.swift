import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

/// A slow second implementation of BT.2100, BT.2408 and BT.2390, for the primaries of BT.2020.
private struct ToneOracle {
  var isPQ: Bool
  var peak = 1000.0

  static func pq(_ e: Double) -> Double {
    let n = pow(e, 1 / 78.84375)
    return 10_000 * pow(max(n - 0.8359375, 0) / (18.8515625 - 18.6875 * n), 1 / 0.1593017578125)
  }

  static func inversePQ(_ nits: Double) -> Double {
    let y = pow(nits / 10_000, 0.1593017578125)
    return pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
  }

  static func hlg(_ e: Double) -> Double {
    e <= 0.5 ? e * e / 3 : (exp((e - 0.55991073) / 0.17883277) + 0.28466892) / 12
  }

  /// BT.2390's curve from `peak` to 203 cd/m².
  func eetf(_ nits: Double) -> Double {
    let e1 = min(Self.inversePQ(nits) / Self.inversePQ(peak), 1)
    let most = Self.inversePQ(203) / Self.inversePQ(peak)
    let ks = 1.5 * most - 0.5
    guard e1 >= ks, peak > 203 else { return min(nits, 203) }
    let t = (e1 - ks) / (1 - ks)
    let p =
      (2 * pow(t, 3) - 3 * pow(t, 2) + 1) * ks + (pow(t, 3) - 2 * pow(t, 2) + t) * (1 - ks)
      + (-2 * pow(t, 3) + 3 * pow(t, 2)) * most
    return Self.pq(p * Self.inversePQ(peak))
  }

  func callAsFunction(_ color: [Double]) -> [Double] {
    var nits: [Double]
    if isPQ {
      nits = color.map { min(Self.pq($0), peak) }
    } else {
      let scene = color.map(Self.hlg)
      let y = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
      nits = scene.map { y > 0 ? 1000 * pow(y, 0.2) * $0 : 0 }
    }
    let most = nits.max() ?? 0
    guard most > 0 else { return [0, 0, 0] }
    nits = nits.map { $0 * eetf(most) / most / 203 }
    // BT.2087, from BT.2020 to BT.709.
    let m = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
    return m.map { row in
      let light = min(max(row[0] * nits[0] + row[1] * nits[1] + row[2] * nits[2], 0), 1)
      return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
  }
}

@Suite struct ToneMappingTests {
  private static let hlg = ColorSpace(.bt2020, .hlg), pq = ColorSpace(.bt2020, .pq)

  @Test(
    "PQ and HLG samples become what BT.2390 and BT.2408 say", arguments: [hlg, pq], [nil, 203, 400, 4000] as [Double?])
  func exact(space: ColorSpace, peak: Double?) throws {
    let tone = try #require(ToneMapping(from: space, peak: peak))
    let oracle = ToneOracle(isPQ: space.transfer == .pq, peak: space.transfer == .pq ? peak ?? 1000 : 1000)
    var numbers = SeededRandom(seed: 203)
    for round in 0..<2000 {
      let gray = Double(round) / 1999
      let color =
        round.isMultiple(of: 2) ? [gray, gray, gray] : (0..<3).map { _ in Double.random(in: 0...1, using: &numbers) }
      for (found, wanted) in zip(tone(color), oracle(color)) {
        #expect(abs(found - wanted) <= 0.004, "\(color) at \(tone.peak)")
      }
    }
  }

  @Test("Reference white is near white, what is dark stays as bright as it is, and nothing is above white")
  func anchors() throws {
    for space in [Self.hlg, Self.pq] {
      let tone = try #require(ToneMapping(from: space))
      let white = space.transfer == .pq ? ToneOracle.inversePQ(203) : 0.75
      let found = tone([white, white, white])[1]
      #expect(found > 0.87 && found < 0.92)
      #expect(tone([1, 1, 1]).allSatisfy { abs($0 - 1) < 1e-6 })
      var last = -1.0
      for step in 0...1000 {
        let now = tone([Double](repeating: Double(step) / 1000, count: 3))[0]
        #expect(now >= last - 1e-12)
        last = now
      }
    }
    let dark = try #require(ToneMapping(from: Self.pq))
    let sample = ToneOracle.inversePQ(0.18 * 203)
    #expect(abs(dark([sample, sample, sample])[0] - (1.055 * pow(0.18, 1 / 2.4) - 0.055)) < 1e-6)
    #expect(ToneMapping(from: .sRGB) == nil)
    #expect(ToneMapping(from: .bt2020) == nil)
  }

  @Test(
    "8-bit pictures of planes are within 2 levels of the exact colours", arguments: CPULevel.supported, [8, 10, 12, 16])
  func planes(level: CPULevel, bits: Int) throws {
    for (width, height, horizontal, vertical) in [
      (1, 1, 2, 2), (2, 1, 2, 2), (3, 5, 2, 2), (17, 4, 2, 1), (31, 3, 1, 1), (259, 7, 2, 2), (513, 2, 2, 1),
      (600, 2, 1, 1),
    ] {
      for (space, range) in [(Self.hlg, ColorDescription.Range.limited), (Self.pq, .full)] {
        let color = ColorDescription(matrix: .bt2020, range: range, space: space)
        let frame = Self.noise(width, height, horizontal, vertical, bits: bits, color: color)
        let tone = try #require(ToneMapping(from: space))
        let found = tone.image(frame, as: .rgb8, color: .video, pool: nil, level: level)
        #expect(found.color.space == .sRGB)
        for y in 0..<height {
          let row = found.row(y)
          for x in 0..<width {
            for (channel, wanted) in tone(Self.pixel(frame, x, y)).enumerated() {
              let difference = abs(Double(row[3 * x + channel]) - wanted * 255)
              #expect(difference <= 1.5, "\(width)×\(height) at \(x),\(y) of \(frame.bits) bits: \(difference)")
            }
          }
        }
      }
    }
  }

  @Test("I420 of a tone-mapped picture is within 2 levels of the exact colours", arguments: CPULevel.supported)
  func i420(level: CPULevel) throws {
    for space in [Self.hlg, Self.pq] {
      let color = ColorDescription(matrix: .bt2020, range: .limited, space: space)
      let frame = Self.noise(67, 9, 2, 2, bits: 10, color: color)
      let tone = try #require(ToneMapping(from: space))
      let found = tone.image(frame, as: .i420, color: .video, pool: nil, level: level)
      #expect(found.color == .video)
      func luma(_ rgb: [Double]) -> Double { 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] }
      for y in 0..<9 {
        let row = found.row(y)
        for x in 0..<67 {
          let wanted = 16 + 219 * luma(tone(Self.pixel(frame, x, y)))
          #expect(abs(Double(row[x]) - wanted) <= 2)
        }
      }
      for y in 0..<5 {
        let (cb, cr) = (found.row(y, plane: 1), found.row(y, plane: 2))
        for x in 0..<34 {
          let points = [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)]
          let colors = points.map { tone(Self.pixel(frame, min($0.0, 66), min($0.1, 8))) }
          let mean = (0..<3).map { channel in colors.reduce(0) { $0 + $1[channel] / 4 } }
          #expect(abs(Double(cb[x]) - (128 + 224 * (mean[2] - luma(mean)) / 1.8556)) <= 2)
          #expect(abs(Double(cr[x]) - (128 + 224 * (mean[0] - luma(mean)) / 1.5748)) <= 2)
        }
      }
    }
  }

  @Test("Interleaved samples of 10 to 16 bits, with and without alpha", arguments: CPULevel.supported, [10, 16])
  func pixels(level: CPULevel, bits: Int) throws {
    for (space, channels) in [(Self.hlg, 3), (Self.pq, 4), (ColorSpace(.displayP3, .pq), 3)] {
      let tone = try #require(ToneMapping(from: space))
      let most = UInt16(truncatingIfNeeded: 1 << bits - 1)
      var numbers = SeededRandom(seed: 203)
      let samples = (0..<channels * 300 * 2).map { _ in UInt16.random(in: 0...most, using: &numbers) }
      let found = tone.image(
        pixels: Plane(samples, width: 300 * channels, height: 2), channels: channels, bits: bits, level: level)
      for y in 0..<2 {
        let row = found.row(y)
        for x in 0..<300 {
          let color = (0..<3).map { Double(samples[(y * 300 + x) * channels + $0]) / Double(most) }
          for (channel, wanted) in tone(color).enumerated() {
            #expect(abs(Double(row[3 * x + channel]) - wanted * 255) <= 1.5)
          }
        }
      }
    }
  }

  @Test("White of a standard picture is 203 cd/m² in HDR, and comes back", arguments: [hlg, pq])
  func expansion(space: ColorSpace) throws {
    let up = try #require(RangeExpansion(from: .sRGB, to: space))
    let white = up([1, 1, 1])
    let wanted = space.transfer == .pq ? ToneOracle.inversePQ(203) : 0.75
    #expect(white.allSatisfy { abs($0 - wanted) < 0.001 })
    #expect(RangeExpansion(from: space, to: space) == nil)
    #expect(RangeExpansion(from: .sRGB, to: .displayP3) == nil)
    let down = try #require(ToneMapping(from: space))
    var numbers = SeededRandom(seed: 203)
    for _ in 0..<500 {
      // Below the knee.
      let color = (0..<3).map { _ in Double.random(in: 0...0.7, using: &numbers) }
      for (found, before) in zip(down(up(color)), color) { #expect(abs(found - before) < 1e-6) }
    }
  }

  @Test("Frames of HDR are within a step of the exact samples", arguments: CPULevel.supported)
  func expandedFrames(level: CPULevel) throws {
    var numbers = SeededRandom(seed: 203)
    for space in [Self.hlg, Self.pq] {
      let up = try #require(RangeExpansion(from: .displayP3, to: space))
      for (width, height) in [(1, 1), (2, 2), (35, 5), (64, 4)] {
        for format in [PixelFormat.rgb8, .bgra8] {
          var image = Image.noise(format, width, height, &numbers)
          image.color = ColorDescription.jpeg.with(.displayP3)
          let color = ColorDescription(matrix: .bt2020, range: .limited, space: space)
          let frame = up.frame(image, bits: 10, color: color, level: level)
          #expect(frame.color == color)
          func exact(_ x: Int, _ y: Int) -> [Double] {
            let (row, step) = (image.row(min(y, height - 1)), format == .rgb8 ? 3 : 4)
            let at = step * min(x, width - 1)
            let values = (0..<3).map { Double(row[at + $0]) / 255 }
            return up(format == .rgb8 ? values : values.reversed())
          }
          func luma(_ rgb: [Double]) -> Double { 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2] }
          for (y, x) in product(0..<height, 0..<width) {
            #expect(abs(Double(frame.luma[x, y]) - (64 + 876 * luma(exact(x, y)))) <= 1.2)
          }
          for (y, x) in product(0..<frame.cb.height, 0..<frame.cb.width) {
            let colors = [
              exact(2 * x, 2 * y), exact(2 * x + 1, 2 * y), exact(2 * x, 2 * y + 1), exact(2 * x + 1, 2 * y + 1),
            ]
            let mean = (0..<3).map { channel in colors.reduce(0) { $0 + $1[channel] / 4 } }
            #expect(abs(Double(frame.cb[x, y]) - (512 + 896 * (mean[2] - luma(mean)) / 1.8814)) <= 1.2)
            #expect(abs(Double(frame.cr[x, y]) - (512 + 896 * (mean[0] - luma(mean)) / 1.4746)) <= 1.2)
          }
        }
      }
    }
  }

  // MARK: - Oracles of planes

  private static func noise(
    _ width: Int, _ height: Int, _ horizontal: Int, _ vertical: Int, bits: Int, color: ColorDescription
  ) -> DeepFrame {
    var numbers = SeededRandom(seed: 203)
    let most = UInt16(truncatingIfNeeded: 1 << bits - 1)
    func plane(_ width: Int, _ height: Int) -> Plane<UInt16> {
      Plane(width: width, height: height) { _, _ in .random(in: 0...most, using: &numbers) }
    }
    let (wide, high) = ((width + horizontal - 1) / horizontal, (height + vertical - 1) / vertical)
    return DeepFrame(
      luma: plane(width, height), cb: plane(wide, high), cr: plane(wide, high), bits: bits, color: color)
  }

  /// R′G′B′ of a pixel, with chroma interpolated between its samples.
  private static func pixel(_ frame: DeepFrame, _ x: Int, _ y: Int) -> [Double] {
    let unit = Double(1 << (frame.bits - 8)), most = 256 * unit - 1
    let isFull = frame.color.range == .full
    func sample(_ plane: Plane<UInt16>) -> Double {
      func weights(_ at: Int, _ count: Int, _ whole: Int) -> [(Int, Double)] {
        guard count < whole else { return [(at, 1)] }
        let other = at.isMultiple(of: 2) ? at / 2 - 1 : at / 2 + 1
        return [(at / 2, 0.75), (min(max(other, 0), count - 1), 0.25)]
      }
      var sum = 0.0
      for (row, high) in weights(y, plane.height, frame.height) {
        for (column, wide) in weights(x, plane.width, frame.width) { sum += high * wide * Double(plane[column, row]) }
      }
      return (sum - 128 * unit) / (isFull ? most : 224 * unit)
    }
    let luma = isFull ? Double(frame.luma[x, y]) / most : (Double(frame.luma[x, y]) - 16 * unit) / (219 * unit)
    let (cb, cr) = (sample(frame.cb), sample(frame.cr))
    let (red, blue) = (luma + 1.4746 * cr, luma + 1.8814 * cb)
    let green = (luma - 0.2627 * red - 0.0593 * blue) / 0.6780
    return [red, green, blue].map { min(max($0, 0), 1) }
  }
}
