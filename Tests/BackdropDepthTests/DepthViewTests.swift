import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth

/// Colours, legends, noise, errors and histograms of depth.
@Suite struct DepthViewTests {
  // OpenCV 4.11's COLORMAP_TURBO and COLORMAP_VIRIDIS at 255, 191, 128 (127), 64 and 0.
  @Test(
    arguments: [
      (DepthPalette.turbo, 0.25, (251, 128, 34), 8), (.turbo, 0.5, (164, 252, 60), 8),
      (.turbo, 0.75, (40, 188, 235), 8),
      (.viridis, 0, (253, 231, 37), 4), (.viridis, 0.25, (94, 201, 98), 4), (.viridis, 0.5, (33, 145, 140), 4),
      (.viridis, 0.75, (59, 82, 139), 4), (.viridis, 1, (68, 1, 84), 4), (.grey, 0, (255, 255, 255), 0),
      (.spectrum, 0.5, (0, 255, 0), 0), (.spectrum, 1, (0, 0, 255), 0),
    ] as [(DepthPalette, Double, (Int, Int, Int), Int)])
  func palettesAreTheKnownOnes(palette: DepthPalette, position: Double, expected: (Int, Int, Int), tolerance: Int) {
    let found = palette.color(at: position)
    #expect(abs(Int(found.red) - expected.0) <= tolerance, "\(found)")
    #expect(abs(Int(found.green) - expected.1) <= tolerance, "\(found)")
    #expect(abs(Int(found.blue) - expected.2) <= tolerance, "\(found)")
  }

  @Test(arguments: DepthPalette.allCases) func noPaletteHasTheColourOfHoles(palette: DepthPalette) {
    #expect(palette.table.allSatisfy { $0 != UInt32(0xFF00_0000).littleEndian } && palette.table.count == 1021)
  }

  @Test(arguments: DepthPalette.allCases, [false, true]) func legendAndPictureAgree(
    palette: DepthPalette, equalizes: Bool
  ) {
    var random = SeededRandom(seed: 4)
    let samples = (0..<4000).map { _ in
      Float.random(in: 0.5...2, using: &random) * Float.random(in: 0.5...2, using: &random)
    }
    let map = DepthMap(metres: Plane(samples, width: 80, height: 50))
    var colorizer = DepthColorizer(palette, equalizes: equalizes)
    let colors = colorizer.colors(for: map)
    let image = colors.image(of: map)
    for y in 0..<50 {
      let row = image.row(y)
      for x in 0..<80 {
        let color = colors.color(atMetres: map.metres[x, y])
        // Rounding may choose the neighbouring colour of the palette.
        #expect(abs(Int(row[4 * x]) - Int(color.red)) <= 2 && abs(Int(row[4 * x + 1]) - Int(color.green)) <= 2)
        #expect(abs(Int(row[4 * x + 2]) - Int(color.blue)) <= 2)
      }
    }
  }

  /// With equalisation each quarter of the pixels has a quarter of the palette.
  @Test func equalisingSpreadsColours() {
    let samples = (0..<1000).map { Float(1 + $0 * $0) / 100_000 + 1 }
    var colorizer = DepthColorizer(.grey, range: 1...11, equalizes: true)
    let image = colorizer.colors(for: DepthMap(metres: Plane(samples, width: 1000, height: 1))).image(
      of: DepthMap(metres: Plane(samples, width: 1000, height: 1)))
    let row = image.row(0)
    for quarter in 1..<4 {
      let expected = 255 * (1 - 0.88 * Double(quarter) / 4)
      #expect(abs(Double(row[4 * 250 * quarter]) - expected) < 6)
    }
  }

  @Test func aStreamsColoursFollowSlowly() {
    var colorizer = DepthColorizer()
    func map(_ far: Float) -> DepthMap {
      DepthMap(metres: Plane((0..<100).map { 1 + Float($0) * far / 99 }, width: 10, height: 10))
    }
    let first = colorizer.colors(for: map(1)).range
    let second = colorizer.colors(for: map(2)).range
    #expect(abs(first.upperBound - 1.98) < 0.02)
    #expect(abs(second.upperBound - first.upperBound - 0.05 * 0.98) < 0.01)
    let empty = colorizer.colors(for: DepthMap(metres: Plane(repeating: .nan, width: 4, height: 4)))
    #expect(empty.range == second)
  }

