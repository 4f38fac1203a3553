import CBackdropKernels
import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct ColorTransformTests {
  static let sizes = (1...9).flatMap { w in (1...4).map { (w, $0) } } + [255, 256, 257, 511, 513, 640].map { ($0, 2) }

  /// R, G, B of interleaved pixels, 0…255.
  static func colors(_ image: Image) -> [[Double]] {
    let bytes = image.packedBytes
    let size = image.format == .rgb8 ? 3 : 4
    return stride(from: 0, to: bytes.count, by: size).map { at in
      let pixel = bytes[at..<at + 3].map(Double.init)
      return image.format == .bgra8 ? pixel.reversed() : pixel
    }
  }

  @Test(
    "Within a level of the exact value", arguments: [PixelFormat.bgra8, .rgba8, .rgb8],
    [PixelFormat.bgra8, .rgba8, .rgb8])
  func pixels(from: PixelFormat, to: PixelFormat) throws {
    var random = SeededRandom(seed: 31)
    var off = 0
    var count = 0
    for (source, target, oracle) in [
      (ColorSpace.displayP3, ColorSpace.sRGB, ColorOracle.p3ToSRGB), (.sRGB, .displayP3, .srgbToP3),
    ] {
      for size in Self.sizes {
        var image = Image.noise(from, size.0, size.1, &random)
        (image.color, image.alpha) = (.jpeg.with(source), from.hasAlpha ? .straight : .opaque)
        for level in CPULevel.supported {
          var result = Image(to, width: size.0, height: size.1, color: .video.with(target))
          image.convert(into: &result, level: level)
          #expect(result.color == .video.with(target) && result.alpha == (to.hasAlpha ? image.alpha : .opaque))
          for (before, after) in zip(Self.colors(image), Self.colors(result)) {
            for (found, exact) in zip(after, oracle(before.map { $0 / 255 })) {
              #expect(abs(found - exact * 255) <= 1, "\(size) \(level) \(before), seed 31")
              count += 1
              if found != (exact * 255).rounded() { off += 1 }
            }
          }
          let alphas = { (image: Image) in
            image.format.hasAlpha ? image.packedBytes.enumerated().filter { $0.offset % 4 == 3 }.map(\.element) : []
          }
          if to.hasAlpha && from.hasAlpha { #expect(alphas(result) == alphas(image)) }
          if to.hasAlpha && !from.hasAlpha { #expect(alphas(result).allSatisfy { $0 == 255 }) }
        }
      }
    }
    // Tables err by an eighth of a level at most, so a few lie on the other side of a half.
    #expect(Double(off) / Double(count) < 0.05)
  }

  /// Conversion of all other formats goes through 8-bit R′G′B′, with the same result.
  @Test(
    "Y′CbCr and grey", arguments: [PixelFormat.i420, .nv12, .yuyv, .gray8, .rgb8],
    [PixelFormat.i420, .nv12, .yuyv, .gray8, .rgba8])
  func throughPixels(from: PixelFormat, to: PixelFormat) throws {
    var random = SeededRandom(seed: 32)
    for (index, size) in [(1, 1), (2, 2), (3, 5), (16, 4), (33, 7)].enumerated() {
      let colors = [ColorDescription.jpeg, .video, ColorDescription(matrix: .bt2020, range: .limited)]
      let image = try randomImage(
        from, size.0, size.1, color: colors[index % 3].with(.displayP3), using: &random)
      let target = colors[(index + 1) % 3]
      let result = image.converted(to: to, color: target)
      var pixels = image.converted(to: .rgb8).converted(to: .sRGB)
      #expect(pixels.color.space == .sRGB)
      if to == .gray8 && from == .gray8 { pixels = pixels.converted(to: .gray8) }
      #expect(result.color == target)
      let wanted = pixels.converted(to: to, color: target).packedBytes
      #expect(result.packedBytes == wanted, "\(size), seed 32")
    }
  }

  /// Grey has no primaries: only curves matter, and deep samples stay deep.
  @Test(arguments: [PixelFormat.gray8, .gray16, .grayFloat], [PixelFormat.gray8, .gray16, .grayFloat])
  func grays(from: PixelFormat, to: PixelFormat) throws {
    var random = SeededRandom(seed: 33)
    var image = try randomImage(from, 37, 5, color: .jpeg, using: &random)
    image.color.space = .adobeRGB
    let same = image.converted(to: .grayFloat).plane(as: Float.self)
    let result = image.converted(to: to, color: .jpeg)
    let found = result.converted(to: .grayFloat).plane(as: Float.self)
    for (y, x) in product(0..<5, 0..<37) {
      let sample = Double(min(max(same[x, y], 0), 1))
      let exact = ColorOracle.srgbSample(pow(sample, 563.0 / 256))
      #expect(abs(Double(found[x, y]) - exact) < (to == .gray8 ? 0.51 / 255 : 3e-4), "\(sample), seed 33")
    }
  }

  @Test("Grey stays grey, and the same among spaces of one curve")
  func neutral() throws {
    let ramp = (0...255).flatMap { [UInt8](repeating: UInt8($0), count: 3) }
    var image = try Image(.rgb8, width: 256, height: 1, packed: ramp.span, color: .jpeg)
    for (from, to) in [(ColorSpace.displayP3, ColorSpace.sRGB), (.bt2020, .displayP3), (.sRGB, .bt2020)] {
      image.color.space = from
      for level in CPULevel.supported {
        var result = Image(.rgb8, width: 256, height: 1, color: .jpeg.with(to))
        image.convert(into: &result, level: level)
        #expect(result.packedBytes == ramp)
      }
    }
    image.color.space = .adobeRGB
    let other = image.converted(to: .proPhoto).packedBytes
    for x in 0..<256 {
      #expect(other[3 * x] == other[3 * x + 1] && other[3 * x] == other[3 * x + 2])
      #expect(abs(Double(other[3 * x]) - 255 * pow(pow(Double(x) / 255, 563.0 / 256), 1 / 1.8)) <= 0.8)
    }
  }

  @Test("Where nothing differs no pixel is touched")
  func nothingToDo() throws {
    var random = SeededRandom(seed: 34)
    for format in PixelFormat.allCases {
      var image = Image.noise(format, 8, 6, &random)
      image.color.space = .displayP3
      let same = image.converted(to: format, color: image.color.with(.displayP3))
      #expect(same.sharesMemory(with: image))
      // High-dynamic-range pictures keep their samples and their label.
      let bright = ColorSpace(.bt2020, .pq)
      image.color.space = bright
      let kept = image.converted(to: .sRGB)
      #expect(kept.sharesMemory(with: image) && kept.color.space == bright)
      #expect(image.converted(to: .grayFloat, color: .jpeg).color.space == bright)
      image.color.space = .sRGB
      #expect(image.converted(to: bright).color.space == .sRGB)
    }
  }

  @Test("Colours multiplied by alpha are converted as what they are")
  func premultiplied() throws {
    let (color, alpha) = ([200, 60, 20].map(Double.init), 128.0)
    let bytes = color.map { UInt8(($0 * alpha / 255).rounded()) } + [UInt8(alpha)]
    var image = try Image(.rgba8, width: 1, height: 1, packed: bytes.span, color: .jpeg.with(.displayP3))
    image.alpha = .premultiplied
    let found = image.converted(to: .sRGB).packedBytes
    let exact = ColorOracle.p3ToSRGB(color.map { $0 / 255 })
    // Alpha is one half, so half a level of the premultiplied sample is a whole level of the colour.
    for (found, exact) in zip(found, exact) { #expect(abs(Double(found) - exact * alpha) <= 2) }
    #expect(found[3] == 128)
  }

  /// Known colours: sRGB's red, green and blue in Display P3 (CSS Color 4, section 10.4: `color(display-p3 0.9175 0.2003 0.1386)`).
  @Test func flatColours() throws {
    for (hex, wanted) in [
      ("#FF0000", [0.9175, 0.2003, 0.1386]), ("#00FF00", [0.4584, 0.9853, 0.2983]), ("#FFFFFF", [1, 1, 1]),
      ("#808080", [0.502, 0.502, 0.502]),
    ] {
      let color = try #require(RGBColor(text: hex))
      var image = Image(.rgb8, width: 3, height: 2, color: .jpeg.with(.displayP3))
      image.fill(color)
      for (found, wanted) in zip(image.packedBytes, wanted) {
        #expect(abs(Double(found) - wanted * 255) <= 0.6, "\(hex)")
      }
      #expect(color.hex == hex)
    }
  }

  @Test("Kernels write their row and nothing else, at any address", arguments: CPULevel.supported)
  func bounds(level: CPULevel) {
    let linear = (0...255).map { Float($0) / 255 }
    let encoded = [UInt8](repeating: 9, count: Int(BD_LIGHT_STEPS) + 1)
    let input = [UInt8](repeating: 77, count: 4096)
    linear.withUnsafeBufferPointer { linear in
      encoded.withUnsafeBufferPointer { encoded in
        // Numbers that no colour matrix contains, and that must not exceed the tables.
        for factor in [1, -5, 1e30, Float.nan, .infinity] {
          var tables = bd_transfer()
          tables.linear = (linear.baseAddress, linear.baseAddress, linear.baseAddress)
          tables.encoded = (encoded.baseAddress, encoded.baseAddress, encoded.baseAddress)
          tables.matrix = (factor, 0, 0, 0, factor, 0, 0, 0, factor)
          for width in Array(1...20) + [255, 256, 257, 700] {
            for (order, outOrder) in (0..<3).flatMap({ a in (0..<3).map { (Int32(a), Int32($0)) } }) {
              let length = width * (outOrder == 2 ? 3 : 4)
              var output = [UInt8](repeating: 0xA5, count: length + 67)
              output.withUnsafeMutableBufferPointer { out in
                input.withUnsafeBufferPointer { row in
                  level.kernels.transfer.row(
                    row.baseAddress! + 1, order, width, out.baseAddress! + 3, outOrder, &tables)
                }
              }
              #expect(output[..<3].allSatisfy { $0 == 0xA5 } && output[(length + 3)...].allSatisfy { $0 == 0xA5 })
              #expect(output[3] == 9)
            }
          }
        }
      }
    }
  }
}
