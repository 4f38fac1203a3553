import TestSupport
import Testing

@testable import BackdropImaging

/// Scaling compared with a slow sum over all source samples in Double.
@Suite struct ResampleTests {
  /// The weights of all source samples for one output coordinate, by definition: half-pixel centres, taps outside moved to the edge,
  /// weights scaled to a sum of 1.
  static func weights(
    _ filter: ScaleFilter, at i: Int, from sourceCount: Int, origin: Double, step: Double, range: Range<Int>
  )
    -> [Double]
  {
    var result = [Double](repeating: 0, count: sourceCount)
    func add(_ index: Int, _ weight: Double) {
      result[min(max(index, range.lowerBound), range.upperBound - 1)] += weight
    }
    let filter = filter == .automatic ? (step > 1 ? ScaleFilter.area : .bicubic) : filter
    let center = origin + (Double(i) + 0.5) * step - 0.5
    for j in -sourceCount - 4...2 * sourceCount + 4 {
      let t = abs(center - Double(j))
      switch filter {
      case .bilinear: add(j, max(0, 1 - t))
      case .bicubic(let b, let c):
        if t < 1 {
          add(j, ((12 - 9 * b - 6 * c) * t * t * t + (-18 + 12 * b + 6 * c) * t * t + (6 - 2 * b)) / 6)
        } else if t < 2 {
          let cubic = (-b - 6 * c) * t * t * t + (6 * b + 30 * c) * t * t
          add(j, (cubic + (-12 * b - 48 * c) * t + (8 * b + 24 * c)) / 6)
        }
      default:
        let (start, end) = (origin + Double(i) * step, origin + Double(i + 1) * step)
        add(j, max(0, min(end, Double(j) + 1) - max(start, Double(j))))
      }
    }
    let sum = result.reduce(0, +)
    return result.map { $0 / sum }
  }

  static func oracle(_ source: [Double], width: Int, height: Int, across: [[Double]], down: [[Double]]) -> [Double] {
    var result: [Double] = []
    for row in down {
      var mixed = [Double](repeating: 0, count: width)
      for y in 0..<height where row[y] != 0 { for x in 0..<width { mixed[x] += row[y] * source[y * width + x] } }
      for column in across {
        var sum = 0.0
        for x in 0..<width { sum += column[x] * mixed[x] }
        result.append(sum)
      }
    }
    return result
  }

  static func oracle(_ source: [Double], width: Int, height: Int, toWidth: Int, toHeight: Int, filter: ScaleFilter)
    -> [Double]
  {
    let identity = (width == toWidth, height == toHeight)
    let across = (0..<toWidth).map { i in
      identity.0
        ? (0..<width).map { $0 == i ? 1.0 : 0 }
        : weights(filter, at: i, from: width, origin: 0, step: Double(width) / Double(toWidth), range: 0..<width)
    }
    let down = (0..<toHeight).map { i in
      identity.1
        ? (0..<height).map { $0 == i ? 1.0 : 0 }
        : weights(filter, at: i, from: height, origin: 0, step: Double(height) / Double(toHeight), range: 0..<height)
    }
    return oracle(source, width: width, height: height, across: across, down: down)
  }

  static let filters: [ScaleFilter] = [
    .bilinear, .bicubic, .bicubic(b: 1, c: 0), .bicubic(b: 1.0 / 3, c: 1.0 / 3), .area, .automatic,
  ]