  @Test func colouringOverAPictureLeavesHoles() throws {
    var plane = Plane<Float>(repeating: 1, width: 4, height: 2)
    plane[3, 1] = .nan
    var image = Image(.rgba8, width: 8, height: 4)
    image.fill(.white)
    try DepthColors(range: 1...2).overlay(DepthMap(metres: plane), on: &image, opacity: 0.5)
    #expect(Array((0..<4).map { image.row(0)[$0] }) == [255, 128, 128, 255])
    #expect(Array((0..<4).map { image.row(3)[28 + $0] }) == [255, 255, 255, 255])
    var grey = Image(.gray8, width: 8, height: 4)
    #expect(throws: BackdropError.self) {
      try DepthColors(range: 1...2).overlay(DepthMap(metres: plane), on: &grey, opacity: 1)
    }
  }

  /// Gaussian noise of a known size on a tilted plane.
  @Test func noiseIsMeasured() throws {
    var random = SeededRandom(seed: 21)
    let plane = Plane<Float>(width: 280, height: 210) { x, y in
      let z = 1 / (0.5 + Double(x) * 2e-4 - Double(y) * 1e-4)
      // Twelve uniform numbers approximate a normal one.
      let bell = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
      return Float(z + 0.002 * z * z * bell)
    }
    let noise = try #require(DepthNoise(DepthMap(metres: plane)))
    #expect(noise.windows == 40 * 30)
    // The plane lies between 1.8 and 2.1 m, so its windows fall into both bands.
    #expect(noise.bands.map(\.fromMetres) == [1.5, 2] && noise.bands.map(\.toMetres) == [2, 3])
    #expect(noise.bands.reduce(0) { $0 + $1.windows } == noise.windows)
    // The median of 1200 standard deviations with 46 degrees of freedom is within 2 % of 0.993 of the true one.
    #expect(abs(noise.atOneMetre - 0.002 * 0.993) < 0.002 * 0.02, "seed 21: \(noise.atOneMetre)")
    #expect(DepthNoise(DepthMap(metres: Plane(repeating: .nan, width: 30, height: 30))) == nil)
    #expect(DepthNoise(DepthMap(metres: Plane(repeating: 1, width: 3, height: 3))) == nil)
    let flat = try #require(DepthNoise(DepthMap(metres: Plane(repeating: 2, width: 30, height: 30))))
    #expect(flat.metres < 1e-7)
  }

  // Khoshelham and Oude Elberink, 2012: "the random error increases … reaching 4 cm at the maximum range of 5 meters".
  @Test func expectedErrorsGrowWithTheSquare() throws {
    #expect(abs(DepthErrorModel.structuredLight.expected(atMetres: 5) - 0.0356) < 1e-4)
    let stereo = try DepthErrorModel(focalPixels: 640, baselineMetres: 0.05, disparityError: 0.08)
    #expect(abs(stereo.expected(atMetres: 2) - 4 * 0.08 / 32) < 1e-12)
    for (focal, base, error) in [(0, 1, 1), (1, 0, 1), (1, 1, -1), (.nan, 1, 1), (1e-300, 1e-300, 1)]
      as [(Double, Double, Double)]
    {
      #expect(throws: BackdropError.self) {
        try DepthErrorModel(focalPixels: focal, baselineMetres: base, disparityError: error)
      }
    }
  }

  @Test func histogramsCountEverything() throws {
    let map = DepthMap(metres: Plane([0.5, 1, 1.24, 1.25, 2, 2.1, .nan, 1.5], width: 4, height: 2))
    var histogram = try DepthHistogram(near: 1, far: 2, bins: 4)
    histogram.add(map)
    #expect(
      histogram.counts == [2, 1, 1, 1] && histogram.nearer == 1 && histogram.farther == 1 && histogram.holes == 1)
    histogram.add(map)
    #expect(histogram.counts == [4, 2, 2, 2] && histogram.holes == 2)
    for (near, far, bins) in [(1, 1, 4), (2, 1, 4), (0, .infinity, 4), (.nan, 1, 4), (0, 1, 0), (0, 1, 5000)]
      as [(Double, Double, Int)]
    {
      #expect(throws: BackdropError.self) { try DepthHistogram(near: near, far: far, bins: bins) }
    }
  }

  @Test(arguments: 0..<20) func theNextValueIsTheNearest(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let (width, height) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...20, using: &random))
    let samples = (0..<width * height).map { _ in Int.random(in: 0..<12, using: &random) == 0 ? Float(1) : .nan }
    let map = DepthMap(metres: Plane(samples, width: width, height: height))
    for (y, x) in product(0..<height, 0..<width) {
      let least = samples.indices.filter { samples[$0] == 1 }.map {
        ($0 % width - x) * ($0 % width - x) + ($0 / width - y) * ($0 / width - y)
      }.min()
      let found = map.nearestValid(x: x, y: y)
      #expect(found.map { ($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y) } == least, "seed \(seed), \(x), \(y)")
    }
    #expect(map.nearestValid(x: width, y: 0) == nil)
  }

  @Test func reportsSayWhatThereIs() {
    let report = DepthReport(DepthMap(metres: Plane([1, 2, 3, .nan], width: 2, height: 2)))
    #expect(
      report.holeFraction == 0.25 && report.percentiles["50"] == 2 && report.metres.maximum == 3 && report.noise == nil)
    let empty = DepthReport(DepthMap(metres: Plane(repeating: .nan, width: 2, height: 2)))
    #expect(empty.holeFraction == 1 && empty.percentiles.isEmpty)
  }
}
