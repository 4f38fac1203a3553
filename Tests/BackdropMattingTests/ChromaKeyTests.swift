import BackdropDepth
import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropMatting

/// Keys compared with the foreground drawn over the screen, and the row kernel compared with its definition.
@Suite struct ChromaKeyTests {
  private static let green = SIMD3(40.0, 180, 70), blue = SIMD3(30.0, 60, 200)

  /// A person in front of a screen: a disc with a soft rim, light on the left and dark on the right.
  private struct Stage {
    var image: Image
    var truth: Plane<Double>
    var colors: [SIMD3<Double>]

    /// - Parameters:
    ///   - falloff: how much darker the screen is at the right.
    ///   - spill: how much of the screen's colour is added to the foreground.
    init(
      _ width: Int, _ height: Int, _ screen: SIMD3<Double>, falloff: Double = 0, noise: Double = 0, spill: Double = 0,
      radius: Double = 0.3, isSkin: Bool = false
    ) {
      var random = SeededRandom(seed: 5)
      image = Image(.bgra8, width: width, height: height)
      truth = Plane(repeating: 0, width: width, height: height)
      colors = []
      for y in 0..<height {
        var bytes: [UInt8] = []
        for x in 0..<width {
          let (u, v) = ((Double(x) + 0.5) / Double(width) - 0.5, (Double(y) + 0.5) / Double(height) - 0.55)
          let away = (u * u + v * v * Double(height * height) / Double(width * width)).squareRoot()
          let alpha = min(max((radius - away) * Double(width) / 8, 0), 1)
          truth[x, y] = alpha
          let person = (isSkin ? SIMD3(200.0, 150, 130) : SIMD3(repeating: u < 0 ? 180 : 90)) + spill * screen
          let behind = screen * (1 - falloff * (u + 0.5))
          colors.append(person)
          for channel in [2, 1, 0] {
            let value = alpha * person[channel] + (1 - alpha) * behind[channel]
            bytes.append(
              UInt8(min(max(value + Double.random(in: -noise...noise, using: &random), 0), 255) + 0.5 - 1e-9))
          }
          bytes.append(255)
        }
        var row = image.mutableRow(y)
        for index in bytes.indices { row[index] = bytes[index] }
      }
    }

    /// The mean and the largest error of a matte.
    func error(_ matte: Matte) -> (mean: Double, largest: Double) {
      var (sum, largest) = (0.0, 0.0)
      for (y, x) in product(0..<truth.height, 0..<truth.width) {
        let difference = abs(Double(matte.q15[x, y]) / 32768 - truth[x, y])
        (sum, largest) = (sum + difference, max(largest, difference))
      }
      return (sum / Double(truth.width * truth.height), largest)
    }
  }

  private func key(_ stage: Stage, _ options: ChromaKeyer.Options = ChromaKeyer.Options()) throws -> (Matte, Image) {
    var (matte, foreground) = (Matte(constant: 0, width: 1, height: 1), Image(.bgra8, width: 1, height: 1))
    try ChromaKeyer(options, workers: WorkerPool(threads: 2)).update(&matte, foreground: &foreground, from: stage.image)
    return (matte, foreground)
  }

  @Test(arguments: [green, blue], [(320, 180), (161, 203), (97, 64)]) func evenScreens(
    _ screen: SIMD3<Double>, _ size: (Int, Int)
  ) throws {
    let stage = Stage(size.0, size.1, screen)
    let error = stage.error(try key(stage).0)
    // Stretching opacity from 0.04…0.9 to the whole range changes only the rim.
    let rim = (0..<size.1).reduce(0) { sum, y in sum + (0..<size.0).count { (0.001..<1).contains(stage.truth[$0, y]) } }
    #expect(error.mean < 0.07 * Double(rim) / Double(size.0 * size.1) && error.largest < 0.13)
  }

