import BackdropImaging
import TestSupport
import Testing

@Suite struct OrientationTests {
  /// Where the upright pixel (x, y) is stored, from the EXIF 2.32 definition of the positions of row 0 and column 0.
  static func stored(_ x: Int, _ y: Int, _ orientation: Orientation, _ width: Int, _ height: Int) -> (x: Int, y: Int) {
    switch orientation {
    case .up: (x, y)  // row 0 top, column 0 left
    case .upMirrored: (width - 1 - x, y)  // top, right
    case .down: (width - 1 - x, height - 1 - y)  // bottom, right
    case .downMirrored: (x, height - 1 - y)  // bottom, left
    case .leftMirrored: (y, x)  // row 0 left, column 0 top
    case .right: (y, height - 1 - x)  // row 0 right, column 0 top
    case .rightMirrored: (width - 1 - y, height - 1 - x)  // row 0 right, column 0 bottom
    case .left: (width - 1 - y, x)  // row 0 left, column 0 bottom
    }
  }

  @Test("Planes of every size and sample", arguments: Orientation.allCases)
  func planes(orientation: Orientation) {
    func check<Sample: Equatable & Sendable & BitwiseCopyable>(
      _ width: Int, _ height: Int, stride: Int?, _ sample: (Int) -> Sample
    ) {
      let plane = Plane(
        (0..<width * height).map(sample), width: width, height: height, stride: stride)
      let turned = plane.oriented(orientation)
      #expect(turned.width == (orientation.swapsSides ? height : width))
      #expect(turned.height == (orientation.swapsSides ? width : height))
      var wrong = 0
      for (y, x) in product(0..<turned.height, 0..<turned.width) {
        let from = Self.stored(x, y, orientation, width, height)
        if turned[x, y] != plane[from.x, from.y] { wrong += 1 }
      }
      #expect(wrong == 0, "\(width)×\(height)")
    }
    for (width, height) in product(Array(1...17) + [33, 70], Array(1...9) + [40]) {
      check(width, height, stride: nil) { UInt8(truncatingIfNeeded: $0 &* 7) }
      check(width, height, stride: width + 3) { UInt16($0) }
      check(width, height, stride: nil) { Float($0) }
      check(width, height, stride: width + 1) { Double($0) }
    }
  }

  @Test("Images with whole pixels", arguments: Orientation.allCases)
  func images(orientation: Orientation) throws {
    var random = SeededRandom(seed: 1)
    for format in [PixelFormat.bgra8, .rgba8, .rgb8, .gray8, .gray16, .grayFloat] {
      for (width, height) in [(1, 1), (5, 3), (4, 6), (35, 34)] {
        var image = try randomImage(format, width, height, color: .video, using: &random)
        image.orientation = orientation
        image.alpha = format.hasAlpha ? .straight : .opaque
        let turned = image.upright()
        #expect(turned.orientation == .up && turned.format == format && turned.alpha == image.alpha)
        let size = Image.packedByteCount(format, width: 1, height: 1)
        let (before, after) = (image.packedBytes, turned.packedBytes)
        var wrong = 0
        for (y, x) in product(0..<turned.height, 0..<turned.width) {
          let from = Self.stored(x, y, orientation, width, height)
          let (a, b) = ((y * turned.width + x) * size, (from.y * width + from.x) * size)
          if after[a..<a + size] != before[b..<b + size] { wrong += 1 }
        }
        #expect(wrong == 0, "\(format) \(width)×\(height)")
      }
    }
  }

  @Test("Y′CbCr of even sizes turns plane by plane", arguments: Orientation.allCases)
  func evenPlanes(orientation: Orientation) throws {
    var random = SeededRandom(seed: 2)
    for (width, height) in [(2, 2), (8, 6), (34, 20)] {
      var image = try randomImage(.i420, width, height, color: .video, using: &random)
      image.orientation = orientation
      let turned = image.upright()
      for plane in 0..<3 {
        #expect(turned.plane(plane, as: UInt8.self) == image.plane(plane, as: UInt8.self).oriented(orientation))
      }
      #expect(image.converted(to: .nv12).upright().converted(to: .i420).packedBytes == turned.packedBytes)
    }
  }