  /// Tolerance: Float weights and sums put a sample off by less than 16 roundings of 2^-24 of the largest sample.
  static func check<Sample: PixelSample & Comparable>(
    _ type: Sample.Type, width: Int, height: Int, toWidth: Int, toHeight: Int, filter: ScaleFilter, level: CPULevel,
    seed: UInt64, stride: Int? = nil, sample: (inout SeededRandom) -> Sample, value: (Sample) -> Double, top: Double,
    tolerance: Double
  ) throws {
    var random = SeededRandom(seed: seed)
    let samples = (0..<width * height).map { _ in sample(&random) }
    let plane = Plane(samples, width: width, height: height, stride: stride)
    let expected = oracle(
      samples.map(value), width: width, height: height, toWidth: toWidth, toHeight: toHeight, filter: filter)
    let output = try plane.scaled(toWidth: toWidth, height: toHeight, filter: filter, level: level)
    var worst = 0.0
    for (got, want) in zip(output.samples, expected) {
      worst = max(worst, abs(value(got) - min(max(want, top > 1 ? 0 : -9), top > 1 ? top : 9)))
    }
    #expect(
      worst <= tolerance, "\(type) \(width)×\(height) to \(toWidth)×\(toHeight) \(filter) \(level) seed \(seed)")
  }

  @Test(arguments: CPULevel.supported, filters)
  func smallSizes(level: CPULevel, filter: ScaleFilter) throws {
    var seed: UInt64 = 0
    for (width, height) in product(1...17, [1, 2, 3, 5, 9]) {
      for (toWidth, toHeight) in [
        (width, height), (1, 1), (2 * width, 3 * height), (width / 2 + 1, height + 4), (23, 1), (7, 11),
      ] {
        seed += 1
        try Self.check(
          UInt8.self, width: width, height: height, toWidth: toWidth, toHeight: toHeight, filter: filter,
          level: level,
          seed: seed, stride: seed % 2 == 0 ? width + 1 : nil, sample: { UInt8($0.next() & 255) },
          value: { Double($0) },
          top: 255, tolerance: 0.501)
        try Self.check(
          UInt16.self, width: width, height: height, toWidth: toWidth, toHeight: toHeight, filter: filter,
          level: level,
          seed: seed, sample: { UInt16($0.next() & 65535) }, value: { Double($0) }, top: 65535, tolerance: 0.55)
        try Self.check(
          Float.self, width: width, height: height, toWidth: toWidth, toHeight: toHeight, filter: filter,
          level: level,
          seed: seed, stride: seed % 3 == 0 ? width + 5 : nil, sample: { Float.random(in: -1...1, using: &$0) },
          value: { Double($0) }, top: 1, tolerance: 2e-6)
      }
    }
  }

  @Test(arguments: CPULevel.supported)
  func largerSizes(level: CPULevel) throws {
    for (index, (from, to)) in [
      ((160, 61), (320, 135)), ((97, 75), (131, 40)), ((320, 45), (80, 15)), ((64, 48), (65, 49)),
    ].enumerated() {
      for filter in Self.filters {
        try Self.check(
          UInt8.self, width: from.0, height: from.1, toWidth: to.0, toHeight: to.1, filter: filter, level: level,
          seed: UInt64(index), sample: { UInt8($0.next() & 255) }, value: { Double($0) }, top: 255, tolerance: 0.501)
      }
    }
  }

  /// Expected planes: each component separately, with luma's step for chroma too.
  static func imageOracle(
    _ image: Image, region: Rect, width: Int, height: Int, filter: ScaleFilter
  ) -> [[Double]] {
    func axis(_ count: Int, _ start: Double, _ length: Double, _ outputs: Int, _ halved: Bool) -> (Int, [[Double]]) {
      let step = length / Double(outputs)
      let low = Int(start.rounded(.down))
      let high = Int((start + length).rounded(.up))
      if !halved {
        if step == 1 && start == 0 && outputs == count {
          return (count, (0..<count).map { i in (0..<count).map { $0 == i ? 1 : 0 } })
        }
        return (
          count,
          (0..<outputs).map { weights(filter, at: $0, from: count, origin: start, step: step, range: low..<high) }
        )
      }
      let chroma = (count + 1) / 2
      if step == 1 && start == 0 && outputs == count {
        return (chroma, (0..<chroma).map { i in (0..<chroma).map { $0 == i ? 1 : 0 } })
      }
      return (
        chroma,
        (0..<(outputs + 1) / 2).map {
          weights(filter, at: $0, from: chroma, origin: start / 2, step: step, range: low / 2..<(high + 1) / 2)
        }
      )
    }
    return image.channels.map { part in
      let (w, across) = axis(image.width, region.x, region.width, width, part.halvedX)
      let (h, down) = axis(image.height, region.y, region.height, height, part.halvedY)
      return oracle(part.values, width: w, height: h, across: across, down: down)
    }
  }

  @Test(arguments: CPULevel.supported, PixelFormat.allCases.filter { $0 != .grayFloat })
  func images(level: CPULevel, format: PixelFormat) throws {
    var seed: UInt64 = 0
    for (width, height) in [(1, 1), (2, 2), (3, 5), (8, 6), (17, 9), (33, 12), (40, 31)] {
      for (toWidth, toHeight) in [(1, 1), (5, 4), (16, 9), (31, 33), (80, 50)] {
        for filter in [ScaleFilter.automatic, .bilinear] {
          seed += 1
          let image = Image.random(format, width: width, height: height, seed: seed)
          let full = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
          let crop = Rect.filling(width: width, height: height, targetWidth: toWidth, targetHeight: toHeight)
          for region in [full, crop] {
            let scaler = try ImageScaler(
              format, sourceWidth: width, sourceHeight: height, region: region, width: toWidth, height: toHeight,
              filter: filter, level: level)
            var output = image.sibling(width: toWidth, height: toHeight)
            try scaler.apply(image, into: &output, scratch: ScratchMemory())
            let expected = Self.imageOracle(image, region: region, width: toWidth, height: toHeight, filter: filter)
            let top = format == .gray16 ? 65535.0 : 255
            for (index, (part, want)) in zip(output.channels, expected).enumerated() {
              #expect(part.values.count == want.count)
              let worst = zip(part.values, want).map { abs($0 - min(max($1, 0), top)) }.max() ?? 0
              #expect(
                worst <= 0.55,
                "\(format) \(width)×\(height) to \(toWidth)×\(toHeight) \(filter) channel \(index) \(level) seed \(seed)"
              )
            }
          }
        }
      }
    }
  }

  /// Halving both axes has its own kernel: the mean of 2×2 bytes, rounded half up.
  @Test(arguments: CPULevel.supported, [PixelFormat.gray8, .bgra8, .rgba8, .rgb8, .i420, .nv12, .yuyv])
  func halving(level: CPULevel, format: PixelFormat) throws {
    for (width, height) in product(1...45, 1...3) {
      let image = Image.random(format, width: 4 * width, height: 4 * height, seed: UInt64(width))
      let scaler = try ImageScaler(
        format, sourceWidth: 4 * width, sourceHeight: 4 * height, region: nil, width: 2 * width, height: 2 * height,
        filter: .area, level: level)
      var output = image.sibling(width: 2 * width, height: 2 * height)
      try scaler.apply(image, into: &output, scratch: ScratchMemory())
      for (before, after) in zip(image.channels, output.channels) {
        var wrong = 0
        for (y, x) in product(0..<after.height, 0..<after.width) {
          let i = 2 * y * before.width + 2 * x
          let sum =
            before.values[i] + before.values[i + 1] + before.values[i + before.width]
            + before.values[i + before.width + 1]
          if after.values[y * after.width + x] != ((sum + 2) / 4).rounded(.down) { wrong += 1 }
        }
        #expect(wrong == 0, "\(format) \(4 * width)×\(4 * height) \(level)")
      }
    }
  }

  @Test func wrongArguments() {
    let image = Image.random(.bgra8, width: 4, height: 3, seed: 1)
    #expect(throws: BackdropError.self) { try image.scaled(toWidth: 0, height: 3) }
    #expect(throws: BackdropError.self) { try image.filling(width: 5, height: -1) }
    #expect(throws: BackdropError.self) { try image.fitting(width: 5_000_000, height: 3) }
    #expect(throws: BackdropError.self) {
      try ImageScaler(
        .bgra8, sourceWidth: 4, sourceHeight: 3, region: .init(x: 2, y: 0, width: .nan, height: 3), width: 2, height: 2)
    }
    #expect(throws: BackdropError.self) {
      let scaler = try ImageScaler(.bgra8, sourceWidth: 5, sourceHeight: 3, width: 2, height: 2)
      var output = Image(.bgra8, width: 2, height: 2)
      try scaler.apply(image, into: &output, scratch: ScratchMemory())
    }
  }

  /// A picture of 3:1 fitted into a frame of 9:1 and the same height lies unscaled in the middle third.
  @Test(arguments: PixelFormat.allCases.filter { $0 != .grayFloat && $0 != .gray16 })
  func fitting(format: PixelFormat) throws {
    let image = Image.random(format, width: 12, height: 4, seed: 3)
    let fitted = try image.fitting(width: 36, height: 4, bars: .white)
    let expected = Image.random(format, width: 12, height: 4, seed: 3)
    for y in 0..<4 {
      let pixel = format.rowBytes(plane: 0, width: 2) / 2
      let row = fitted.row(y)
      for i in 0..<12 * pixel { #expect(row[12 * pixel + i] == expected.row(y)[i]) }
      if !format.isYUV { for i in 0..<12 * pixel { #expect(row[i] == 255) } }
      // White in limited range BT.709 is Y′ 235, Cb = Cr = 128.
      if format.isYUV { #expect(row[0] == 235 && row[35 * pixel] == 235) }
    }
  }
}

/// A part at the upper left corner, without scaling, is a copy.
@Test func partsThatAreNotScaledAreCopies() throws {
  var random = SeededRandom(seed: 41)
  let image = Image.noise(.rgb8, 40, 30, &random)
  for (x, y) in [(0, 0), (5, 0), (0, 7), (3, 9)] {
    let scaler = try ImageScaler(
      .rgb8, sourceWidth: 40, sourceHeight: 30,
      region: Rect(x: Double(x), y: Double(y), width: 20, height: 15), width: 20, height: 15)
    var output = Image(.rgb8, width: 20, height: 15)
    try scaler.apply(image, into: &output, scratch: ScratchMemory())
    for (row, i) in product(0..<15, 0..<60) { #expect(output.row(row)[i] == image.row(row + y)[3 * x + i], "seed 41") }
  }
}
