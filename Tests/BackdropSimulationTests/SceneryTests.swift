import BackdropImaging
import BackdropSimulation
import TestSupport
import Testing

@Suite("Scenery")
struct SceneryTests {
  @Test("Any size is drawn, opaque and in full", arguments: Scenery.allCases)
  func sizes(_ scenery: Scenery) {
    for (width, height) in [(1, 1), (2, 1), (1, 3), (17, 2), (3, 64), (64, 64), (101, 63)] {
      let image = scenery.image(width: width, height: height)
      #expect(image.format == .rgba8 && image.width == width && image.height == height)
      #expect(image.color == .jpeg && image.alpha == .opaque && image.orientation == .up)
      let bytes = image.packedBytes
      #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }, "\(width)×\(height)")
    }
  }

  @Test("Strips far wider or higher than a screen are drawn", arguments: Scenery.allCases)
  func strips(_ scenery: Scenery) {
    for (width, height) in [(5000, 1), (1, 5000), (3001, 7), (5, 2003)] {
      let image = scenery.image(width: width, height: height)
      #expect(image.width == width && image.height == height)
    }
  }

  @Test("The same size gives the same bytes, with any number of threads", arguments: Scenery.allCases)
  func deterministic(_ scenery: Scenery) {
    for (width, height) in [(163, 91), (1, 1), (7, 3), (5, 203)] {
      let bytes = scenery.image(width: width, height: height).packedBytes
      for threads in 1...3 {
        let again = scenery.image(width: width, height: height, workers: WorkerPool(threads: threads))
        #expect(again.packedBytes == bytes, "\(width)×\(height) with \(threads) threads")
      }
    }
  }

  /// A flat field with this grain has a variance of 1.21 from the part that the channels share, 0.08 from the dither, 0.32 because both use
  /// the same bytes, and 0.08 from rounding: a standard deviation of 1.3 levels.
  @Test("A scene is more than a flat field, and scenes differ", arguments: Scenery.allCases)
  func varied(_ scenery: Scenery) {
    let bytes = Self.samples(scenery.image(width: 160, height: 90))
    let mean = bytes.reduce(0, +) / Double(bytes.count)
    let variance = bytes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(bytes.count)
    #expect(variance > 100 * 1.3 * 1.3)
    for other in Scenery.allCases where other != scenery {
      let difference = Self.difference(bytes, Self.samples(other.image(width: 160, height: 90)))
      #expect(difference.mean > 10, "\(scenery) and \(other)")
    }
  }

  /// A scene has no fixed resolution, so the mean of the 4×4 or 3×3 samples under a pixel must be close to that pixel.
  ///
  /// Where the scene is smooth, only grain remains: its mean size is 0.8 × 1.3 ≈ 1 in the small picture (1.3: see above), and a third or
  /// fourth of that in the mean over the large one. Edges, stars and trees add to it, because samples are not linear in light and a pixel
  /// takes one sample of details finer than itself. The limit of 2.5 allows as much for them as for the grain, and one sample in 20 may
  /// differ by more than grain can explain. A scene shifted by a pixel of the small picture exceeds both limits (next test).
  @Test("Two sizes show the same scene", arguments: Scenery.allCases, [(320, 180, 4), (213, 121, 3), (90, 160, 4)])
  func scaleFree(_ scenery: Scenery, _ size: (width: Int, height: Int, factor: Int)) {
    let small = Self.samples(scenery.image(width: size.width, height: size.height))
    let large = scenery.image(width: size.width * size.factor, height: size.height * size.factor)
    let reduced = Self.reduced(large, by: size.factor)
    let difference = Self.difference(small, reduced)
    #expect(difference.mean < 2.5)
    #expect(difference.overEight < 0.05)
  }

  @Test("The comparison of sizes notices a shift by one pixel", arguments: Scenery.allCases)
  func comparisonCanFail(_ scenery: Scenery) {
    let reduced = Self.reduced(scenery.image(width: 1280, height: 720), by: 4)
    let shifted = Array(reduced.dropFirst(320 * 3)) + Array(reduced.suffix(320 * 3))
    let difference = Self.difference(Self.samples(scenery.image(width: 320, height: 180)), shifted)
    #expect(difference.mean > 2.5 && difference.overEight > 0.05)
  }

  /// Steps between sample values would show as bands, so the dither must leave hardly any run of equal samples.
  @Test("Gradients have no bands", arguments: [Scenery.dunes, .northern])
  func dithered(_ scenery: Scenery) {
    let image = scenery.image(width: 640, height: 360)
    for y in [20, 100] {
      let row = image.row(y)
      var (run, longest) = (1, 1)
      for x in 1..<640 {
        run = row[x * 4] == row[x * 4 - 4] ? run + 1 : 1
        longest = max(longest, run)
      }
      // Equal neighbours have a probability of about 1 / (2 √π 1.3) ≈ 0.22; 12 in a row among 640, of 0.22¹¹ × 640 ≈ 4e-5.
      #expect(longest < 12, "row \(y)")
    }
  }

  /// Red, green, blue of each pixel.
  private static func samples(_ image: Image) -> [Double] {
    let bytes = image.packedBytes
    return bytes.indices.compactMap { $0 % 4 == 3 ? nil : Double(bytes[$0]) }
  }

  /// The mean of each `factor`×`factor` block.
  private static func reduced(_ image: Image, by factor: Int) -> [Double] {
    let (width, height) = (image.width / factor, image.height / factor)
    var sums = [Double](repeating: 0, count: width * height * 3)
    for y in 0..<height * factor {
      let row = image.row(y)
      for x in 0..<width * factor {
        for c in 0..<3 { sums[((y / factor) * width + x / factor) * 3 + c] += Double(row[x * 4 + c]) }
      }
    }
    return sums.map { $0 / Double(factor * factor) }
  }

  private static func difference(_ a: [Double], _ b: [Double]) -> (mean: Double, overEight: Double) {
    let each = zip(a, b).map { abs($0 - $1) }
    return (
      each.reduce(0, +) / Double(each.count), Double(each.count { $0 > 8 }) / Double(each.count)
    )
  }
}
