import BackdropImaging
import TestSupport

/// Conversion according to the ITU's formulas, one pixel at a time in Float64, independent of the tested code.
struct ConvertOracle {
  let image: Image
  let bytes: [UInt8]

  init(_ image: Image) {
    self.image = image
    bytes = image.packedBytes
  }

  /// The exact samples of the packed result, without rounding, each with its largest value (0 for floats).
  func converted(to format: PixelFormat, color: ColorDescription) -> [(value: Double, limit: Double)] {
    let (width, height) = (image.width, image.height)
    func rows(_ body: (Int, Int) -> [Double], limit: Double = 255) -> [(value: Double, limit: Double)] {
      (0..<height).flatMap { y in (0..<width).flatMap { x in body(x, y) } }.map { ($0, limit) }
    }
    func luma(_ rgb: [Double]) -> Double {
      color.matrix.kr * rgb[0] + (1 - color.matrix.kr - color.matrix.kb) * rgb[1] + color.matrix.kb * rgb[2]
    }
    func lumaSample(_ x: Int, _ y: Int) -> Double {
      let value = luma(rgb(x, y))
      return color.range == .full ? 255 * value : 16 + 219 * value
    }
    /// Cb and Cr of the mean of the given pixels.
    func chroma(_ pixels: [[Double]]) -> [Double] {
      let mean = (0..<3).map { c in pixels.reduce(0) { $0 + $1[c] } / Double(pixels.count) }
      let pb = (mean[2] - luma(mean)) / (2 * (1 - color.matrix.kb))
      let pr = (mean[0] - luma(mean)) / (2 * (1 - color.matrix.kr))
      return [pb, pr].map { 128 + (color.range == .full ? 255 : 224) * $0 }
    }
    // Between Y′CbCr formats, chroma is interpolated only if the result has more rows of it.
    let keepsColumns = image.format.isYUV && format.isYUV
    let keepsRows = keepsColumns && format != .yuyv
    func stored(_ x: Int, _ y: Int) -> [Double] {
      keepsColumns ? yuv(x, y, keepsColumns: true, keepsRows: keepsRows) : rgb(x, y)
    }
    switch format {
    case .rgb8: return rows { rgb($0, $1).map { $0 * 255 } }
    case .rgba8: return rows { (rgb($0, $1) + [alpha($0, $1)]).map { $0 * 255 } }
    case .bgra8: return rows { (rgb($0, $1).reversed() + [alpha($0, $1)]).map { $0 * 255 } }
    case .gray8: return rows { [luma(rgb($0, $1)) * 255] }
    case .gray16: return rows({ [luma(rgb($0, $1)) * 65535] }, limit: 65535)
    case .grayFloat: return rows({ [luma(rgb($0, $1))] }, limit: 0)
    case .yuyv:
      return (0..<height).flatMap { y in
        stride(from: 0, to: width, by: 2).flatMap { x in
          let next = min(x + 1, width - 1)
          let c = chroma([stored(x, y), stored(next, y)])
          return [lumaSample(x, y), c[0], lumaSample(next, y), c[1]].map { ($0, 255.0) }
        }
      }
    case .i420, .nv12:
      var pairs: [[Double]] = []
      for y in stride(from: 0, to: height, by: 2) {
        for x in stride(from: 0, to: width, by: 2) {
          let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1))
          pairs.append(chroma([stored(x, y), stored(right, y), stored(x, below), stored(right, below)]))
        }
      }
      let planes = format == .nv12 ? pairs.flatMap { $0 } : pairs.map { $0[0] } + pairs.map { $0[1] }
      return rows { [lumaSample($0, $1)] } + planes.map { ($0, 255) }
    }
  }

  private func alpha(_ x: Int, _ y: Int) -> Double {
    image.format.hasAlpha ? Double(bytes[4 * (y * image.width + x) + 3]) / 255 : 1
  }

  /// R′G′B′ of a pixel, 0…1 and beyond.
  private func rgb(_ x: Int, _ y: Int) -> [Double] {
    let index = y * image.width + x
    func value(_ at: Int) -> Double { Double(bytes[at]) / 255 }
    switch image.format {
    case .rgb8: return [value(3 * index), value(3 * index + 1), value(3 * index + 2)]
    case .rgba8: return [value(4 * index), value(4 * index + 1), value(4 * index + 2)]
    case .bgra8: return [value(4 * index + 2), value(4 * index + 1), value(4 * index)]
    case .gray8: return [Double](repeating: value(index), count: 3)
    case .gray16:
      let sample = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self) }
      return [Double](repeating: Double(sample) / 65535, count: 3)
    case .grayFloat:
      let sample = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * index, as: Float.self) }
      return [Double](repeating: Double(sample), count: 3)
    case .i420, .nv12, .yuyv: return yuv(x, y)
    }
  }

  private func yuv(_ x: Int, _ y: Int, keepsColumns: Bool = false, keepsRows: Bool = false) -> [Double] {
    let (width, height) = (image.width, image.height)
    let columns = (width + 1) / 2
    let rows = image.format == .yuyv ? height : (height + 1) / 2
    func sample(_ channel: Int, _ column: Int, _ row: Int) -> Double {
      let (column, row) = (min(max(column, 0), columns - 1), min(max(row, 0), rows - 1))
      switch image.format {
      case .i420: return Double(bytes[width * height + (channel * rows + row) * columns + column])
      case .nv12: return Double(bytes[width * height + 2 * (row * columns + column) + channel])
      default: return Double(bytes[4 * (row * columns + column) + 1 + 2 * channel])
      }
    }
    /// Linear between chroma samples, each in the middle of its pixels.
    func chroma(_ channel: Int) -> Double {
      let u = keepsColumns ? Double(x / 2) : (Double(x) + 0.5) / 2 - 0.5
      let v = image.format == .yuyv ? Double(y) : keepsRows ? Double(y / 2) : (Double(y) + 0.5) / 2 - 0.5
      let (left, top) = (u.rounded(.down), v.rounded(.down))
      let (fx, fy) = (u - left, v - top)
      let (c, r) = (Int(left), Int(top))
      let upper = sample(channel, c, r) * (1 - fx) + sample(channel, c + 1, r) * fx
      let lower = sample(channel, c, r + 1) * (1 - fx) + sample(channel, c + 1, r + 1) * fx
      return upper * (1 - fy) + lower * fy - 128
    }
    let stored = Double(image.format == .yuyv ? bytes[4 * (y * columns + x / 2) + x % 2 * 2] : bytes[y * width + x])
    let full = image.color.range == .full
    let luma = full ? stored / 255 : (stored - 16) / 219
    let (kr, kb) = (image.color.matrix.kr, image.color.matrix.kb)
    let red = luma + 2 * (1 - kr) * chroma(1) / (full ? 255 : 224)
    let blue = luma + 2 * (1 - kb) * chroma(0) / (full ? 255 : 224)
    return [red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue]
  }
}

/// An image of random samples; opaque if it has alpha. Grey floats lie in -0.1…1.1.
func randomImage(
  _ format: PixelFormat, _ width: Int, _ height: Int, color: ColorDescription, using random: inout SeededRandom
) throws -> Image {
  let count = Image.packedByteCount(format, width: width, height: height)
  var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  if format == .grayFloat {
    let values = (0..<width * height).map { _ in Float.random(in: -0.1...1.1, using: &random) }
    bytes = values.withUnsafeBytes { Array($0) }
  } else if format == .yuyv && !width.isMultiple(of: 2) {
    // The second luma sample of the last pair belongs to no pixel; Backdrop repeats the first.
    for y in 0..<height {
      let end = (y + 1) * (width + 1) * 2
      bytes[end - 2] = bytes[end - 4]
    }
  }
  return try Image(format, width: width, height: height, packed: bytes.span, color: color)
}
