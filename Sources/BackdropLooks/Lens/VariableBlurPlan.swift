import BackdropDepth
import BackdropImaging
import CBackdropKernels
import Libc

/// Tables and memory of a variable blur for planes of one size.
///
/// The picture is halved repeatedly. Each level is a small convolution of one of the halves, with the variance that remains after halving
/// and enlarging, as for ``Image/blurred(sigma:)``.
final class VariableBlurPlan {
  struct Shape: Equatable {
    var width: Int, height: Int, channels: Int
    var sigma: Double
    var maskWidth: Int, maskHeight: Int
  }

  /// One Gaussian: its reduction, and the convolution there.
  private struct Level {
    let factor: Int
    let taps: [Double]
    var radius: Int { taps.count / 2 }

    init(sigma: Double) {
      var factor = 1
      // From 1.25 cells on the B-spline's response equals a Gaussian's within a tenth of a level.
      while sigma >= 2.5 * Double(factor) && factor < Int(BD_LENS_FACTOR) { factor *= 2 }
      self.factor = factor
      let f = Double(factor)
      let variance = factor == 1 ? sigma * sigma : sigma * sigma / (f * f) - (f * f - 1) / (3 * f * f) - 1 / 3
      guard variance > 0.01 else {
        taps = [1]
        return
      }
      let radius = Int((variance.squareRoot() * 3.5).rounded(.up))
      let values = (-radius...radius).map { exp(-Double($0 * $0) / (2 * variance)) }
      let sum = values.reduce(0, +)
      taps = values.map { $0 / sum }
    }

    /// Weights of the kernel that enlarges the level: one row, or one for each phase between two cells.
    var weights: [Int16] {
      guard factor > 1 else { return Self.q15(taps) }
      return (0..<factor).flatMap { phase in
        Self.q15((-1...2).map { Self.spline(Double(phase) / Double(factor) - Double($0)) })
      }
    }

    /// The cubic B-spline.
    private static func spline(_ t: Double) -> Double {
      let t = abs(t)
      if t < 1 { return (3 * t * t * t - 6 * t * t + 4) / 6 }
      return t < 2 ? (2 - t) * (2 - t) * (2 - t) / 6 : 0
    }

    /// The weights in Q15, with a sum of exactly 1, so that constants stay; a weight of 1 is 32767.
    private static func q15(_ weights: [Double]) -> [Int16] {
      var whole = weights.map { Int(($0 * 32768).rounded()) }
      let largest = whole.indices.max { whole[$0] < whole[$1] } ?? 0
      whole[largest] += 32768 - whole.reduce(0, +)
      return whole.map { Int16(min($0, 32767)) }
    }
  }

  let shape: Shape
  private let levels: [Level]
  private let upsampling: MatteUpsampling
  private let kernels: bd_kernels
  private let parts: Int
  private let memory: UnsafeMutableRawPointer
  private let weights: [ZeroedMemory<Int16>]
  private let taps: [ZeroedMemory<Float>]
  /// Index k holds every 2ᵏ-th pixel; the first that are not needed are empty.
  private let pyramid: [bd_lens_cells]
  private let blurred: [bd_lens_cells]
  private let scratch: (base: UnsafeMutableRawPointer, byteCount: Int, mask: Int, upsampling: Int)

  fileprivate static let chunk = 64