  /// A colour ramp is linear, so bilinear doubling and halving preserve it, and colours must stay on their pixels.
  @Test(
    "Colour stays on its pixels at odd sizes", arguments: Orientation.allCases,
    [PixelFormat.i420, .nv12, .yuyv])
  func oddSizes(orientation: Orientation, format: PixelFormat) throws {
    for (width, height) in [(13, 9), (12, 9), (13, 8), (1, 1), (1, 7), (9, 1)] {
      var rgb = Image.drawn(.rgb8, width, height, color: .jpeg) { x, y in
        let (red, blue) = (60 + 8 * x, 60 + 8 * y)
        return [red, 100, blue]
      }
      rgb.orientation = orientation
      let expected = rgb.upright()
      let found = rgb.converted(to: format).upright().converted(to: .rgb8)
      #expect(found.width == expected.width && found.height == expected.height)
      // Only inside, because the ramp is clipped at the edge.
      var worst = 0
      for (y, x) in product(2..<max(2, expected.height - 2), 2..<max(2, expected.width - 2)) {
        for c in 3 * x..<3 * x + 3 { worst = max(worst, abs(Int(expected.row(y)[c]) - Int(found.row(y)[c]))) }
      }
      #expect(worst <= 3, "\(width)×\(height)")
    }
  }

  @Test("Cropping", arguments: PixelFormat.allCases)
  func crop(format: PixelFormat) throws {
    var random = SeededRandom(seed: 4)
    let image = try randomImage(format, 13, 9, color: .jpeg, using: &random)
    let whole = ConvertOracle(image).converted(to: .rgb8, color: .jpeg)
    for (y, x) in product(0..<9, 0..<13) {
      for (width, height) in [(1, 1), (13 - x, 9 - y), (min(4, 13 - x), min(3, 9 - y))] {
        let part = try image.cropped(x: x, y: y, width: width, height: height)
        #expect(part.width == width && part.height == height && part.format == format)
        guard !format.isYUV else {
          // Luma is exact; chroma away from the new edge is the same where the corner is even.
          let luma = (0..<height).flatMap { row in
            (0..<width).map { part.row(row)[format == .yuyv ? 2 * $0 : $0] }
          }
          let expected = (y..<y + height).flatMap { row in
            (x..<x + width).map { image.row(row)[format == .yuyv ? 2 * $0 : $0] }
          }
          #expect(luma == expected)
          continue
        }
        let found = ConvertOracle(part).converted(to: .rgb8, color: .jpeg)
        for (row, i) in product(0..<height, 0..<3 * width) {
          #expect(found[3 * width * row + i].value == whole[3 * (13 * (y + row) + x) + i].value)
        }
      }
    }
  }

  @Test("Cropped chroma stays on its pixels", arguments: [PixelFormat.i420, .nv12, .yuyv])
  func cropChroma(format: PixelFormat) throws {
    let rgb = Image.drawn(.rgb8, 21, 15, color: .jpeg) { x, y in
      let (red, blue) = (40 + 8 * x, 60 + 8 * y)
      return [red, 100, blue]
    }
    let image = rgb.converted(to: format)
    for (x, y) in [(0, 0), (1, 0), (0, 1), (3, 5), (4, 2)] {
      let found = try image.cropped(x: x, y: y, width: 11, height: 9).converted(to: .rgb8)
      for (row, i) in product(2..<7, 6..<27) {
        #expect(abs(Int(found.row(row)[i]) - Int(rgb.row(y + row)[3 * x + i])) <= 3, "\(x) \(y) \(row) \(i)")
      }
    }
  }

  @Test(
    "Rectangles that are empty or reach outside are refused",
    arguments: [
      (0, 0, 0, 1), (0, 0, 5, 1), (-1, 0, 1, 1), (4, 0, 1, 1), (0, 2, 1, 2), (1, 1, .max, 1), (.max, 0, 1, 1),
    ])
  func badCrop(rectangle: (Int, Int, Int, Int)) {
    let image = Image(.rgb8, width: 4, height: 3)
    #expect(
      refusal { try image.cropped(x: rectangle.0, y: rectangle.1, width: rectangle.2, height: rectangle.3) }?.kind
        == .wrongArgument)
  }
}
