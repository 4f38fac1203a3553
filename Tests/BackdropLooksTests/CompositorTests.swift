import BackdropDepth
import BackdropImaging
import BackdropMatting
import CAllocationCounter
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct CompositorTests {
  static func matte(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Matte {
    let samples = (0..<width * height).map { _ -> UInt16 in
      switch Int.random(in: 0..<4, using: &random) {
      case 0: 0
      case 1: 32768
      default: UInt16.random(in: 0...32768, using: &random)
      }
    }
    return Matte(q15: Plane(samples, width: width, height: height, stride: width + 3))
  }

  /// The definition in double precision, before rounding.
  static func oracle(_ front: Image, _ back: Image, _ matte: Matte, inverse: Bool = false) -> [Double] {
    let values = matte.q15.samples.map { Double($0) / 32768 }
    var result: [Double] = []
    for plane in 0..<front.format.planeCount {
      let layout = front.layout(plane)
      let columns = plane == 0 ? front.width : (front.width + 1) / 2
      let scaled = MatteOracle.scaled(
        values, width: matte.width, height: matte.height, toWidth: columns, height: layout.rows)
      let channels = layout.rowBytes / columns
      for (y, x) in product(0..<layout.rows, 0..<layout.rowBytes) {
        let m = inverse ? 1 - scaled[y * columns + x / channels] : scaled[y * columns + x / channels]
        let f = Double(front.row(y, plane: plane)[x])
        let b = Double(back.row(y, plane: plane)[x])
        result.append(b + m * (f - b))
      }
    }
    return result
  }

  @Test(arguments: CPULevel.supported, Compositor.formats)
  func equalsTheOracle(cpu: CPULevel, format: PixelFormat) throws {
    let sizes = [(1, 1), (2, 1), (3, 5), (8, 8), (17, 9), (31, 12), (32, 4), (33, 7), (64, 3), (97, 41), (200, 9)]
    for (index, size) in sizes.enumerated() {
      for (other, matteSize) in [(1, 1), (4, 3), (16, 9), (40, 30), size].enumerated() {
        let seed = UInt64(index * 10 + other)
        var random = SeededRandom(seed: seed)
        let front = Image.noise(format, size.0, size.1, &random)
        let back = Image.noise(format, size.0, size.1, &random)
        let matte = Self.matte(matteSize.0, matteSize.1, &random)
        let compositor = try Compositor(
          .backdrop, width: size.0, height: size.1, format: format, workers: WorkerPool(threads: 1 + index % 3),
          cpu: cpu)
        try compositor.setBackground(.picture(back))
        var output = Image(format, width: 1, height: 1)
        try compositor.render(front, matte: matte, into: &output)
        let wanted = Self.oracle(front, back, matte)
        // Half a level for rounding, and 255 times the matte's error of 3.4 steps of 1/32768 and half a step more.
        let worst = zip(output.packedBytes, wanted).map { abs(Double($0) - $1) }.max()!
        #expect(worst <= 0.5 + 255 * 4.0 / 32768, "\(format) \(size) matte \(matteSize) seed \(seed)")
      }
    }
  }

  /// If the foreground's own colours are known, the compositor uses them where the matte shows the frame.
  @Test(arguments: Compositor.formats)
  func drawsTheForegroundsOwnColours(format: PixelFormat) throws {
    var random = SeededRandom(seed: 12)
    let frame = Image.noise(format, 61, 23, &random)
    let foreground = Image.noise(format, 61, 23, &random)
    let back = Image.noise(format, 61, 23, &random)
    let matte = Self.matte(20, 9, &random)
    let compositor = try Compositor(.backdrop, width: 61, height: 23, format: format, workers: WorkerPool(threads: 2))
    try compositor.setBackground(.picture(back))
    var output = Image(format, width: 61, height: 23)
    try compositor.render(frame, foreground: foreground, matte: matte, into: &output)
    var wanted = Image(format, width: 61, height: 23)
    try compositor.render(foreground, matte: matte, into: &wanted)
    #expect(output.packedBytes == wanted.packedBytes)
    #expect(throws: BackdropError.self) {
      try compositor.render(frame, foreground: Image(format, width: 60, height: 23), matte: matte, into: &output)
    }
  }

  /// Light of the background falls only on the edges of the foreground, and never where the matte is 0.
  @Test(arguments: Compositor.formats)
  func lightWrapsRoundTheEdges(format: PixelFormat) throws {
    let (width, height) = (320, 180)
    let frame = Image(RGBColor(red: 0.1, green: 0.1, blue: 0.1), format, width: width, height: height)
    let bright = Image(RGBColor(red: 0.9, green: 0.9, blue: 0.9), format, width: width, height: height)
    let plane = Plane<UInt16>(width: width, height: height) { x, _ in x >= 160 ? 32768 : 0 }
    let matte = Matte(q15: plane)
    for background in [Background.picture(bright), .color(RGBColor(red: 0.9, green: 0.9, blue: 0.9))] {
      let compositor = try Compositor(
        .backdrop, width: width, height: height, format: format, workers: WorkerPool(threads: 2))
      try compositor.setBackground(background)
      var (plain, lit) = (Image(format, width: 1, height: 1), Image(format, width: 1, height: 1))
      try compositor.render(frame, matte: matte, into: &plain)
      compositor.lightWrap = 1
      try compositor.render(frame, matte: matte, into: &lit)
      let (before, after) = (plain.converted(to: .bgra8), lit.converted(to: .bgra8))
      func green(_ image: Image, _ x: Int) -> Int { Int(image.row(90)[4 * x + 1]) }
      // At the edge α is 1 and its mean ½: half of the light. 60 pixels are many standard deviations of 4.8.
      #expect(abs(green(after, 160) - (green(before, 160) + (green(before, 10) - green(before, 160)) / 2)) <= 12)
      #expect(green(after, 220) == green(before, 220))
      #expect(green(after, 10) == green(before, 10))
    }
  }

  @Test(arguments: Compositor.formats)
  func fullAndEmptyMattesAreExact(format: PixelFormat) throws {
    var random = SeededRandom(seed: 5)
    let front = Image.noise(format, 75, 31, &random)
    let back = Image.noise(format, 75, 31, &random)
    let compositor = try Compositor(.backdrop, width: 75, height: 31, format: format, workers: WorkerPool(threads: 2))
    try compositor.setBackground(.picture(back))
    var output = Image(format, width: 75, height: 31)
    try compositor.render(front, matte: Matte(constant: 1, width: 40, height: 20), into: &output)
    #expect(output.packedBytes == front.packedBytes)
    try compositor.render(front, matte: Matte(constant: 0, width: 40, height: 20), into: &output)
    #expect(output.packedBytes == back.packedBytes)
    compositor.renderStandby(into: &output)
    #expect(output.packedBytes == back.packedBytes)
  }

  @Test func layersAreDrawnFromTheBottom() throws {
    var random = SeededRandom(seed: 6)
    let front = Image.noise(.bgra8, 40, 20, &random)
    let matte = Self.matte(10, 5, &random)
    let red = RGBColor(red: 0.8, green: 0.04, blue: 0.1)
    var look = Look.backdrop
    look.layers = [Look.Layer(.background), Look.Layer(.frame), Look.Layer(.color(red), through: .inverse)]
    let compositor = try Compositor(look, width: 40, height: 20, format: .bgra8, workers: WorkerPool(threads: 1))
    var output = Image(.bgra8, width: 40, height: 20)
    try compositor.render(front, matte: matte, into: &output)
    let wanted = Self.oracle(Image(red, .bgra8, width: 40, height: 20), front, matte, inverse: true)
    #expect(zip(output.packedBytes, wanted).allSatisfy { abs(Double($0) - $1) <= 0.55 })

    look.layers = [Look.Layer(.color(red)), Look.Layer(.frame)]
    let covering = try Compositor(look, width: 40, height: 20, format: .bgra8, workers: WorkerPool(threads: 1))
    try covering.render(front, matte: matte, into: &output)
    #expect(output.packedBytes == front.packedBytes)
  }

  @Test func noBackgroundIsBlackInEveryFormat() throws {
    for format in Compositor.formats {
      let compositor = try Compositor(.backdrop, width: 5, height: 5, format: format, workers: WorkerPool(threads: 1))
      var output = Image(format, width: 5, height: 5)
      var random = SeededRandom(seed: 1)
      try compositor.render(
        Image.noise(format, 5, 5, &random), matte: Matte(constant: 0, width: 2, height: 2), into: &output)
      let black: UInt8 = format.isYUV ? 16 : 0
      #expect(output.row(4)[0] == black)
      if format.isYUV { #expect(output.row(2, plane: 1)[1] == 128) }
    }
  }

  @Test func theStandbyFrameHoldsNothingOfABlurredFrame() throws {
    let compositor = try Compositor(.backdrop, width: 8, height: 8, format: .bgra8, workers: WorkerPool(threads: 1))
    try compositor.setBackground(.blur(sigma: 3))
    var output = Image(RGBColor.white, .bgra8, width: 8, height: 8)
    compositor.renderStandby(into: &output)
    #expect(output.packedBytes == Image(Compositor.standbyColor, .bgra8, width: 8, height: 8).packedBytes)
  }

  @Test func aBlurredBackgroundIsTheBlurredFrame() throws {
    var random = SeededRandom(seed: 9)
    let frame = Image.noise(.bgra8, 60, 40, &random)
    let compositor = try Compositor(.backdrop, width: 60, height: 40, format: .bgra8, workers: WorkerPool(threads: 1))
    try compositor.setBackground(.blur(sigma: 3))
    var output = Image(.bgra8, width: 60, height: 40)
    try compositor.render(frame, matte: Matte(constant: 0, width: 4, height: 4), into: &output)
    #expect(output.packedBytes == (try frame.blurred(sigma: 3)).packedBytes)
    for sigma in [0, -1, 0.4, 201, .nan, .infinity] {
      #expect(throws: BackdropError.self) { try compositor.setBackground(.blur(sigma: sigma)) }
      #expect(throws: BackdropError.self) { try compositor.setBackground(.bokeh(radius: sigma)) }
    }
  }

  /// A person of one colour in a room of another: the person does not bleed into the blurred real background.
  @Test(
    arguments: Compositor.formats,
    [Background.blur(sigma: 6), .blur(sigma: 0.5), .bokeh(radius: 5), .bokeh(radius: 30)])
  func thePersonDoesNotSpreadIntoTheBlur(format: PixelFormat, choice: Background) throws {
    let (width, height) = (160, 96)
    let behind = Image(RGBColor(red: 0.2, green: 0.4, blue: 0.3), format, width: width, height: height)
    let person = Image(RGBColor(red: 0.6, green: 0.2, blue: 0.2), format, width: width, height: height)
    let plane = Plane<UInt16>(width: width, height: height) { x, y in (60..<100).contains(x) && y >= 20 ? 32768 : 0 }
    let frame = try person.blended(over: behind, mask: plane)
    let compositor = try Compositor(
      .backdrop, width: width, height: height, format: format, workers: WorkerPool(threads: 2))
    try compositor.setBackground(choice)
    var output = Image(format, width: 1, height: 1)
    try compositor.render(frame, matte: Matte(q15: plane), into: &output)
    let worst = zip(output.packedBytes, frame.packedBytes).map { abs(Int($0) - Int($1)) }.max()!
    #expect(worst <= (format.isYUV ? 1 : 0), "\(format) \(choice)")
    // The person fills the frame: the compositor has no real background to show, and invents none.
    try compositor.render(person, matte: Matte(constant: 1, width: 8, height: 8), into: &output)
    #expect(output.packedBytes == person.packedBytes)
  }

  @Test func aPictureAfterABlurredFrameIsThePicture() throws {
    var random = SeededRandom(seed: 10)
    let frame = Image.noise(.bgra8, 60, 40, &random)
    let picture = Image.noise(.bgra8, 60, 40, &random)
    var look = Look.backdrop
    look.layers[0].blur = 3
    let compositor = try Compositor(look, width: 60, height: 40, format: .bgra8, workers: WorkerPool(threads: 1))
    let nobody = Matte(constant: 0, width: 4, height: 4)
    var output = Image(.bgra8, width: 60, height: 40)
    let wanted = try picture.blurred(sigma: 3).packedBytes
    for choice in [Background.picture(picture), .blur(sigma: 3), .picture(picture)] {
      try compositor.setBackground(choice)
      try compositor.render(frame, matte: nobody, into: &output)
    }
    #expect(output.packedBytes == wanted)
  }

  @Test func transparentBackgroundsLieOnBlack() throws {
    var picture = Image(.rgba8, width: 8, height: 8, color: .jpeg, alpha: .straight)
    for y in 0..<8 {
      var row = picture.mutableRow(y)
      for x in row.indices { row[x] = x % 4 == 3 ? 128 : 200 }
    }
    let compositor = try Compositor(.backdrop, width: 8, height: 8, format: .bgra8, workers: WorkerPool(threads: 1))
    try compositor.setBackground(.picture(picture))
    var output = Image(.bgra8, width: 8, height: 8)
    compositor.renderStandby(into: &output)
    // 200 · 128 / 255 = 100.4
    #expect(output.packedBytes == [UInt8](repeating: 0, count: 256).indices.map { $0 % 4 == 3 ? 255 : 100 })
  }

  @Test func settingsOfAnotherLookAreRefused() throws {
    var other = Look.backdrop
    other.parameters = []
    other.matte = .depth(cutoff: 1, margin: 0, sigma: 1, gamma: 1)
    let settings = try other.settings()
    #expect(throws: BackdropError.self) {
      _ = try Compositor(
        .backdrop, settings: settings, width: 8, height: 8, format: .bgra8, workers: WorkerPool(threads: 1))
    }
    var empty = Look.backdrop
    empty.layers = []
    #expect(throws: BackdropError.self) {
      _ = try Compositor(
        empty, settings: settings, width: 8, height: 8, format: .bgra8, workers: WorkerPool(threads: 1))
    }
  }

  @Test func wrongFramesAreRefused() throws {
    let compositor = try Compositor(.backdrop, width: 8, height: 8, format: .bgra8, workers: WorkerPool(threads: 1))
    var output = Image(.bgra8, width: 8, height: 8)
    let matte = Matte(constant: 0, width: 2, height: 2)
    #expect(throws: BackdropError.self) {
      try compositor.render(Image(.bgra8, width: 9, height: 8), matte: matte, into: &output)
    }
    #expect(throws: BackdropError.self) {
      try compositor.render(Image(.bgra8, width: 8, height: 8, orientation: .down), matte: matte, into: &output)
    }
    #expect(throws: BackdropError.self) {
      let empty = Matte(q15: Plane(repeating: 0, width: 0, height: 3))
      try compositor.render(Image(.bgra8, width: 8, height: 8), matte: empty, into: &output)
    }
    #expect(throws: BackdropError.self) {
      try compositor.render(Image(.rgba8, width: 8, height: 8), matte: matte, into: &output)
    }
    #expect(throws: BackdropError.self) {
      _ = try Compositor(.backdrop, width: 8, height: 8, format: .yuyv, workers: WorkerPool(threads: 1))
    }
  }

  /// From depth to the finished frame, all in the calling thread.
  @Test(.enabled(if: bd_allocation_count() >= 0, "needs glibc"), arguments: [PixelFormat.bgra8, .i420, .nv12])
  func allocatesNothingInSteadyState(format: PixelFormat) throws {
    var random = SeededRandom(seed: 8)
    let frame = Scene(
      image: Image.noise(format, 320, 180, &random),
      depth: DepthMap(metres: Plane(repeating: 0.5, width: 160, height: 120)),
      faces: [Rect(x: 100, y: 60, width: 40, height: 40)])
    let workers = WorkerPool(threads: 1)
    let maker = DepthMatteMaker(DepthMatteRecipe(), workers: workers)
    let compositor = try Compositor(.backdrop, width: 320, height: 180, format: format, workers: workers)
    try compositor.setBackground(.picture(Image.noise(format, 320, 180, &random)))
    var matte = Matte(constant: 0, width: 1, height: 1)
    try maker.update(&matte, from: frame)
    var output = Image(format, width: 320, height: 180)
    try compositor.render(frame.image, matte: matte, into: &output)
    let before = bd_allocation_count()
    for _ in 0..<100 {
      try maker.update(&matte, from: frame)
      try compositor.render(frame.image, matte: matte, into: &output)
    }
    #expect(bd_allocation_count() - before == 0)
  }
}
