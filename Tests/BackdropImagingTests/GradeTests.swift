import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

/// Colour matrices, gamma and darken against Double arithmetic pixel by pixel.
@Suite struct GradeTests {
  static let rgbFormats: [PixelFormat] = [.bgra8, .rgba8, .rgb8]
  static let yuvFormats: [PixelFormat] = [.i420, .nv12, .yuyv]
  static let matrices: [ColorMatrix] = [
    .saturation(0.3), .saturation(1.8), .brightness(0.2), .contrast(1.5), .mono, .noir,
    .gain(red: 1.2, green: 0.9, blue: 0.5) * .brightness(-0.1), .saturation(2) * .contrast(3),
  ]

  static func apply(_ m: ColorMatrix, _ rgb: [Double]) -> [Double] {
    m.rows.map { $0[0] * rgb[0] + $0[1] * rgb[1] + $0[2] * rgb[2] + $0[3] }
  }

  /// Y′CbCr bytes to R′G′B′ 0…1 as ITU-R BT.709-6 sections 3.2 to 3.4 write it, with the description's Kr and Kb.
  static func decode(_ yuv: [Double], _ color: ColorDescription) -> [Double] {
    let limited = color.range == .limited
    let y = limited ? (yuv[0] - 16) / 219 : yuv[0] / 255
    let cb = (yuv[1] - 128) / (limited ? 224 : 255)
    let cr = (yuv[2] - 128) / (limited ? 224 : 255)
    let (kr, kb) = (color.matrix.kr, color.matrix.kb)
    let (r, b) = (y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb)
    return [r, (y - kr * r - kb * b) / (1 - kr - kb), b]
  }

  static func encode(_ rgb: [Double], _ color: ColorDescription) -> [Double] {
    let limited = color.range == .limited
    let (kr, kb) = (color.matrix.kr, color.matrix.kb)
    let y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
    let (cb, cr) = ((rgb[2] - y) / (2 * (1 - kb)), (rgb[0] - y) / (2 * (1 - kr)))
    return limited ? [16 + 219 * y, 128 + 224 * cb, 128 + 224 * cr] : [255 * y, 128 + 255 * cb, 128 + 255 * cr]
  }

  /// Mean luma of each chroma group, and the group of each pixel.
  static func groups(_ image: Image) -> (mean: [Double], of: [Int]) {
    let (y, c) = (image.channels[0], image.channels[1])
    var sums = [Double](repeating: 0, count: c.values.count)
    var counts = sums
    var of: [Int] = []
    for v in 0..<y.height {
      for u in 0..<y.width {
        let group = (c.halvedY ? v / 2 : v) * c.width + u / 2
        of.append(group)
        sums[group] += y.values[v * y.width + u]
        counts[group] += 1
      }
    }
    return (zip(sums, counts).map { $0 / $1 }, of)
  }

