import TestSupport
import Testing

@testable import BackdropImaging

/// A change of light compared with a simple version of the same integer arithmetic, and with the floating-point formula.
@Suite struct RelitTests {
  static let sizes = [(1, 1), (2, 1), (1, 2), (3, 3), (17, 5), (34, 18), (65, 33), (130, 7)]
  static let colors = [
    ColorDescription(matrix: .bt601, range: .limited), ColorDescription(matrix: .bt709, range: .limited),
    ColorDescription(matrix: .bt601, range: .full),
  ]

  private func light(_ random: inout SeededRandom, cells: Int) -> PictureLight {
    var light = PictureLight()
    light.curve = Plane(repeating: 0, width: cells, height: cells)
    for y in 0..<cells { for x in 0..<cells { light.curve[x, y] = Float(Double.random(in: -1...1, using: &random)) } }
    light.balance = SIMD3(
      Double.random(in: 0.85...1.18, using: &random), 1, Double.random(in: 0.85...1.18, using: &random))
    return light
  }

  private func image(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ color: ColorDescription, _ random: inout SeededRandom
  ) -> Image {
    var image = Image.noise(format, width, height, &random)
    image.color = color
    return image
  }

  @Test(arguments: CPULevel.supported) func planesAreTheOracles(_ level: CPULevel) {
    for seed in 1...UInt64(6) {
      var random = SeededRandom(seed: seed)
      for (width, height) in Self.sizes {
        for color in Self.colors {
          let (light, image) = (light(&random, cells: 1), image(.i420, width, height, color, &random))
          let (result, expected) = (image.relit(light, level: level), RelitOracle.planes(image, light))
          #expect(
            result.packedBytes == expected.packedBytes, "\(width)×\(height), \(color.range), seed \(seed), \(level)")
        }
      }
    }
  }

  @Test(arguments: CPULevel.supported) func pixelsAreTheOracles(_ level: CPULevel) {
    for seed in 1...UInt64(6) {
      var random = SeededRandom(seed: seed)
      for (width, height) in Self.sizes {
        for format in [PixelFormat.bgra8, .rgba8, .rgb8] {
          let (light, image) = (light(&random, cells: 1), image(format, width, height, .jpeg, &random))
          let (result, expected) = (image.relit(light, level: level), RelitOracle.pixels(image, light))
          #expect(result.packedBytes == expected.packedBytes, "\(width)×\(height) \(format), seed \(seed), \(level)")
        }
      }
    }
  }

  /// All CPU levels agree for light that varies over the picture, and gains vary smoothly.
  @Test func lightThatVariesOverThePicture() throws {
    var random = SeededRandom(seed: 3)
    for (width, height) in Self.sizes + [(640, 360)] {
      let (light, image) = (light(&random, cells: 5), image(.i420, width, height, .video, &random))
      let expected = image.relit(light, level: .baseline)
      for level in CPULevel.supported {
        #expect(image.relit(light, level: level).packedBytes == expected.packedBytes, "\(width)×\(height)")
      }
    }
    var light = PictureLight()
    light.curve = Plane(repeating: 0, width: 2, height: 1)
    light.curve[1, 0] = 1
    var grey = Image(.i420, width: 64, height: 8, color: .jpeg)
    grey.fill(RGBColor(red: 0.5, green: 0.5, blue: 0.5))
    let row = grey.relit(light).row(3)
    // v + k v (1 − v): a half becomes three quarters. The cells' centres are at columns 16 and 48.
    #expect(abs(Int(row[8]) - 128) <= 1 && abs(Int(row[56]) - 191) <= 2 && abs(Int(row[32]) - 160) <= 2)
    #expect((1..<64).allSatisfy { row[$0] >= row[$0 - 1] })
  }

  /// R′G′B′ is multiplied by the balance and by the gain that takes its luma v to v + k v (1 − v).
  @Test(arguments: [PixelFormat.i420, .bgra8]) func isWhatWasAskedFor(_ format: PixelFormat) {
    var light = PictureLight(curve: 0.5)
    let (kr, kb) = (0.299, 0.114)
    let factors = SIMD3(1.1, 1.0, 0.9)
    light.balance = factors / (factors * SIMD3(kr, 1 - kr - kb, kb)).sum()
    for color in [SIMD3(0.2, 0.3, 0.5), SIMD3(0.6, 0.4, 0.3), SIMD3(0.5, 0.5, 0.5), SIMD3(0.05, 0.1, 0.05)] {
      var image = Image(format, width: 8, height: 8, color: .jpeg)
      image.fill(RGBColor(red: color.x, green: color.y, blue: color.z))
      let found = image.relit(light).converted(to: .rgb8, color: .jpeg).row(3)
      let balanced = color * light.balance
      let luma = (balanced * SIMD3(kr, 1 - kr - kb, kb)).sum()
      let expected = balanced * (1 + 0.5 * (1 - luma)) * 255
      for channel in 0..<3 { #expect(abs(Double(found[channel]) - expected[channel]) <= 3.5, "\(color) \(channel)") }
    }
  }

  /// Without a setting nothing changes, and grey stays grey.
  @Test func nothing() {
    var random = SeededRandom(seed: 1)
    let image = image(.i420, 16, 16, .video, &random)
    #expect(image.relit(PictureLight()).packedBytes == image.packedBytes)
    let grey = Image.noise(.gray16, 4, 4, &random)
    #expect(grey.relit(PictureLight(curve: 1)).packedBytes == grey.packedBytes)
    #expect(Image(.nv12, width: 4, height: 4).relit(PictureLight(curve: 1)).format == .i420)
  }
}
