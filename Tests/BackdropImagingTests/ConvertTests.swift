import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct ConvertTests {
  static let colors = ColorDescription.Matrix.allCases.flatMap { matrix in
    ColorDescription.Range.allCases.map { ColorDescription(matrix: matrix, range: $0) }
  }

  /// All small sizes, and those around the ends of the kernels' blocks of 512 pixels.
  static let sizes: [(Int, Int)] =
    (1...17).flatMap { w in (1...9).map { (w, $0) } }
    + [31, 32, 33, 47, 63, 65, 511, 512, 513, 514, 1023, 1024, 1025, 1039].flatMap { [($0, 1), ($0, 2), ($0, 3)] }

  @Test("Within a level of the exact value", arguments: PixelFormat.allCases, PixelFormat.allCases)
  func oracle(from: PixelFormat, to: PixelFormat) throws {
    var random = SeededRandom(seed: 100)
    var worst = 0.0
    for (index, size) in Self.sizes.enumerated() {
      let sourceColor = Self.colors[index % 6]
      for color in from.isYUV && to.isYUV ? [sourceColor, Self.colors[index / 6 % 6]] : [Self.colors[index % 6]] {
        let image = try randomImage(from, size.0, size.1, color: sourceColor, using: &random)
        let isSame = from == to && (!from.isYUV || color == sourceColor)
        let exact = isSame ? [] : ConvertOracle(image).converted(to: to, color: color)
        for level in CPULevel.supported {
          var result = Image(to, width: size.0, height: size.1, color: color)
          image.convert(into: &result, level: level)
          let bytes = result.packedBytes
          if isSame {
            #expect(bytes == image.packedBytes, "\(size) \(level)")
            continue
          }
          for (i, sample) in exact.enumerated() {
            let expected = sample.limit > 0 ? min(max(sample.value, 0), sample.limit) : sample.value
            let found = bytes.withUnsafeBytes {
              switch to {
              case .gray16: Double($0.loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self))
              case .grayFloat: Double($0.loadUnaligned(fromByteOffset: 4 * i, as: Float.self)) * 1e5
              default: Double($0[i])
              }
            }
            let error = abs(found - (to == .grayFloat ? expected * 1e5 : expected))
            worst = max(worst, error)
            if error > 1 {
              Issue.record("\(size) \(level) \(sourceColor) → \(color), sample \(i): \(found), exactly \(expected)")
              return
            }
          }
        }
      }
    }
    // Half a level is rounding; the rest is fixed-point arithmetic.
    #expect(worst <= 0.6, "seed 100")
  }

  /// Only a picture whose every alpha is 255 becomes opaque, and its pixels stay.
  @Test func fullAlpha() {
    var random = SeededRandom(seed: 12)
    for (width, height) in [(1, 1), (5, 3), (16, 2), (33, 7), (64, 1)] {
      var full = Image.noise(.rgba8, width, height, &random)
      for y in 0..<height {
        var row = full.mutableRow(y)
        for x in 0..<width { row[4 * x + 3] = 255 }
      }
      full.alpha = .straight
      var dropped = full
      dropped.dropFullAlpha()
      #expect(dropped.alpha == .opaque && dropped.packedBytes == full.packedBytes)
      for _ in 0..<20 {
        var holed = full
        let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
        var row = holed.mutableRow(y)
        row[4 * x + 3] = UInt8.random(in: 0...254, using: &random)
        holed.dropFullAlpha()
        #expect(holed.alpha == .straight, "\(width)×\(height), at \(x), \(y)")
      }
    }
  }

  @Test("Alpha: kept among four-channel formats, 255 where there was none")
  func alpha() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    var image = try Image(.bgra8, width: 2, height: 1, packed: bytes.span)
    image.alpha = .premultiplied
    image.orientation = .left
    let turned = image.converted(to: .rgba8)
    #expect(turned.packedBytes == [3, 2, 1, 4, 7, 6, 5, 8])
    #expect(turned.alpha == .premultiplied && turned.orientation == .left)
    let rgb = turned.converted(to: .rgb8)
    #expect(rgb.packedBytes == [3, 2, 1, 7, 6, 5] && rgb.alpha == .opaque)
    #expect(rgb.converted(to: .bgra8).packedBytes == [1, 2, 3, 255, 5, 6, 7, 255])
  }

  @Test("Black, white and grey stay neutral in every description", arguments: colors)
  func neutral(color: ColorDescription) throws {
    for value in [0, 1, 17, 128, 200, 254, 255] as [UInt8] {
      let grey = Image(gray: Plane(repeating: value, width: 6, height: 4))
      for (via, to) in product([PixelFormat.rgba8, .bgra8, .rgb8], [PixelFormat.i420, .nv12, .yuyv]) {
        let yuv = grey.converted(to: via).converted(to: to, color: color)
        let back = yuv.converted(to: .rgb8).packedBytes
        #expect(back.allSatisfy { abs(Int($0) - Int(value)) <= 1 }, "\(value) \(to) \(back[0...2])")
        #expect(Set(back).count == 1, "a tint: \(value) \(to) \(back[0...2])")
      }
    }
  }

  @Test("NaN and infinite greys are clamped")
  func nonFinite() throws {
    let values: [Float] = [.nan, .infinity, -.infinity, 0.5]
    let bytes = values.withUnsafeBytes { Array($0) }
    let image = try Image(.grayFloat, width: 4, height: 1, packed: bytes.span)
    #expect(image.converted(to: .gray8).packedBytes == [0, 255, 0, 128])
  }

  @Test("Kernels write their row and nothing else, at any address", arguments: CPULevel.supported)
  func bounds(level: CPULevel) {
    let kernels = level.kernels.convert
    var toYUV = YUVScale(.video).toYUV
    var fromYUV = YUVScale(.video).fromYUV
    var recolor = YUVScale(.video).recolor(to: YUVScale(.jpeg))
    let input = [UInt8](repeating: 77, count: 8192)
    for width in Array(1...70) + [511, 512, 513, 1030] {
      let pairs = (width + 1) / 2
      for shift in [0, 1, 3] {
        func check(_ lengths: Int..., body: ([UnsafeMutablePointer<UInt8>]) -> Void) {
          let margin = 64
          let buffers = lengths.map { length in
            let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: length + 2 * margin)
            buffer.initialize(repeating: 0xA5, count: length + 2 * margin)
            return buffer
          }
          body(buffers.map { $0 + margin - shift })
          for (buffer, length) in zip(buffers, lengths) {
            let before = (0..<margin - shift).allSatisfy { buffer[$0] == 0xA5 }
            let after = (margin - shift + length..<length + 2 * margin).allSatisfy { buffer[$0] == 0xA5 }
            #expect(before && after, "width \(width), length \(length)")
            buffer.deallocate()
          }
        }
        input.withUnsafeBufferPointer { all in
          let row = all.baseAddress! + shift
          for order in 0..<3 as Range<Int32> {
            let size = order == 2 ? 3 : 4
            check(width, width, pairs, pairs) {
              kernels.rgb_to_yuv420(row, row, width, order, &toYUV, $0[0], $0[1], $0[2], $0[3], 1)
            }
            check(width, 2 * pairs) {
              kernels.rgb_to_yuv420(row, row, width, order, &toYUV, $0[0], nil, $0[1], $0[1] + 1, 2)
            }
            check(4 * pairs) { kernels.rgb_to_yuyv(row, width, order, &toYUV, $0[0]) }
            for step in [1, 2, 4] {
              check(width * size) {
                kernels.yuv_to_rgb(
                  row, step == 4 ? 2 : 1, row, row, row, row, step, width, &fromYUV, order, $0[0])
              }
            }
            for other in 0..<3 as Range<Int32> where other != order {
              check(width * (other == 2 ? 3 : 4)) { kernels.reorder(row, order, width, $0[0], other) }
            }
          }
          check(width, width) { kernels.split(row, width, $0[0], $0[1]) }
          check(2 * width) { kernels.join(row, row, width, $0[0]) }
          check(width, width, pairs, pairs) {
            kernels.yuyv_to_yuv420(row, row, width, $0[0], $0[1], $0[2], $0[3], 1)
          }
          check(width, 2 * pairs) { kernels.yuyv_to_yuv420(row, row, width, $0[0], nil, $0[1], $0[1] + 1, 2) }
          for step in [1, 2] {
            check(width) { kernels.recolor_luma(row, row, row, row, row, step, width, &recolor, $0[0]) }
            check(pairs, pairs) { kernels.recolor_chroma(row, row, step, pairs, &recolor, $0[0], $0[1], 1) }
            check(2 * pairs) { kernels.recolor_chroma(row, row, step, pairs, &recolor, $0[0], $0[0] + 1, 2) }
            check(4 * pairs) { kernels.yuv420_to_yuyv(row, row, row, row, row, step, width, $0[0]) }
          }
        }
      }
    }
  }
}
