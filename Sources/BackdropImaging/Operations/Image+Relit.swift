import CBackdropKernels

extension Image {
  /// The picture in another light.
  ///
  /// It changes colour pictures of 8 bits; NV12 and YUYV become I420. Grey pictures, and those with more bits, stay unchanged.
  package func relit(_ light: PictureLight, pool: ImagePool? = nil, level: CPULevel = .current) -> Image {
    guard !light.isNeutral else { return self }
    switch format {
    case .i420: return relitPlanes(light, pool, level)
    case .nv12, .yuyv: return converted(to: .i420, pool: pool).relitPlanes(light, pool, level)
    case .bgra8, .rgba8, .rgb8: return relitPixels(light, pool, level)
    case .gray8, .gray16, .grayFloat: return self
    }
  }

  private func relitPlanes(_ light: PictureLight, _ pool: ImagePool?, _ level: CPULevel) -> Image {
    var result = sibling(pool: pool)
    let (kernels, known) = (level.kernels.light, light.levels(color))
    func part(_ value: Double) -> Int16 { Int16((value * 256).rounded()) }
    var levels = bd_light_levels(
      black: known.black, white: known.white, tint: (part(known.tint.x), part(known.tint.y)),
      blue: (part(known.blue.x), part(known.blue.y), part(known.blue.z)),
      red: (part(known.red.x), part(known.red.y), part(known.red.z)))
    var gains = LightGains(light.curve, size: (width, height), levels: (known.black, known.white), kernels)
    // The last of an odd number of rows is its own neighbour, and is written once.
    var spare = [UInt8](repeating: 0, count: height % 2 == 0 ? 0 : width)
    withRows(into: &result) { from, to in
      spare.withUnsafeMutableBufferPointer { spare in
        for y in stride(from: 0, to: height, by: 2) {
          let isWhole = y + 1 < height
          var rows = bd_light_rows(
            upper: from.row(y), lower: from.row(isWhole ? y + 1 : y), blue: from.row(y / 2, 1),
            red: from.row(y / 2, 2), upper_to: to.row(y), lower_to: isWhole ? to.row(y + 1) : spare.baseAddress,
            blue_to: to.row(y / 2, 1), red_to: to.row(y / 2, 2))
          gains.withRow(y / 2) { kernels.planar(&rows, $0, width, &levels) }
        }
      }
    }
    return result
  }

  private func relitPixels(_ light: PictureLight, _ pool: ImagePool?, _ level: CPULevel) -> Image {
    var result = sibling(pool: pool)
    let kernels = level.kernels.light
    var gains = LightGains(light.curve, size: (width, height), levels: (0, 255), kernels)
    let (matrix, red) = (color.matrix, format == .bgra8 ? 2 : 0)
    let step = format == .rgb8 ? 3 : 4
    func part(_ value: Double) -> Int16 { Int16((value * 256).rounded()) }
    let scales = [light.balance.x, light.balance.y, light.balance.z].map { part(PictureLight.limited($0)) }
    let weights = [part(matrix.kr), 256 - part(matrix.kr) - part(matrix.kb), part(matrix.kb)]
    withRows(into: &result) { from, to in
      for y in 0..<height {
        gains.withRow(y / 2) { gains in
          kernels.pixels(from.row(y), gains, width, Int32(step), Int32(red), scales, weights, to.row(y))
        }
      }
    }
    return result
  }
}

/// Gains for each pair of rows, from a coarse grid: interpolated across once per grid row, and down between two of them.
struct LightGains {
  private let kernels: bd_light_kernels
  private let coarse: [[Int16]]
  private let count: Int, pace: Double
  /// The grid rows in ``above`` and ``below``.
  private var held = (-1, -1)
  private var above: [Int16], below: [Int16], row: [Int16]

  init(
    _ curve: Plane<Float>, size: (width: Int, height: Int), levels: (black: Int16, white: Int16),
    _ kernels: bd_light_kernels
  ) {
    self.kernels = kernels
    coarse = (0..<curve.height).map { y in
      (0..<curve.width).map { x in PictureLight.gain(curve[x, y], black: levels.black, white: levels.white) }
    }
    count = (size.width + 1) / 2
    pace = Double(curve.height) / Double((size.height + 1) / 2)
    (above, below) = ([Int16](repeating: 0, count: count), [Int16](repeating: 0, count: count))
    row = [Int16](repeating: coarse[0][0], count: count)
  }

  /// Calls `body` with the gains of the rows 2 `y` and 2 `y` + 1.
  mutating func withRow(_ y: Int, _ body: (UnsafePointer<Int16>) -> Void) {
    if coarse.count > 1 || coarse[0].count > 1 { fill(y) }
    // A picture has columns, so the row is not empty.
    row.withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  private mutating func fill(_ y: Int) {
    let position = min(max((Double(y) + 0.5) * pace - 0.5, 0), Double(coarse.count - 1))
    let (first, part) = (Int(position), Int16((position - Double(Int(position))) * 128))
    let second = min(first + 1, coarse.count - 1)
    if held.1 == first && held.0 != first {
      swap(&above, &below)
      held = (first, -1)
    }
    if held.0 != first { spread(first, &above) }
    if held.1 != second { spread(second, &below) }
    held = (first, second)
    kernels.between(above, below, part, count, &row)
  }

  private func spread(_ index: Int, _ to: inout [Int16]) {
    let samples = coarse[index]
    let step = Double(samples.count) / Double(count) * 65536
    kernels.spread(samples, samples.count, Int32((step - 65536) / 2), Int32(step), count, &to)
  }
}
