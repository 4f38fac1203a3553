import BackdropImaging
import TestSupport
import Testing

/// Compared with a calculation sample by sample, for small sizes and strides of all kinds.
@Suite struct PlaneSampleTests {
  static let sizes = [0, 1, 2, 3, 7, 16, 33]

  static func plane(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Plane<Int16> {
    let samples = (0..<width * height).map { _ in Int16.random(in: -1000...1000, using: &random) }
    return Plane(samples, width: width, height: height, stride: width + Int.random(in: 0...5, using: &random))
  }

  @Test(arguments: sizes, sizes) func changesEachSample(width: Int, height: Int) {
    var random = SeededRandom(seed: 7)
    let (first, second) = (Self.plane(width, height, &random), Self.plane(width, height, &random))
    #expect(first.map { Double($0) / 2 }.samples == first.samples.map { Double($0) / 2 })
    var (halved, sum) = (first, first)
    halved.update { $0 / 2 }
    sum.update(with: second, +)
    #expect(halved.samples == first.samples.map { $0 / 2 })
    #expect(sum.samples == zip(first.samples, second.samples).map { $0 + $1 })
    let positions = Plane(width: width, height: height) { x, y in 100 * y + x }
    #expect(positions.samples == (0..<height).flatMap { y in (0..<width).map { 100 * y + $0 } })
  }

  /// The sample whose area contains the centre of the new one.
  @Test(arguments: sizes.dropFirst(), sizes) func takesTheNearest(from width: Int, to other: Int) {
    var random = SeededRandom(seed: 8)
    let plane = Self.plane(width, width + 1, &random)
    let found = plane.nearest(width: other, height: 2 * other)
    for (y, x) in product(0..<2 * other, 0..<other) {
      let left = Int((Double(x) + 0.5) * Double(width) / Double(other))
      let top = Int((Double(y) + 0.5) * Double(width + 1) / Double(2 * other))
      #expect(found[x, y] == plane[left, top])
    }
  }

  /// Beyond the plane its edge repeats.
  @Test(arguments: [-40, -3, -1, 0, 1, 2, 6, 50], [0, 1, 5, 9, 60]) func looksThroughAWindow(start: Int, side: Int) {
    var random = SeededRandom(seed: 9)
    let plane = Self.plane(7, 5, &random)
    let found = plane.window(IntegerRect(x: start, y: -start, width: side, height: side + 1))
    #expect(found.width == side && found.height == side + 1)
    for (y, x) in product(0..<side + 1, 0..<side) {
      #expect(found[x, y] == plane[min(max(start + x, 0), 6), min(max(y - start, 0), 4)])
    }
  }

  @Test(arguments: [PixelFormat.rgb8, .rgba8, .bgra8]) func separatesChannels(format: PixelFormat) throws {
    let count = format == .rgb8 ? 3 : 4
    let bytes = (0..<3 * 2 * count).map { UInt8($0) }
    var image = try Image(format, width: 3, height: 2, packed: bytes.span)
    for channel in 0..<count {
      #expect(image.channel(channel).samples == (0..<6).map { bytes[count * $0 + channel] })
    }
    guard format.hasAlpha else { return }
    image.setChannel(2, to: Plane(repeating: 200, width: 3, height: 2))
    #expect(image.channel(2).samples == [UInt8](repeating: 200, count: 6))
    #expect(image.channel(3).samples == (0..<6).map { bytes[4 * $0 + 3] })
  }
}
