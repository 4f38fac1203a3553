import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The kernels compared with their definitions in plain Swift, at each CPU level, for widths around multiples of a vector.
@Suite struct FilterKernelTests {
  private static let widths = [1, 2, 15, 16, 17, 31, 32, 33, 47, 50]

  /// Rows padded with zeros, with a margin of 16 before each, as the kernels require.
  private struct Rows {
    let width, height, padded, stride: Int
    var samples: [Float]

    init(_ width: Int, _ height: Int) {
      self.width = width
      self.height = height
      padded = (width + 15) / 16 * 16
      stride = padded + 16
      samples = [Float](repeating: 0, count: stride * height + 32)
    }

    subscript(x: Int, y: Int) -> Float {
      get { samples[16 + y * stride + x] }
      set { samples[16 + y * stride + x] = newValue }
    }

    mutating func at<R>(_ body: (UnsafeMutablePointer<Float>) -> R) -> R {
      samples.withUnsafeMutableBufferPointer { body($0.baseAddress! + 16) }  // Never empty.
    }

    static func random(_ width: Int, _ height: Int, seed: Int) -> Rows {
      var random = SeededRandom(seed: UInt64(seed))
      var rows = Rows(width, height)
      for (y, x) in product(0..<height, 0..<width) where Int.random(in: 0..<4, using: &random) > 0 {
        rows[x, y] =
          (x / 7) % 2 == 0 ? Float.random(in: 1...1.05, using: &random) : Float.random(in: 2...2.1, using: &random)
      }
      return rows
    }
  }

  /// The definition of the recursive mean along a line, from its beginning.
  private static func mean(_ line: [Float], _ alpha: Float, _ delta: Float, raw: Bool) -> [Float] {
    var result = line
    for i in 1..<max(line.count, 1) where line[i] > 0 && line[i - 1] > 0 {
      let step = abs((raw ? line[i - 1] : result[i - 1]) - line[i])
      if raw ? step < delta : step <= delta { result[i] = line[i] * alpha + result[i - 1] * (1 - alpha) }
    }
    return result
  }

