/// Converts between any two formats, row by row in float, for pairs without a kernel.
enum FloatConversion {
  static func run(_ source: Image, into result: inout Image) {
    var upper = FloatRow(width: source.width)
    var lower = upper
    guard result.format.isYUV else {
      for y in 0..<source.height {
        upper.read(y, of: source)
        upper.write(y, to: &result, YUVScale(source.format.isYUV ? source.color : result.color))
      }
      return
    }
    for y in stride(from: 0, to: source.height, by: 2) {
      let next = min(y + 1, source.height - 1)
      upper.read(y, of: source)
      lower.read(next, of: source)
      FloatRow.writeLuma(upper, lower, y, to: &result)
      if source.format.isYUV {
        upper.read(y, of: source, keepsColumns: true)
        lower.read(next, of: source, keepsColumns: true)
      }
      FloatRow.writeChroma(upper, lower, y, to: &result)
    }
  }
}

/// One row of R′G′B′ and alpha, 0…1, not clamped.
struct FloatRow {
  var red, green, blue, alpha: [Float]

  init(width: Int) {
    red = [Float](repeating: 0, count: width)
    (green, blue) = (red, red)
    alpha = [Float](repeating: 1, count: width)
  }

  // MARK: Reading

  /// With `keepsColumns`, a pixel uses the chroma of the column that contains it, without interpolation.
  mutating func read(_ y: Int, of image: Image, keepsColumns: Bool = false) {
    image.withUnsafeBytes { base in
      let row = base + y * image.layout(0).bytesPerRow
      let bytes = row.assumingMemoryBound(to: UInt8.self)
      switch image.format {
      case .rgba8: readPixels(bytes, size: 4, redAt: 0)
      case .bgra8: readPixels(bytes, size: 4, redAt: 2)
      case .rgb8: readPixels(bytes, size: 3, redAt: 0)
      case .gray8: readGrey { Float(bytes[$0]) / 255 }
      case .gray16:
        let samples = row.assumingMemoryBound(to: UInt16.self)
        readGrey { Float(samples[$0]) / 65535 }
      case .grayFloat:
        let samples = row.assumingMemoryBound(to: Float.self)
        readGrey { samples[$0] }
      case .i420, .nv12, .yuyv: readYUV(bytes, y, of: image, keepsColumns)
      }
    }
  }

  private mutating func readPixels(_ bytes: UnsafePointer<UInt8>, size: Int, redAt: Int) {
    for x in red.indices {
      let pixel = bytes + size * x
      red[x] = Float(pixel[redAt]) / 255
      green[x] = Float(pixel[1]) / 255
      blue[x] = Float(pixel[2 - redAt]) / 255
      if size == 4 { alpha[x] = Float(pixel[3]) / 255 }
    }
  }

  private mutating func readGrey(_ value: (Int) -> Float) {
    for x in red.indices {
      red[x] = value(x)
      green[x] = red[x]
      blue[x] = red[x]
    }
  }

  private mutating func readYUV(_ bytes: UnsafePointer<UInt8>, _ y: Int, of image: Image, _ keepsColumns: Bool) {
    let scale = YUVScale(image.color)
    let lumaStep = image.format == .yuyv ? 2 : 1
    let columns = (image.width + 1) / 2
    for x in red.indices {
      let luma = (Float(bytes[lumaStep * x]) - Float(scale.lumaOffset)) / Float(scale.lumaScale)
      let near = x / 2
      let next = min(max(x.isMultiple(of: 2) ? near - 1 : near + 1, 0), columns - 1)
      let far = keepsColumns ? near : next
      let cb = image.chroma(0, near, far, y) / Float(scale.chromaScale)
      let cr = image.chroma(1, near, far, y) / Float(scale.chromaScale)
      red[x] = luma + Float(2 * (1 - scale.red)) * cr
      blue[x] = luma + Float(2 * (1 - scale.blue)) * cb
      green[x] = (luma - Float(scale.red) * red[x] - Float(scale.blue) * blue[x]) / Float(scale.green)
    }
  }

  // MARK: Writing

  /// `scale` has the luma weights, for grey.
  func write(_ y: Int, to image: inout Image, _ scale: YUVScale) {
    let format = image.format
    let offset = y * image.layout(0).bytesPerRow
    image.withUnsafeMutableBytes { base in
      let row = base + offset
      let bytes = row.assumingMemoryBound(to: UInt8.self)
      switch format {
      case .rgba8: writePixels(bytes, size: 4, redAt: 0)
      case .bgra8: writePixels(bytes, size: 4, redAt: 2)
      case .rgb8: writePixels(bytes, size: 3, redAt: 0)
      case .gray8:
        for x in red.indices { bytes[x] = UInt8(level(luma(x, scale), 0, 255, 255)) }
      case .gray16:
        let samples = row.assumingMemoryBound(to: UInt16.self)
        for x in red.indices { samples[x] = UInt16(level(luma(x, scale), 0, 65535, 65535)) }
      case .grayFloat:
        let samples = row.assumingMemoryBound(to: Float.self)
        for x in red.indices { samples[x] = luma(x, scale) }
      case .i420, .nv12, .yuyv: preconditionFailure("chroma needs two rows")
      }
    }
  }