  init(_ shape: Shape, parts: Int, cpu: CPULevel) {
    self.shape = shape
    self.parts = parts
    kernels = cpu.kernels
    upsampling = MatteUpsampling(
      fromWidth: shape.maskWidth, height: shape.maskHeight, toWidth: shape.width, height: shape.height, cpu: cpu)
    let levels = (1...Int(BD_LENS_LEVELS)).map { Level(sigma: shape.sigma * Double($0) / Double(BD_LENS_LEVELS)) }
    self.levels = levels
    func table<Number: BitwiseCopyable>(_ values: [Number]) -> ZeroedMemory<Number> {
      let made = ZeroedMemory<Number>(count: values.count)
      made.base.update(from: values, count: values.count)
      return made
    }
    weights = levels.map { table($0.weights) }
    taps = levels.map { table($0.taps.map(Float.init)) }
    let steps = levels.map { $0.factor.trailingZeroBitCount }
    let lowest = steps.contains(1) || steps.max() == 1 ? 1 : 2
    var byteCount = 0
    func part(_ bytes: Int) -> Int {
      defer { byteCount += (bytes + 63) / 64 * 64 }
      return byteCount
    }
    func cells(_ step: Int) -> (offset: Int, cells: bd_lens_cells) {
      let (width, height) = ((shape.width - 1) >> step + 6, (shape.height - 1) >> step + 6)
      let stride = (width * shape.channels + 64 + 31) / 32 * 32
      return (
        part(stride * height * 2),
        bd_lens_cells(samples: nil, stride: stride, width: Int32(width), height: Int32(height))
      )
    }
    let halves = (0...(steps.max() ?? 0)).map { $0 >= lowest ? cells($0) : nil }
    let found = steps.map { $0 > 0 ? cells($0) : nil }
    var mix = bd_lens_mix()
    mix.picture.width = Int32(shape.width)
    mix.picture.channels = Int32(shape.channels)
    for (l, level) in levels.enumerated() {
      Self.set(
        &mix, l, bd_lens_level(factor: Int32(level.factor), cells: .init(), weights: nil, radius: Int32(level.radius)))
    }
    let rows = levels.map { (2 * $0.radius + 3) * ((shape.width + 2 * $0.radius + 96) * shape.channels + 80) * 4 }
    let work = max(bd_lens_scratch(&mix), 32 * (shape.width + 64) * shape.channels + 512, rows.max() ?? 0)
    let maskBytes = (shape.width + 31) / 32 * 64 * Self.chunk
    let mask = (work + 63) / 64 * 64
    let enlarging = mask + (maskBytes + 63) / 64 * 64
    let each = enlarging + upsampling.scratchByteCount
    let base = part(each * parts)
    memory = .allocate(byteCount: byteCount, alignment: 64)
    let memory = self.memory
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    func placed(_ made: (offset: Int, cells: bd_lens_cells)?) -> bd_lens_cells {
      guard let made else { return bd_lens_cells() }
      var cells = made.cells
      cells.samples = (memory + made.offset).assumingMemoryBound(to: Int16.self)
      return cells
    }
    pyramid = halves.map(placed)
    blurred = found.map(placed)
    scratch = (memory + base, each, mask, enlarging)
  }

  deinit { memory.deallocate() }

  private static func set(_ mix: inout bd_lens_mix, _ index: Int, _ level: bd_lens_level) {
    withUnsafeMutableBytes(of: &mix.levels) { $0.bindMemory(to: bd_lens_level.self)[index] = level }
  }

  /// Makes the used rows of all levels; `mix` holds the picture and the output, and this function sets the rest.
  func run(_ mix: bd_lens_mix, mask: Plane<UInt16>, used: Range<Int>, workers: WorkerPool) {
    var mix = mix
    for (l, level) in levels.enumerated() {
      Self.set(
        &mix, l,
        bd_lens_level(
          factor: Int32(level.factor), cells: blurred[l], weights: UnsafePointer(weights[l].base),
          radius: Int32(level.radius)))
    }
    mask.withUnsafePointer { samples in
      var step = VariableBlurStep(
        kernels: kernels, mix: mix, mask: samples, maskStride: mask.stride, upsampling: upsampling.tables,
        scratch: scratch)
      makeLevels(&step, used, workers)
      workers.run(parts: parts, rows: 0..<shape.height, step) { $0.mixRows($1) }
    }
  }