  @Test(arguments: CPULevel.supported, [false, true]) func recursiveMeans(_ cpu: CPULevel, raw: Bool) {
    for (width, height) in product(Self.widths, [1, 2, 15, 16, 17, 33]) {
      let before = Rows.random(width, height, seed: width * 100 + height)
      var rows = before
      var line = bd_filter_line(alpha: 0.4, delta: 0.04, raw: raw ? 1 : 0)
      var scratch = [Float](repeating: .nan, count: 16 * before.padded)
      let (stride, padded) = (rows.stride, rows.padded)
      rows.at { base in
        for y in Swift.stride(from: 0, to: height, by: 16) {
          cpu.kernels.filter.along_rows(
            base + y * stride, stride, Int32(min(16, height - y)), padded, &line, &scratch)
        }
      }
      for y in 0..<height {
        let there = Self.mean((0..<width).map { before[$0, y] }, 0.4, 0.04, raw: raw)
        let back = Array(Self.mean(there.reversed(), 0.4, 0.04, raw: raw).reversed())
        for x in 0..<width {
          #expect(abs(rows[x, y] - back[x]) < 1e-6, "\(width)×\(height) raw \(raw) (\(x), \(y))")
        }
        for x in width..<padded { #expect(rows[x, y] == 0) }
      }
      var columns = before
      columns.at { cpu.kernels.filter.across_rows($0, stride, Int32(height), padded, &line) }
      for x in 0..<width {
        let there = Self.mean((0..<height).map { before[x, $0] }, 0.4, 0.04, raw: raw)
        let back = Array(Self.mean(there.reversed(), 0.4, 0.04, raw: raw).reversed())
        for y in 0..<height {
          #expect(abs(columns[x, y] - back[y]) < 1e-6, "\(width)×\(height) raw \(raw) (\(x), \(y))")
        }
      }
    }
  }

  @Test(arguments: CPULevel.supported, [2, 3, 4, 8]) func decimate(_ cpu: CPULevel, _ scale: Int) {
    for count in Self.widths {
      var from = Rows.random(count * scale, scale, seed: count)
      var made = [Float](repeating: -1, count: (count + 15) / 16 * 16)
      let stride = from.stride
      from.at { cpu.kernels.filter.decimate($0, stride, Int32(scale), count, &made) }
      for x in 0..<count {
        let values = (0..<scale).flatMap { j in (0..<scale).map { i in from[x * scale + i, j] } }.filter { $0 > 0 }
          .sorted()
        let wanted =
          values.isEmpty
          ? 0 : scale <= 3 ? values[(values.count - 1) / 2] : values.reduce(0, +) / Float(values.count)
        #expect(abs(made[x] - wanted) < 1e-5, "\(scale) \(count) \(x)")
      }
      for x in count..<made.count { #expect(made[x] == 0) }
    }
  }

  @Test(arguments: CPULevel.supported) func trust(_ cpu: CPULevel) {
    for (width, reach) in Self.widths.flatMap({ width in [1, 2, 8].map { (width, $0) } }) {
      var rows = Rows.random(width, 1, seed: width + reach)
      let before = rows
      var (low, high) = (rows.samples, rows.samples)
      var scratch = [Float](repeating: 0, count: width + 2 * reach + 16)
      let wanted = (0..<width).map { x in
        (max(0, x - reach)...min(width - 1, x + reach)).map { before[$0, 0] }
      }
      rows.at { cpu.kernels.guide.extremes($0, width, Int32(reach), &low, &high, &scratch) }
      for x in 0..<width { #expect(low[x] == wanted[x].min() && high[x] == wanted[x].max(), "\(width) \(reach) \(x)") }
      low.withUnsafeBufferPointer { low in
        high.withUnsafeBufferPointer { high in
          var (lows, highs) = ([low.baseAddress], [high.baseAddress])
          rows.at { cpu.kernels.guide.distrust($0, &lows, &highs, 1, width, 1.06) }
        }
      }
      for x in 0..<width {
        let isKept = low[x] > 0 && high[x] <= low[x] * 1.06
        #expect(rows[x, 0] == (isKept ? before[x, 0] : 0))
      }
      for x in width..<rows.padded { #expect(rows[x, 0] == 0) }
    }
  }

  /// Links: powers of two of weighted differences, with a minimum.
  @Test(arguments: CPULevel.supported) func links(_ cpu: CPULevel) {
    var falloff = bd_guide_falloff(near: 0.02, color: 0.05, depth: 3)
    for count in Self.widths {
      var random = SeededRandom(seed: UInt64(count))
      func colors() -> [UInt32] {
        (0..<count).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) & 0x3f3f3f3f }
      }
      let (a, b) = (colors(), colors())
      let y = (0..<count).map { _ in Float(Int.random(in: 0...3, using: &random)) }
      let z = (0..<count).map { _ in Float(Int.random(in: 0...3, using: &random)) }
      var made = [Float](repeating: -1, count: count + 1)
      cpu.kernels.guide.links(a, b, y, z, count, &falloff, &made)
      for x in 0..<count {
        var steps = 0
        for shift in [UInt32(0), 8, 16] {
          let (one, other) = ((a[x] >> shift) & 255, (b[x] >> shift) & 255)
          steps += Int(max(one, other) - min(one, other))
        }
        var fall: Double = 0.02 + 0.05 * Double(steps)
        if y[x] > 0 && z[x] > 0 { fall += 3 * Double(abs(y[x] - z[x]) / min(y[x], z[x])) }
        let wanted: Double = max(exp2(-fall), 1.0 / 64)
        #expect(abs(Double(made[x]) - wanted) < 1e-5 * wanted, "\(count) \(x)")
      }
      #expect(made[count] == -1)
    }
  }

  /// Spreading values and weights: four passes along each row.
  @Test(arguments: CPULevel.supported) func spread(_ cpu: CPULevel) {
    for (width, height) in [(1, 1), (16, 16), (33, 5), (50, 17)] {
      var depth = Rows.random(width, height, seed: width)
      var link = Rows(width, height)
      var random = SeededRandom(seed: 7)
      for y in 0..<height { for x in 1..<max(width, 1) { link[x, y] = Float.random(in: 0.02...0.99, using: &random) } }
      var (value, weight) = (Rows(width, height), Rows(width, height))
      var scratch = [Float](repeating: .nan, count: 48 * depth.padded)
      let (stride, padded) = (depth.stride, depth.padded)
      depth.at { depth in
        link.at { link in
          value.at { value in
            weight.at { weight in
              for y in Swift.stride(from: 0, to: height, by: 16) {
                let at = y * stride
                cpu.kernels.guide.spread_rows(
                  depth + at, link + at, value + at, weight + at, stride, Int32(min(16, height - y)), padded, &scratch)
              }
            }
          }
        }
      }
      for y in 0..<height {
        for (power, made) in [(2, value), (3, weight)] {
          var line = (0..<width).map { x in (0..<power).reduce(Float(1)) { product, _ in product * depth[x, y] } }
          for isSquared in [false, true] {
            func passes(_ x: Int) -> Float { isSquared ? link[x, y] * link[x, y] : link[x, y] }
            for x in 1..<max(width, 1) { line[x] += passes(x) * (line[x - 1] - line[x]) }
            for x in (0..<width - 1).reversed() { line[x] += passes(x + 1) * (line[x + 1] - line[x]) }
          }
          for x in 0..<width {
            #expect(abs(made[x, y] - line[x]) <= 1e-4 * max(line[x], 1e-3), "\(width)×\(height) (\(x), \(y))")
          }
        }
      }
    }
  }
}
