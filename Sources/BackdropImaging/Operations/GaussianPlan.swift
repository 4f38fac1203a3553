import CBackdropKernels
import Libc

/// A Gaussian blur prepared for planes of one shape.
///
/// Exact plans convolve at full size. The others may reduce an axis by a power of two before and enlarge it after, which costs far less for
/// large sigma. The prefilter is four boxes with the length of the factor (a cubic B-spline in the discrete sense, whose fourth-order zeros
/// keep aliases out of the Gaussian's pass band), the enlargement is the cubic B-spline, and the convolution in between has the remaining
/// variance. With sigma at least twice the factor, the sum of all differences between the resulting weights and the Gaussian's is below
/// 0.12 levels of 255 for each axis, including truncation at 3.5 sigma, for any picture.
struct GaussianPlan {
  struct Key: Hashable {
    var shape: SampleShape
    var sigmaX: Double
    var sigmaY: Double
    var exact: Bool
  }

  let key: Key
  private let shrink: SeparableScaler?
  private let enlarge: SeparableScaler?
  private let convolution: Convolution
  let scratchBytes: Int
  private let offsets: (low: Int, blurred: Int, work: Int)

  init(_ key: Key, level: CPULevel) {
    self.key = key
    let shape = key.shape
    let (x, y) = (
      Axis(shape.width, sigma: key.sigmaX, exact: key.exact), Axis(shape.height, sigma: key.sigmaY, exact: key.exact)
    )
    var layout = ScratchLayout()
    guard x.factor > 1 || y.factor > 1 else {
      convolution = Convolution(shape, target: shape.kind, x: x.taps, y: y.taps, level: level)
      (shrink, enlarge) = (nil, nil)
      offsets = (0, 0, layout.part(convolution.scratchBytes))
      scratchBytes = layout.byteCount
      return
    }
    let down = SeparableScaler(
      shape, vertical: y.down, horizontal: x.factor > 1 ? x.down : nil, kind: .float, level: level)
    let low = down.target
    let up = SeparableScaler(low, vertical: y.up, horizontal: x.factor > 1 ? x.up : nil, kind: shape.kind, level: level)
    convolution = Convolution(low, target: .float, x: x.taps, y: y.taps, level: level)
    (shrink, enlarge) = (down, up)
    // Kernels may read some bytes beyond the last row.
    let bytes = GaussianPlan.rowBytes(low) * low.height + 256
    let (first, second) = (layout.part(bytes), layout.part(bytes))
    offsets = (first, second, layout.part(max(down.scratchBytes, up.scratchBytes, convolution.scratchBytes)))
    scratchBytes = layout.byteCount
  }

  /// Whether the source is read completely before the target is written, so that they may be the same.
  var readsAllFirst: Bool { shrink != nil }

  private static func rowBytes(_ shape: SampleShape) -> Int { (shape.samples * 4 + 63) / 64 * 64 }

  func apply(_ source: SampleSource, to target: SampleTarget, scratch: UnsafeMutableRawPointer) {
    let work = scratch + offsets.work
    guard let shrink, let enlarge else {
      convolution.apply(source, to: target, scratch: work)
      return
    }
    let bytesPerRow = GaussianPlan.rowBytes(shrink.target)
    let low = SampleTarget(base: scratch + offsets.low, bytesPerRow: bytesPerRow, shape: shrink.target)
    let blurred = SampleTarget(base: scratch + offsets.blurred, bytesPerRow: bytesPerRow, shape: shrink.target)
    shrink.apply(source, to: low, scratch: work)
    convolution.apply(low.source, to: blurred, scratch: work)
    enlarge.apply(blurred.source, to: target, scratch: work)
  }

  /// One axis of the blur: its reduction, and the taps of all three steps.
  struct Axis {
    let count: Int
    let factor: Int
    let taps: [Double]

    init(_ count: Int, sigma: Double, exact: Bool) {
      self.count = count
      var factor = 1
      if !exact { while sigma >= 4 * Double(factor) && factor < 64 { factor *= 2 } }
      self.factor = factor
      let f = Double(factor)
      let variance = factor == 1 ? sigma * sigma : sigma * sigma / (f * f) - (f * f - 1) / (3 * f * f) - 1 / 3
      let left = variance.squareRoot()
      taps = GaussianPlan.taps(sigma: left, radius: Int((left * (exact ? 4 : 3.5)).rounded(.up)))
    }