  /// Makes the rows of all levels that the used rows of the mask need.
  private func makeLevels(_ step: inout VariableBlurStep, _ used: Range<Int>, _ workers: WorkerPool) {
    // The cubic reaches two rows of the mask further, and half of one more lies round each.
    let scale = Double(shape.height) / Double(shape.maskHeight)
    let top = max(0, Int((Double(used.lowerBound) - 3) * scale))
    let bottom = min(shape.height, Int((Double(used.upperBound) + 3) * scale) + 1)
    var rows = pyramid.map { _ in 0..<0 }
    let blurRows = levels.enumerated().map { l, level -> Range<Int> in
      guard level.factor > 1 else { return 0..<0 }
      let k = level.factor.trailingZeroBitCount
      let range = top / level.factor + 1..<(bottom - 1) / level.factor + 5
      rows[k] = Self.union(
        rows[k], max(0, range.lowerBound - level.radius)..<min(Int(pyramid[k].height), range.upperBound + level.radius))
      return range
    }
    for k in stride(from: pyramid.count - 2, to: 0, by: -1) where pyramid[k].height > 0 && !rows[k + 1].isEmpty {
      rows[k] = Self.union(
        rows[k],
        max(
          0, min(2 * rows[k + 1].lowerBound - 4, Int(pyramid[k].height) - 1))..<min(
            Int(pyramid[k].height), 2 * rows[k + 1].upperBound + 2))
    }
    for k in rows.indices where !rows[k].isEmpty {
      step.cells = pyramid[k]
      if k == 1 {
        workers.run(parts: parts, rows: rows[k], step) {
          $0.kernels.lens.halve_picture(&$0.mix.picture, &$0.cells, $1.from, $1.to, $0.work($1.part))
        }
      } else if pyramid[k - 1].height == 0 {
        workers.run(parts: parts, rows: rows[k], step) {
          $0.kernels.lens.quarter_picture(&$0.mix.picture, &$0.cells, $1.from, $1.to, $0.work($1.part))
        }
      } else {
        step.source = pyramid[k - 1]
        workers.run(parts: parts, rows: rows[k], step) {
          $0.kernels.lens.halve(&$0.source, $0.mix.picture.channels, &$0.cells, $1.from, $1.to, $0.work($1.part))
        }
      }
    }
    for (l, level) in levels.enumerated() where level.factor > 1 {
      step.source = pyramid[level.factor.trailingZeroBitCount]
      step.cells = blurred[l]
      step.taps = UnsafePointer(taps[l].base)
      step.radius = Int32(level.radius)
      workers.run(parts: parts, rows: blurRows[l], step) {
        $0.kernels.lens.blur(
          &$0.source, $0.mix.picture.channels, &$0.cells, $0.taps, $0.radius, $1.from, $1.to, $0.work($1.part))
      }
    }
  }

  private static func union(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
    if a.isEmpty { return b }
    return b.isEmpty ? a : min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
  }
}

private struct VariableBlurStep {
  let kernels: bd_kernels
  var mix: bd_lens_mix
  let mask: UnsafePointer<UInt16>
  let maskStride: Int
  let upsampling: UnsafePointer<bd_upsample>
  let scratch: (base: UnsafeMutableRawPointer, byteCount: Int, mask: Int, upsampling: Int)
  var source = bd_lens_cells()
  var cells = bd_lens_cells()
  var taps: UnsafePointer<Float>?
  var radius: Int32 = 0

  func work(_ part: Int) -> UnsafeMutableRawPointer { scratch.base + part * scratch.byteCount }

  mutating func mixRows(_ share: WorkerPool.RowShare) {
    let memory = work(share.part)
    let strengths = (memory + scratch.mask).assumingMemoryBound(to: UInt16.self)
    let stride = (Int(mix.picture.width) + 31) / 32 * 32
    for from in Swift.stride(from: Int(share.from), to: Int(share.to), by: VariableBlurPlan.chunk) {
      let to = min(Int32(from + VariableBlurPlan.chunk), share.to)
      kernels.matte.upsample_rows(
        mask, maskStride, upsampling, strengths - from * stride, stride, Int32(from), to, memory + scratch.upsampling)
      kernels.lens.mix(&mix, strengths, stride, Int32(from), to, memory)
    }
  }
}