  private func luma(_ x: Int, _ scale: YUVScale) -> Float {
    // Grey must stay exact, which the weighted sum would not guarantee.
    if red[x] == green[x] && green[x] == blue[x] { return red[x] }
    return Float(scale.red) * red[x] + Float(scale.green) * green[x] + Float(scale.blue) * blue[x]
  }

  private func writePixels(_ bytes: UnsafeMutablePointer<UInt8>, size: Int, redAt: Int) {
    for x in red.indices {
      let pixel = bytes + size * x
      pixel[redAt] = UInt8(level(red[x], 0, 255, 255))
      pixel[1] = UInt8(level(green[x], 0, 255, 255))
      pixel[2 - redAt] = UInt8(level(blue[x], 0, 255, 255))
      if size == 4 { pixel[3] = UInt8(level(alpha[x], 0, 255, 255)) }
    }
  }

  /// Writes the luma of rows `y` and `y + 1`, if that exists.
  static func writeLuma(_ upper: FloatRow, _ lower: FloatRow, _ y: Int, to image: inout Image) {
    let scale = YUVScale(image.color)
    let step = image.format == .yuyv ? 2 : 1
    let width = image.width
    for (row, line) in [(upper, y), (lower, y + 1)] where line < image.height {
      image.withRow(line) { bytes in
        for x in 0..<width {
          bytes[step * x] = UInt8(level(row.luma(x, scale), scale.lumaOffset, scale.lumaScale, 255))
        }
        if step == 2 && !width.isMultiple(of: 2) { bytes[2 * width] = bytes[2 * width - 2] }
      }
    }
  }

  static func writeChroma(_ upper: FloatRow, _ lower: FloatRow, _ y: Int, to image: inout Image) {
    let scale = YUVScale(image.color)
    switch image.format {
    case .yuyv:
      for (row, line) in [(upper, y), (lower, y + 1)] where line < image.height {
        image.withRow(line) { writeChroma(row, row, scale, to: $0 + 1, $0 + 3, step: 4) }
      }
    case .nv12: image.withRow(y / 2, plane: 1) { writeChroma(upper, lower, scale, to: $0, $0 + 1, step: 2) }
    default:
      image.withRow(y / 2, plane: 1) { writeChroma(upper, lower, scale, to: $0, nil, step: 1) }
      image.withRow(y / 2, plane: 2) { writeChroma(upper, lower, scale, to: nil, $0, step: 1) }
    }
  }

  private static func writeChroma(
    _ upper: FloatRow, _ lower: FloatRow, _ scale: YUVScale, to cb: UnsafeMutablePointer<UInt8>?,
    _ cr: UnsafeMutablePointer<UInt8>?, step: Int
  ) {
    let width = upper.red.count
    for column in 0..<(width + 1) / 2 {
      let (left, right) = (2 * column, min(2 * column + 1, width - 1))
      func mean(_ channel: KeyPath<FloatRow, [Float]>) -> Float {
        let (a, b) = (upper[keyPath: channel], lower[keyPath: channel])
        return (a[left] + a[right] + b[left] + b[right]) / 4
      }
      let (red, green, blue) = (mean(\.red), mean(\.green), mean(\.blue))
      let luma = Float(scale.red) * red + Float(scale.green) * green + Float(scale.blue) * blue
      if let cb {
        cb[step * column] = UInt8(level((blue - luma) / Float(2 * (1 - scale.blue)), 128, scale.chromaScale, 255))
      }
      if let cr {
        cr[step * column] = UInt8(level((red - luma) / Float(2 * (1 - scale.red)), 128, scale.chromaScale, 255))
      }
    }
  }
}

/// `offset + value · scale`, to the nearest integer in 0…`limit`; NaN is 0.
private func level(_ value: Float, _ offset: Double, _ scale: Double, _ limit: Float) -> Float {
  let level = (Float(offset) + value * Float(scale)).rounded(.toNearestOrAwayFromZero)
  return level > 0 ? min(level, limit) : 0
}

extension Image {
  /// Chroma `channel` (0 Cb, 1 Cr), minus 128, for a pixel in row `y` inside column `near` of the chroma samples and
  /// beside column `far`.
  fileprivate func chroma(_ channel: Int, _ near: Int, _ far: Int, _ y: Int) -> Float {
    func mix(_ row: Int) -> Float {
      withUnsafeBytes(plane: format == .i420 ? channel + 1 : format == .nv12 ? 1 : 0) { base in
        let layout = self.layout(format == .i420 ? channel + 1 : format == .nv12 ? 1 : 0)
        let bytes = (base + row * layout.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        let (step, first) = format == .i420 ? (1, 0) : format == .nv12 ? (2, channel) : (4, 1 + 2 * channel)
        return 0.75 * Float(bytes[step * near + first]) + 0.25 * Float(bytes[step * far + first]) - 128
      }
    }
    if format == .yuyv { return mix(y) }
    let other = y.isMultiple(of: 2) ? y / 2 - 1 : y / 2 + 1
    return 0.75 * mix(y / 2) + 0.25 * mix(min(max(other, 0), (height + 1) / 2 - 1))
  }

  fileprivate mutating func withRow(_ y: Int, plane: Int = 0, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    let offset = y * layout(plane).bytesPerRow
    withUnsafeMutableBytes(plane: plane) { body(($0 + offset).assumingMemoryBound(to: UInt8.self)) }
  }
}