  /// Skin has less green and blue than grey, so its rim comes out narrower: opacity above 1 − e/(e + s) never becomes clear, where e is the
  /// excess that skin lacks and s the screen's.
  @Test(arguments: [green, blue]) func skin(_ screen: SIMD3<Double>) throws {
    let stage = Stage(320, 180, screen, isSkin: true)
    let matte = try key(stage).0
    let error = stage.error(matte)
    #expect(error.mean < 0.02 && error.largest < 0.45)
    for (y, x) in product(0..<180, 0..<320) where stage.truth[x, y] == 1 { #expect(matte.q15[x, y] == Matte.one) }
  }

  @Test func unevenAndNoisyScreens() throws {
    let stage = Stage(640, 360, Self.green, falloff: 0.45, noise: 6)
    let error = stage.error(try key(stage).0)
    // The noise of the excess is 4 to 8 % of it. The key treats three times that as clear, and the noise adds three times that.
    #expect(error.mean < 0.008 && error.largest < 0.4)
  }

  /// The foreground drawn over another background contains nothing of the screen.
  @Test(arguments: [0, 0.15]) func foregroundsAreClean(_ spill: Double) throws {
    let stage = Stage(320, 180, Self.green, spill: spill)
    let (matte, foreground) = try key(stage)
    var compared = 0
    for y in 0..<180 {
      let row = foreground.row(y)
      for x in 0..<320 where matte.q15[x, y] > 3277 {
        let found = SIMD3(Double(row[4 * x + 2]), Double(row[4 * x + 1]), Double(row[4 * x]))
        #expect(found.y <= max(found.x, found.z) + 1, "\(x), \(y)")
        // Thin rims contain too little of the foreground to recover its colour.
        if spill == 0 && stage.truth[x, y] > 0.5 {
          let away = found - stage.colors[y * 320 + x]
          #expect((away * away).sum().squareRoot() < 25, "\(x), \(y): \(found)")
          compared += 1
        }
      }
    }
    #expect(spill > 0 || compared > 1000)
  }

  @Test func screensAreFoundOrGiven() throws {
    var stage = Stage(320, 180, SIMD3(120.0, 118, 121))
    #expect(throws: BackdropError.self) { try key(stage) }
    var options = ChromaKeyer.Options()
    options.color = RGBColor(text: "#808080")
    #expect(refusal { try key(stage, options) }?.kind == .wrongArgument)
    // A red screen is not detected, because faces are red.
    stage = Stage(320, 180, SIMD3(200.0, 30, 40))
    #expect(throws: BackdropError.self) { try key(stage) }
    options.color = RGBColor(text: "#C81E28")
    // Skin has red, too.
    let kept = try key(Stage(320, 180, SIMD3(200.0, 30, 40)), options).0
    #expect(kept.q15[2, 2] == 0 && kept.q15[200, 99] == Matte.one)
  }

  @Test func aPictureOfTheScreenAloneShowsNobody() throws {
    let stage = Stage(320, 180, Self.green, noise: 3, radius: -1)
    #expect(try key(stage).0.coverage == 0)
  }

  /// Without a screen in the picture there is no matte, and the keyer reports an error.
  @Test func aScreenThatGoesAwayIsAFault() throws {
    let keyer = ChromaKeyer(workers: WorkerPool(threads: 1))
    var (matte, foreground) = (Matte(constant: 0, width: 1, height: 1), Image(.bgra8, width: 1, height: 1))
    try keyer.update(&matte, foreground: &foreground, from: Stage(320, 180, Self.green).image)
    #expect(keyer.confidence > 0.9)
    for _ in 0..<3 {
      #expect(
        refusal {
          try keyer.update(&matte, foreground: &foreground, from: Stage(320, 180, SIMD3(120, 118, 121)).image)
        }?.kind == .badData)
    }
    try keyer.update(&matte, foreground: &foreground, from: Stage(320, 180, Self.blue).image)
    #expect(Stage(320, 180, Self.blue).error(matte).mean < 0.006)
  }

  /// A grey picture has no screen, even if it is a single pixel.
  @Test func smallPicturesWithoutAScreen() throws {
    for (width, height) in [(1, 1), (2, 1), (1, 2), (3, 3)] {
      var image = Image(.bgra8, width: width, height: height)
      image.fill(RGBColor(red: 0.5, green: 0.5, blue: 0.5))
      let keyer = ChromaKeyer(workers: WorkerPool(threads: 1))
      var (matte, foreground) = (Matte(constant: 0, width: 1, height: 1), Image(.bgra8, width: 1, height: 1))
      #expect(refusal { try keyer.update(&matte, foreground: &foreground, from: image) }?.kind == .badData)
    }
  }

  /// All small sizes, where one-pixel errors would show.
  @Test func smallPictures() throws {
    for (width, height) in product(1...9, 1...5) {
      var image = Image(.bgra8, width: width, height: height)
      image.fill(RGBColor(text: "#00B140") ?? .black)
      var (matte, foreground) = (Matte(constant: 1, width: 1, height: 1), Image(.bgra8, width: 1, height: 1))
      try ChromaKeyer(workers: WorkerPool(threads: 1)).update(&matte, foreground: &foreground, from: image)
      #expect(matte.width == width && matte.height == height && matte.coverage == 0)
    }
  }

  private func screenRow(_ count: Int, _ random: inout SeededRandom) -> [Float] {
    (0..<3 * count).map { index in
      index < count ? Float.random(in: 120...250, using: &random) : Float.random(in: 0...90, using: &random)
    }
  }

