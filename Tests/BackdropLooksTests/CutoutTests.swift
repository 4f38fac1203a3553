import BackdropDepth
import BackdropImaging
import BackdropMatting
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropLooks

/// Pictures with straight alpha: the kernels' results, byte by byte, and the guarantees for programs that read the picture.
@Suite struct CutoutTests {
  static func pixels(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    (0..<4 * count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test(arguments: CPULevel.supported) func kernelsEqualTheirDefinition(cpu: CPULevel) {
    let kernels = cpu.kernels.cutout
    for width in Array(0...40) + [63, 64, 65, 257] {
      let seed = UInt64(width)
      var random = SeededRandom(seed: seed)
      let source = Self.pixels(width, &random)
      let mask = (0..<width).map { _ -> UInt16 in
        [0, 64, 65, 32767, 32768, 65535].randomElement(using: &random) ?? 0
      }.map { $0 == 64 ? UInt16.random(in: 0...65535, using: &random) : $0 }
      var cut = [UInt8](repeating: 7, count: 4 * width)
      kernels.cut(&cut, source, mask, width)
      var wanted: [UInt8] = []
      for x in 0..<width {
        // Half a level up: floor(m · 255 / 32768 + 1/2).
        let alpha = UInt8((Double(min(mask[x], 32768)) * 255 / 32768 + 0.5).rounded(.down))
        wanted += alpha == 0 ? [0, 0, 0, 0] : Array(source[4 * x..<4 * x + 3]) + [alpha]
      }
      #expect(cut == wanted, "cut, width \(width), seed \(seed)")
    }
  }

  /// Alpha is the matte, colours are the frame's, and all bytes are 0 where alpha is 0.
  @Test(arguments: Compositor.formats + [.gray8], [(1, 1), (7, 3), (16, 9), (97, 41)])
  func alphaIsTheMatte(format: PixelFormat, matteSize: (Int, Int)) throws {
    var random = SeededRandom(seed: 3)
    let frame = Image.noise(format, 97, 41, &random)
    let matte = CompositorTests.matte(matteSize.0, matteSize.1, &random)
    let cutout = try Cutout(width: 97, height: 41)
    var output = Image(.gray8, width: 1, height: 1)
    try cutout.cut(frame, matte: matte, into: &output)
    #expect(output.format == .bgra8 && output.alpha == .straight)
    let plain = frame.converted(to: .bgra8)
    let mask = matte.scaled(toWidth: 97, height: 41).image
    for y in 0..<41 {
      let (row, colors, alpha) = (output.row(y), plain.row(y), mask.row(y))
      for x in 0..<97 {
        #expect(row[4 * x + 3] == alpha[x])
        for c in 0..<3 { #expect(row[4 * x + c] == (alpha[x] == 0 ? 0 : colors[4 * x + c])) }
      }
    }
  }

  /// Estimating the foreground's own colours in bands of rows gives the same result as for the whole picture.
  @Test(arguments: [PixelFormat.rgb8, .rgba8, .bgra8], [(31, 17), (97, 700)])
  func bandsEqualTheWhole(format: PixelFormat, matteSize: (Int, Int)) throws {
    var random = SeededRandom(seed: 6)
    let frame = Image.noise(format, 97, 700, &random)
    let matte = CompositorTests.matte(matteSize.0, matteSize.1, &random)
    let cutout = try Cutout(width: 97, height: 700)
    let estimator = ForegroundEstimator(workers: WorkerPool(threads: 2))
    var (foreground, whole, banded) = (frame, frame, frame)
    try estimator.estimate(frame, matte: matte, into: &foreground)
    try cutout.cut(frame, foreground: foreground, matte: matte, into: &whole)
    for saves in [false, true] {
      let estimator = ForegroundEstimator(workers: WorkerPool(threads: 2))
      estimator.savesMemory = saves
      try cutout.cut(frame, estimatedBy: estimator, matte: matte, into: &banded)
      #expect(banded.packedBytes == whole.packedBytes, "\(saves)")
      #expect(banded.alpha == .straight && banded.format == .bgra8)
    }
  }

  /// The cutout drawn over a background equals the compositor's result. The tolerance is half a level for each rounding, of alpha and of
  /// both results, and the compositor's own step.
  @Test func overABackgroundItIsWhatTheCompositorDraws() throws {
    var random = SeededRandom(seed: 4)
    let front = Image.noise(.bgra8, 90, 60, &random)
    let back = Image.noise(.bgra8, 90, 60, &random)
    let matte = CompositorTests.matte(20, 15, &random)
    let compositor = try Compositor(.backdrop, width: 90, height: 60, format: .bgra8, workers: WorkerPool(threads: 1))
    try compositor.setBackground(.picture(back))
    var drawn = Image(.bgra8, width: 1, height: 1)
    try compositor.render(front, matte: matte, into: &drawn)
    var cut = Image(.bgra8, width: 1, height: 1)
    try Cutout(width: 90, height: 60).cut(front, matte: matte, into: &cut)
    var worst = 0.0
    for y in 0..<60 {
      let (a, b, d) = (cut.row(y), back.row(y), drawn.row(y))
      for i in 0..<360 where i % 4 != 3 {
        let alpha = Double(a[i / 4 * 4 + 3]) / 255
        worst = max(worst, abs(alpha * Double(a[i]) + (1 - alpha) * Double(b[i]) - Double(d[i])))
      }
    }
    #expect(worst <= 1.1, "\(worst)")
  }

  /// A blue person in a red room: hidden pixels are black, never red.
  @Test(arguments: CPULevel.supported) func hiddenPixelsHoldNothingOfTheBackground(cpu: CPULevel) throws {
    var frame = Image(.bgra8, width: 200, height: 100)
    frame.fill(RGBColor(red: 1, green: 0, blue: 0))
    var mask = Plane<UInt16>(repeating: 0, width: 200, height: 100)
    for (y, x) in product(0..<100, 0..<40) {
      var row = frame.mutableRow(y)
      (row[4 * x], row[4 * x + 2]) = (200, 0)
      mask[x, y] = 32768
    }
    let cutout = try Cutout(width: 200, height: 100, cpu: cpu)
    var output = Image(.bgra8, width: 200, height: 100)
    try cutout.cut(frame, matte: Matte(q15: mask), into: &output)
    for y in 0..<100 {
      let row = output.row(y)
      for x in 0..<200 {
        let pixel = (0..<4).map { row[4 * x + $0] }
        #expect(pixel == [x < 40 ? 200 : 0, 0, 0, x < 40 ? 255 : 0], "\(x) \(y)")
      }
    }
    // After an empty matte nothing of the previous frame remains.
    try cutout.cut(frame, matte: Matte(constant: 0, width: 3, height: 2), into: &output)
    #expect(output.packedBytes.allSatisfy { $0 == 0 })
  }

  @Test func cleanColoursReplaceTheFrames() throws {
    let (red, blue) = (RGBColor(red: 1, green: 0, blue: 0), RGBColor(red: 0, green: 0, blue: 1))
    let cutout = try Cutout(width: 8, height: 6)
    var output = Image(.bgra8, width: 1, height: 1)
    try cutout.cut(
      Image(red, .rgba8, width: 8, height: 6), foreground: Image(blue, .rgba8, width: 8, height: 6),
      matte: Matte(constant: 0.5, width: 1, height: 1), into: &output)
    #expect((0..<4).map { output.row(5)[28 + $0] } == [255, 0, 0, 128])
    cutout.clear(&output)
    #expect(output.packedBytes.allSatisfy { $0 == 0 } && output.alpha == .straight)
  }

  @Test func refusesWhatItCannotCut() throws {
    let cutout = try Cutout(width: 8, height: 6)
    var output = Image(.bgra8, width: 1, height: 1)
    let good = Image(.white, .bgra8, width: 8, height: 6)
    #expect(throws: BackdropError.self) {
      try cutout.cut(
        Image(.white, .bgra8, width: 6, height: 8), matte: Matte(constant: 1, width: 1, height: 1), into: &output)
    }
    #expect(throws: BackdropError.self) {
      try cutout.cut(
        good, foreground: Image(.white, .bgra8, width: 8, height: 7), matte: Matte(constant: 1, width: 1, height: 1),
        into: &output)
    }
    #expect(throws: BackdropError.self) {
      try cutout.cut(good, matte: Matte(q15: Plane(uninitializedWidth: 0, height: 0)), into: &output)
    }
    #expect(throws: BackdropError.self) { try Cutout(width: 0, height: 6) }
  }

  @Test func looksThatDrawMoreHaveNoCutout() throws {
    for look in Look.builtIn where look.matteSource == .depth { #expect(look.isCutout) }
    var look = Look.backdrop
    look.layers = [Look.Layer(.color(.white)), Look.Layer(.frame, through: .matte)]
    #expect(!look.isCutout)
    #expect(throws: BackdropError.self) { try Cutout(look, width: 8, height: 8) }
    look.layers = [Look.Layer(.background), Look.Layer(.frame, blur: 3, through: .matte)]
    #expect(!look.isCutout)
  }
}