  @Test(arguments: CPULevel.supported, rgbFormats)
  func matrixOnRGB(level: CPULevel, format: PixelFormat) throws {
    var seed: UInt64 = 0
    for width in 1...17 {
      for height in [1, 2, 9] {
        for matrix in Self.matrices {
          seed += 1
          let image = Image.random(format, width: width, height: height, seed: seed)
          var output = image.sibling()
          try image.grade(matrix, into: &output, level: level)
          let order = format == .bgra8 ? [2, 1, 0] : [0, 1, 2]
          let (before, after) = (image.channels, output.channels)
          for i in 0..<width * height {
            let want = Self.apply(matrix, order.map { before[$0].values[i] / 255 })
            for c in 0..<3 {
              let difference = abs(after[order[c]].values[i] - min(max(want[c], 0), 1) * 255)
              #expect(difference <= 0.51, "\(format) \(width)×\(height) \(level) seed \(seed)")
            }
            if format.hasAlpha { #expect(after[3].values[i] == before[3].values[i]) }
          }
        }
      }
    }
  }

  @Test(arguments: CPULevel.supported, yuvFormats)
  func matrixOnYUV(level: CPULevel, format: PixelFormat) throws {
    var seed: UInt64 = 0
    for width in [1, 2, 3, 7, 16, 17, 531] {
      for height in [1, 2, 5] {
        for matrix in Self.matrices {
          seed += 1
          let color = ColorDescription(
            matrix: ColorDescription.Matrix.allCases[Int(seed % 3)], range: seed % 2 == 0 ? .full : .limited)
          let image = Image.random(format, width: width, height: height, seed: seed, color: color)
          var output = image.sibling()
          try image.grade(matrix, into: &output, level: level)
          let (before, after, groups) = (image.channels, output.channels, Self.groups(image))
          let limited = color.range == .limited
          var worst = 0.0
          for i in 0..<width * height {
            let g = groups.of[i]
            let want = Self.encode(
              Self.apply(matrix, Self.decode([before[0].values[i], before[1].values[g], before[2].values[g]], color)),
              color)
            worst = max(worst, abs(after[0].values[i] - min(max(want[0], limited ? 16 : 0), limited ? 235 : 255)))
          }
          for (g, mean) in groups.mean.enumerated() {
            let want = Self.encode(
              Self.apply(matrix, Self.decode([mean, before[1].values[g], before[2].values[g]], color)), color)
            for c in 1...2 {
              worst = max(worst, abs(after[c].values[g] - min(max(want[c], limited ? 16 : 0), limited ? 240 : 255)))
            }
          }
          #expect(worst <= 0.51, "\(format) \(width)×\(height) \(level) seed \(seed)")
        }
      }
    }
  }

  @Test func matrixAlgebra() throws {
    let a = ColorMatrix.contrast(1.3), b = ColorMatrix.saturation(0.4) * .brightness(0.1)
    let color = [0.2, 0.7, 0.4]
    let both = Self.apply(a * b, color), oneByOne = Self.apply(a, Self.apply(b, color))
    for (x, y) in zip(both, oneByOne) { #expect(abs(x - y) < 1e-12) }
    // Rec. 709 luma of pure green.
    #expect(abs(Self.apply(.mono, [0, 1, 0])[0] - 0.7152) < 1e-12)
    #expect(ColorMatrix.identity * a == a)
    let coded = try JSONEncoder().encode(a)
    #expect(try JSONDecoder().decode(ColorMatrix.self, from: coded) == a)
    #expect(throws: BackdropError.self) { try ColorMatrix(rows: [[1, 0, 0, 0]]) }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(ColorMatrix.self, from: Data("[[1e9,0,0,0],[0,1,0,0],[0,0,1,0]]".utf8))
    }
    #expect(throws: BackdropError.self) { try Image.random(.gray8, width: 2, height: 2, seed: 1).graded(.mono) }
  }

  @Test(arguments: CPULevel.supported, PixelFormat.allCases.filter { $0 != .grayFloat })
  func gamma(level: CPULevel, format: PixelFormat) throws {
    for (width, height) in [(1, 1), (5, 3), (17, 8)] {
      for gamma in [0.5, 1.0, 2.2] {
        let image = Image.random(format, width: width, height: height, seed: 11)
        var output = image.sibling()
        try image.applyGamma(gamma, into: &output, level: level)
        let (before, after) = (image.channels, output.channels)
        for (c, part) in before.enumerated() {
          for (i, value) in part.values.enumerated() {
            let got = after[c].values[i]
            if format.hasAlpha && c == 3 || gamma == 1 {
              #expect(got == value)
            } else if format.isYUV {
              if c > 0 { continue }
              let unit = min(max((value - 16) / 219, 0), 1)
              #expect(abs(got - (16 + 219 * pow(unit, gamma))) <= 0.5 + 1e-9)
            } else {
              let top = format == .gray16 ? 65535.0 : 255
              #expect(abs(got - top * pow(value / top, gamma)) <= 0.5 + 1e-6)
            }
          }
        }
      }
    }
  }

  @Test func gammaOfFloats() throws {
    let plane = Plane<Float>([0, 0.25, 1, -0.5, .nan, 2], width: 3, height: 2, stride: 5)
    var output = Plane<Float>(repeating: 9, width: 3, height: 2)
    try plane.applyGamma(0.5, into: &output)
    #expect(output.samples == [0, 0.5, 1, 0, 0, Float(2).squareRoot()])
    try plane.applyGamma(3, into: &output)
    #expect(output.samples == [0, 0.015625, 1, 0, 0, 8])
    #expect(throws: BackdropError.self) { try plane.applyGamma(0, into: &output) }
  }

  /// A grey of limited-range video stays without colour under gamma, and colour follows its luma.
  @Test func gammaKeepsSaturationRatio() throws {
    var image = Image(.i420, width: 2, height: 2)
    image.fill(RGBColor(red: 0.6, green: 0.4, blue: 0.4))
    let after = try image.withGamma(0.5).channels.map { $0.values[0] }
    let before = image.channels.map { $0.values[0] }
    let ratio = ((after[0] - 16) / 219) / ((before[0] - 16) / 219)
    for c in 1...2 { #expect(abs((after[c] - 128) - ratio * (before[c] - 128)) <= 1) }
  }

  @Test(arguments: CPULevel.supported, rgbFormats + [.gray8] + yuvFormats)
  func darken(level: CPULevel, format: PixelFormat) throws {
    for (width, height) in [(1, 1), (3, 2), (17, 9)] {
      let image = Image.random(format, width: width, height: height, seed: 21)
      let other = Image.random(format, width: width, height: height, seed: 22)
      let color = RGBColor(red: 0.5, green: 0.2, blue: 0.9)
      var filled = image.sibling()
      filled.fill(color)
      for second in [other, filled] {
        let output =
          second.channels[0].values == filled.channels[0].values
          ? try image.darkened(by: color, level: level) : try image.darkened(by: second, level: level)
        let (a, b, got) = (image.channels, second.channels, output.channels)
        guard format.isYUV else {
          for c in 0..<a.count { #expect(got[c].values == zip(a[c].values, b[c].values).map { min($0, $1) }) }
          continue
        }
        let groups = Self.groups(image)
        var sums = [[Double]](repeating: [], count: groups.mean.count)
        for i in 0..<width * height {
          let g = groups.of[i]
          let (p, q) = (
            Self.decode([a[0].values[i], a[1].values[g], a[2].values[g]], image.color),
            Self.decode([b[0].values[i], b[1].values[g], b[2].values[g]], image.color)
          )
          let want = Self.encode(zip(p, q).map { min(max(min($0, $1), 0), 1) }, image.color)
          #expect(abs(got[0].values[i] - want[0]) <= 0.51)
          sums[g].append(want[1])
        }
        for (g, values) in sums.enumerated() {
          #expect(abs(got[1].values[g] - values.reduce(0, +) / Double(values.count)) <= 0.51)
        }
      }
    }
  }
}