  /// A screen whose colour changes evenly is known at each pixel, except beyond the centres of the outer cells.
  @Test(arguments: [(640, 360), (323, 181), (64, 36)]) func theMapGoesStraight(_ width: Int, _ height: Int) throws {
    func color(_ x: Double, _ y: Double) -> SIMD3<Double> {
      SIMD3(40, 150 + 60 * x / Double(width) - 30 * y / Double(height), 70)
    }
    let image = Image.drawn(.bgra8, width, height) { x, y in
      let wanted = color(Double(x) + 0.5, Double(y) + 0.5)
      return [2, 1, 0].map { Int(wanted[$0] + 0.5) } + [255]
    }
    var map = ScreenMap()
    map.update(image, try ScreenColor(bordering: image))
    let colors = map.wide(width, channels: [1, 2, 0])
    let (left, top) = (2 * width / ScreenMap.columns + 1, 2 * height / ScreenMap.rows + 1)
    for y in stride(from: top, to: height - top, by: 7) {
      let rows = ScreenMap.rows(at: y, height: height)
      for x in stride(from: left, to: width - left, by: 5) {
        let (a, b) = (Double(colors[rows.above * 3 * width + x]), Double(colors[rows.below * 3 * width + x]))
        // Bytes are rounded, samples of a cell lie slightly off its centre, and cells are smoothed with their neighbours.
        #expect(abs(a + Double(rows.part) * (b - a) - color(Double(x) + 0.5, Double(y) + 0.5).y) < 1.5, "\(x), \(y)")
      }
    }
  }

  /// The border is the top row of cells and the outer columns, not the floor.
  @Test func measuresTheBorder() throws {
    let (width, height) = (320, 180)
    func share(_ isScreen: (Int, Int) -> Bool) throws -> Double {
      let image = Image.drawn(.bgra8, width, height) { x, y in
        isScreen(x, y) ? [40, 200, 40, 255] : [90, 90, 90, 255]
      }
      var map = ScreenMap()
      map.update(image, try ScreenColor(#require(RGBColor(text: "#28C828"))))
      return map.borderShare
    }
    #expect(try share { _, _ in true } == 1)
    #expect(try share { x, y in y < 10 || x < 10 || x >= 310 } == 1)
    #expect(try share { x, y in y >= 10 && x >= 10 && x < 310 } == 0)
  }

  @Test(arguments: CPULevel.supported) func rows(_ cpu: CPULevel) {
    for count in Array(1...50) + [255, 256, 257] {
      var random = SeededRandom(seed: UInt64(count))
      let pixels = (0..<count).map { _ in UInt32.random(in: .min ... .max, using: &random) }
      let (above, below) = (screenRow(count, &random), screenRow(count, &random))
      let share = Float.random(in: 0...1, using: &random)
      var settings = bd_key_settings(main: 8, first: 0, second: 16, black: 0.1, white: 0.9, spill: 0.7)
      var (matte, target) = ([UInt16](repeating: 7, count: count + 1), [UInt32](repeating: 7, count: count + 1))
      cpu.kernels.key.row(pixels, count, above, below, share, &settings, &matte, &target)
      #expect(matte[count] == 7 && target[count] == 7)
      for x in 0..<count {
        func sample(_ pixel: UInt32, _ shift: Int32) -> Double { Double((pixel >> UInt32(shift)) & 255) }
        let colors = [8, 0, 16].map { sample(pixels[x], $0) }
        let behind = (0..<3).map { (plane: Int) -> Double in
          let (a, b) = (Double(above[plane * count + x]), Double(below[plane * count + x]))
          return a + Double(share) * (b - a)
        }
        let part = (colors[0] - max(colors[1], colors[2])) / max(1, behind[0] - max(behind[1], behind[2]))
        let opacity = min(max((1 - part - 0.1) / 0.8, 0), 1)
        #expect(abs(Double(matte[x]) - 32768 * opacity) < 1.1, "count \(count) x \(x)")
        #expect(target[x] >> 24 == pixels[x] >> 24)
        if opacity == 0 {
          #expect(target[x] == pixels[x])
          continue
        }
        let clear = min(max(part, 0), 63.0 / 64)
        var wanted = (0..<3).map { min(max((colors[$0] - clear * behind[$0]) / (1 - clear), 0), 255) }
        wanted[0] -= 0.7 * max(0, wanted[0] - max(wanted[1], wanted[2]))
        for (index, shift) in [Int32(8), 0, 16].enumerated() {
          #expect(abs(sample(target[x], shift) - wanted[index]) < 0.6, "count \(count) x \(x)")
        }
      }
    }
  }
}
