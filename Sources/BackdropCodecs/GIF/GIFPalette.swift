import BackdropImaging

/// Up to 255 colours for a picture, by median cut (Heckbert, "Color Image Quantization for Frame Buffer Display", 1982): the box of colours
/// with the largest sum of squares is divided at the position that reduces it most.
struct GIFPalette {
  /// The frequencies of colours, in cells of 5 bits per channel, with their sums.
  struct Histogram {
    var counts = [Int](repeating: 0, count: 32_768)
    var sums = [SIMD4<Int>](repeating: .zero, count: 32_768)

    /// Counts an `rgb8` picture, or the visible part of an `rgba8` one; a large one is sampled.
    init(_ image: Image) {
      let size = image.format == .rgba8 ? 4 : 3
      let step = max(1, Int((Double(image.width * image.height) / 262_144).squareRoot()))
      for y in stride(from: 0, to: image.height, by: step) {
        let row = image.row(y)
        for x in stride(from: 0, to: image.width, by: step) {
          guard size == 3 || row[4 * x + 3] >= 64 else { continue }
          let (r, g, b) = (Int(row[size * x]), Int(row[size * x + 1]), Int(row[size * x + 2]))
          let cell = (r >> 3) << 10 | (g >> 3) << 5 | b >> 3
          counts[cell] += 1
          sums[cell] &+= SIMD4(r, g, b, 0)
        }
      }
    }
  }

  private(set) var colors: [SIMD4<Int>]
  /// The mean squared distance between the colours of its own picture and the palette.
  private(set) var ownError = 0.0
  /// The nearest colour for cells of 6 bits per channel, −1 if unknown.
  private var nearest = [Int16](repeating: -1, count: 262_144)

  /// The dither amplitude that hides steps between colours: half of a typical step, up and down.
  private static let dither = 6

  init(_ histogram: Histogram) {
    let cells = histogram.counts.indices.filter { histogram.counts[$0] > 0 }
    var boxes = [Box(cells, histogram)]
    while boxes.count < 255 {
      guard let worst = boxes.indices.max(by: { boxes[$0].spread < boxes[$1].spread }), boxes[worst].spread > 0,
        let (one, other) = boxes[worst].cut(histogram)
      else { break }
      boxes[worst] = one
      boxes.append(other)
    }
    colors = boxes.map(\.mean)
    ownError = error(of: histogram)
  }

  /// The table in its file form, 256 colours.
  var bytes: [UInt8] {
    var result = [UInt8](repeating: 0, count: 768)
    for (i, color) in colors.enumerated() { for k in 0..<3 { result[3 * i + k] = UInt8(color[k]) } }
    return result
  }

  /// The mean squared distance between a picture's colours and the palette.
  func error(of histogram: Histogram) -> Double {
    var (sum, count) = (0, 0)
    for cell in histogram.counts.indices where histogram.counts[cell] > 0 {
      let color = histogram.sums[cell] / histogram.counts[cell]
      sum += Self.distance(color, colors[index(color)]) * histogram.counts[cell]
      count += histogram.counts[cell]
    }
    return count > 0 ? Double(sum) / Double(count) : 0
  }

  /// The indices of a row of `rgb8` pixels, or of `rgba8` ones, whose transparent pixels keep their index.
  mutating func map(_ row: Span<UInt8>, _ y: Int, hasAlpha: Bool, into indices: inout [UInt8], at start: Int) {
    let size = hasAlpha ? 4 : 3
    for x in 0..<row.count / size {
      let shift = Self.pattern(x, y)
      // From a quarter to three quarters of opacity the pattern decides whether the pixel is opaque.
      if hasAlpha && Int(row[4 * x + 3]) < 128 + shift * 64 / Self.dither { continue }
      var color = SIMD4<Int>(Int(row[size * x]), Int(row[size * x + 1]), Int(row[size * x + 2]), 0)
      for k in 0..<3 { color[k] = min(max(color[k] + shift, 0), 255) }
      let cell = (color[0] >> 2) << 12 | (color[1] >> 2) << 6 | color[2] >> 2
      if nearest[cell] < 0 {
        let middle = SIMD4(color[0] & ~3 | 2, color[1] & ~3 | 2, color[2] & ~3 | 2, 0)
        nearest[cell] = Int16(index(middle))
      }
      indices[start + x] = UInt8(nearest[cell])
    }
  }

  /// Bayer's matrix of 8×8 ("An optimum method for two-level rendition of continuous-tone pictures", 1973), as a shift of levels.
  private static func pattern(_ x: Int, _ y: Int) -> Int {
    var (value, x, y) = (0, x, y)
    for _ in 0..<3 {
      value = value << 2 | ((x ^ y) & 1) << 1 | y & 1
      (x, y) = (x >> 1, y >> 1)
    }
    return (2 * value - 63) * dither / 63
  }

  private func index(_ color: SIMD4<Int>) -> Int {
    var (best, least) = (0, Int.max)
    for (i, own) in colors.enumerated() {
      let found = Self.distance(color, own)
      if found < least { (best, least) = (i, found) }
    }
    return best
  }

  private static func distance(_ a: SIMD4<Int>, _ b: SIMD4<Int>) -> Int {
    let d = a &- b
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
  }

  /// A set of cells.
  private struct Box {
    private let cells: [Int]
    private let count: Int
    let mean: SIMD4<Int>
    /// The channel with the largest sum of squared distances, and this sum.
    private let channel: Int
    let spread: Double

    init(_ cells: [Int], _ histogram: Histogram) {
      self.cells = cells
      var (count, sum, squares) = (0, SIMD4<Int>.zero, SIMD4<Double>.zero)
      for cell in cells {
        count += histogram.counts[cell]
        sum &+= histogram.sums[cell]
        let color = SIMD4<Double>(histogram.sums[cell])
        squares += color * color / Double(histogram.counts[cell])
      }
      self.count = count
      let whole = SIMD4<Double>(sum)
      let spreads = squares - whole * whole / Double(max(count, 1))
      let channel = (0..<3).max { spreads[$0] < spreads[$1] } ?? 0
      self.channel = channel
      spread = cells.count > 1 ? spreads[channel] : 0
      mean = (sum &+ SIMD4(repeating: count / 2)) / max(count, 1)
    }

    /// Two boxes, divided where the remaining sum is smallest; `nil` for a single cell.
    func cut(_ histogram: Histogram) -> (Box, Box)? {
      guard cells.count > 1 else { return nil }
      func value(_ cell: Int) -> Double { Double(histogram.sums[cell][channel]) / Double(histogram.counts[cell]) }
      let sorted = cells.sorted { value($0) < value($1) }
      let total = cells.reduce(0) { $0 + histogram.sums[$1][channel] }
      var (below, sum) = (0, 0)
      var (best, most) = (1, -1.0)
      for (i, cell) in sorted.dropLast().enumerated() {
        below += histogram.counts[cell]
        sum += histogram.sums[cell][channel]
        // A cut reduces the sum of squares by this, up to a constant.
        let (a, b) = (Double(sum), Double(total - sum))
        let gain = a * a / Double(below) + b * b / Double(count - below)
        if gain > most { (best, most) = (i + 1, gain) }
      }
      return (Box(Array(sorted[..<best]), histogram), Box(Array(sorted[best...]), histogram))
    }
  }
}
