import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct DeepFrameTests {
  private func frame(
    _ width: Int, _ height: Int, _ chroma: (width: Int, height: Int), _ bits: Int, _ random: inout SeededRandom
  ) -> DeepFrame {
    func plane(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Plane<UInt16> {
      Plane(width: width, height: height) { _, _ in .random(in: 0...UInt16(1 << bits - 1), using: &random) }
    }
    return DeepFrame(
      luma: plane(width, height, &random), cb: plane(chroma.width, chroma.height, &random),
      cr: plane(chroma.width, chroma.height, &random), bits: bits, color: .video)
  }

  /// The formula in fractions, over all small sizes and kinds of chroma.
  @Test(arguments: [8, 10, 16]) func restoring(bits: Int) throws {
    var random = SeededRandom(seed: 37)
    for (width, height) in product(1...9, 1...5) {
      let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
      for chroma in [(width, height), (halfWidth, height), (halfWidth, halfHeight)] {
        let (drawn, source, base) = (
          frame(width, height, chroma, bits, &random), frame(width, height, chroma, bits, &random),
          frame(width, height, chroma, bits, &random)
        )
        let weight = Plane<UInt16>(width: width, height: height) { _, _ in
          [0, 1 << 15, .random(in: 0...1 << 15, using: &random)][Int.random(in: 0...2, using: &random)]
        }
        let result = drawn.restoring(source, beyond: base, weight: weight)
        func check(_ plane: KeyPath<DeepFrame, Plane<UInt16>>) {
          for (y, x) in product(0..<result[keyPath: plane].height, 0..<result[keyPath: plane].width) {
            let (stepX, stepY) = (
              result[keyPath: plane].width == width ? 1 : 2, result[keyPath: plane].height == height ? 1 : 2
            )
            // The mean over the sample's pixels; beyond the edge the last pixel repeats.
            var sum = 0.0
            for (dy, dx) in product(0..<2, 0..<2) {
              sum += Double(
                weight[
                  min(stepX * x + (stepX - 1) * dx, width - 1), min(stepY * y + (stepY - 1) * dy, height - 1)])
            }
            let part = (sum / 4).rounded(.toNearestOrAwayFromZero) / 32768
            let exact =
              Double(drawn[keyPath: plane][x, y])
              + part * (Double(source[keyPath: plane][x, y]) - Double(base[keyPath: plane][x, y]))
            let wanted = min(max(exact, 0), Double(1 << bits - 1))
            #expect(abs(Double(result[keyPath: plane][x, y]) - wanted) <= 0.5 + 1e-9, "\(width)×\(height)")
          }
        }
        check(\.luma)
        check(\.cb)
        check(\.cr)
      }
    }
  }

  /// If the base is the drawn picture and the weight is one, the result is exactly the source.
  @Test func givesBackTheSource() {
    var random = SeededRandom(seed: 37)
    let (base, source) = (frame(7, 5, (4, 3), 10, &random), frame(7, 5, (4, 3), 10, &random))
    let weight = Plane<UInt16>(repeating: DeepFrame.one, width: 7, height: 5)
    #expect(base.restoring(source, beyond: base, weight: weight) == source)
    let none = Plane<UInt16>(repeating: 0, width: 7, height: 5)
    #expect(base.restoring(source, beyond: base, weight: none) == base)
  }

  @Test func padding() {
    var random = SeededRandom(seed: 37)
    let frame = frame(5, 3, (3, 2), 10, &random)
    let padded = frame.padded(width: 6, height: 4)
    #expect(padded.width == 6 && padded.height == 4 && padded.cb.width == 3 && padded.cb.height == 2)
    for y in 0..<4 { for x in 0..<6 { #expect(padded.luma[x, y] == frame.luma[min(x, 4), min(y, 2)]) } }
  }
}