    /// Cells beyond the first sample: the outermost lies fully in the replicated edge.
    private static let margin = 2

    /// Taps of the reduced samples, from two cells before the first sample to a cell that contains only the last one.
    var down: AxisTaps {
      guard factor > 1 else { return .identity(count) }
      var result = AxisTaps(range: 0..<count)
      var kernel = [1.0]
      for _ in 0..<4 {
        var next = [Double](repeating: 0, count: kernel.count + factor - 1)
        for (i, value) in kernel.enumerated() { for j in 0..<factor { next[i + j] += value } }
        kernel = next
      }
      for cell in 0..<cells {
        result.append(from: (cell - Axis.margin) * factor - (2 * factor - 2), weights: kernel)
      }
      return result
    }

    private var cells: Int { (count - 1) / factor + 6 }

    /// Taps of the cubic B-spline at the original samples.
    var up: AxisTaps {
      guard factor > 1 else { return .identity(count) }
      var result = AxisTaps(range: 0..<cells)
      for i in 0..<count {
        let position = Double(i) / Double(factor) + Double(Axis.margin)
        let first = Int(position) - 1
        result.append(
          from: first, weights: (first..<first + 4).map { ScaleFilter.bicubicWeight(position - Double($0), b: 1, c: 0) }
        )
      }
      return result
    }
  }

  /// 2 · radius + 1 samples of the Gaussian, scaled to a sum of 1.
  static func taps(sigma: Double, radius: Int) -> [Double] {
    guard sigma > 0 else { return [1] }
    let values = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = values.reduce(0, +)
    return values.map { $0 / sum }
  }
}

/// Separable convolution with replicated edges, prepared for planes of one shape.
struct Convolution {
  let shape: SampleShape
  private let target: PixelSampleKind
  private let taps: KernelTable<Float>
  private let radiusX: Int
  private let radiusY: Int
  private let strip: Int
  private let stripRow: Int
  private let offsets: (padded: Int, ring: Int, order: Int)
  let scratchBytes: Int
  private let kernel: @convention(c) (UnsafePointer<bd_fir_job>?) -> Void

  init(_ shape: SampleShape, target: PixelSampleKind, x: [Double], y: [Double], level: CPULevel) {
    (self.shape, self.target) = (shape, target)
    radiusX = x.count / 2
    radiusY = y.count / 2
    let rest: [Double] = [0, 0, 0]
    taps = KernelTable([x, rest, y, rest].joined().map { Float($0) })
    let ringRows = min(2 * radiusY + 4, shape.height)
    // Half a megabyte of ring fits in most second-level caches.
    let columns = max(64, 131_072 / ringRows / shape.channels / 16 * 16)
    strip = min(shape.width, columns)
    stripRow = (strip * shape.channels + 64 + 15) / 16 * 16
    var layout = ScratchLayout()
    let padded = layout.part(((strip + 2 * radiusX) * shape.channels + 128) * 4)
    let ring = layout.part(stripRow * ringRows * 4)
    offsets = (padded, ring, layout.part((2 * radiusY + 4) * MemoryLayout<UnsafePointer<Float>?>.stride))
    scratchBytes = layout.byteCount
    kernel = level.kernels.resample.fir
  }

  func apply(_ source: SampleSource, to target: SampleTarget, scratch: UnsafeMutableRawPointer) {
    let order = (scratch + offsets.order)
      .bindMemory(to: UnsafePointer<Float>?.self, capacity: 2 * radiusY + 4)
    var job = bd_fir_job(
      src: source.base, src_stride: source.bytesPerRow, dst: target.base, dst_stride: target.bytesPerRow,
      taps_x: taps.base, taps_y: taps.base + 2 * radiusX + 1,
      padded: (scratch + offsets.padded).assumingMemoryBound(to: Float.self),
      ring: (scratch + offsets.ring).assumingMemoryBound(to: Float.self), order: order, strip_row: stripRow,
      src_kind: shape.kind.rawValue, dst_kind: self.target.rawValue, width: Int32(shape.width),
      height: Int32(shape.height), channels: Int32(shape.channels), radius_x: Int32(radiusX), radius_y: Int32(radiusY),
      strip: Int32(strip))
    kernel(&job)
    withExtendedLifetime(taps) {}
  }
}
