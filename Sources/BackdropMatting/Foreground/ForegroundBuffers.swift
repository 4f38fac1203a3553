import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Memory of foreground estimation for planes of one size: opacity, states and the pyramid of colours.
final class ForegroundBuffers {
  struct Shape: Equatable {
    var width: Int, height: Int, channels: Int
    var matteWidth: Int, matteHeight: Int
    /// Whether to scale opacity to the picture's size a few rows at a time, and again for each step: this takes more time and saves two
    /// bytes a pixel.
    var isBanded: Bool
  }

  let shape: Shape
  private let workers: WorkerPool
  private let cpu: CPULevel
  private let parts: Int
  private let upsampling: MatteUpsampling?
  /// The whole opacity, or a band of it for each part.
  private let opacity: ZeroedMemory<UInt16>
  private let opacityStride: Int
  private let isBanded: Bool
  private let states: ZeroedMemory<UInt8>
  private let groups: Int
  private let floats: ZeroedMemory<Float>
  private let scratch: UnsafeMutableRawPointer
  private let scratchByteCount: Int
  private let levels: [bd_foreground_level]

  static let cell = Int(BD_FOREGROUND_CELL)
  private static let group = Int(BD_FOREGROUND_GROUP)
  /// Rows of cells whose opacity is computed together if it is not kept.
  fileprivate static let bandRows = 16

  init(_ shape: Shape, workers: WorkerPool, cpu: CPULevel) {
    (self.shape, self.workers, self.cpu) = (shape, workers, cpu)
    parts = workers.partCount
    let (width, height, channels) = (shape.width, shape.height, shape.channels)
    let isSame = width == shape.matteWidth && height == shape.matteHeight
    upsampling =
      isSame
      ? nil
      : MatteUpsampling(
        fromWidth: shape.matteWidth, height: shape.matteHeight, toWidth: width, height: height, cpu: cpu)
    opacityStride = (width + 31) / 32 * 32
    isBanded = shape.isBanded && !isSame
    opacity = ZeroedMemory(count: isSame ? 1 : opacityStride * (isBanded ? parts * Self.bandRows * Self.cell : height))
    groups = (width + Self.group - 1) / Self.group
    let rows = (height + Self.cell - 1) / Self.cell
    states = ZeroedMemory(count: groups * rows)

    var sizes = [((width + Self.cell - 1) / Self.cell, rows)]
    while let (w, h) = sizes.last, w > 1 || h > 1 { sizes.append(((w + 1) / 2, (h + 1) / 2)) }
    let planes = 2 * channels + 2
    // Kernels may access whole groups of the last row.
    func stride(_ width: Int) -> Int { (width + 15) / 16 * 16 }
    let counts = sizes.map { stride($0.0) * $0.1 + 16 }
    floats = ZeroedMemory(count: counts.reduce(0, +) * planes)
    var next = floats.base
    levels = sizes.enumerated().map { index, size in
      var made = bd_foreground_level()
      var pointers: [UnsafeMutablePointer<Float>] = []
      for _ in 0..<planes {
        pointers.append(next)
        next += counts[index]
      }
      // Missing channels are never accessed.
      func plane(_ c: Int) -> UnsafeMutablePointer<Float> { pointers[min(c, channels - 1)] }
      func back(_ c: Int) -> UnsafeMutablePointer<Float> { pointers[channels + min(c, channels - 1)] }
      made.front = (plane(0), plane(1), plane(2))
      made.back = (back(0), back(1), back(2))
      made.front_weight = pointers[2 * channels]
      made.back_weight = pointers[2 * channels + 1]
      made.stride = stride(size.0)
      made.width = Int32(size.0)
      made.height = Int32(size.1)
      return made
    }
    let rowBytes = ((sizes[0].0 + 1) / 2 + 2) * MemoryLayout<Float>.stride
    scratchByteCount = (max(rowBytes, upsampling?.scratchByteCount ?? 0) + 63) / 64 * 64
    scratch = .allocate(byteCount: scratchByteCount * parts, alignment: 64)
  }

  deinit { scratch.deallocate() }

  /// Rows of cells.
  var rowCount: Int { Int(levels[0].height) }

  /// Runs all steps. `job` holds the pictures and constants; this function sets the rest.
  func run(_ job: bd_foreground, matte: Matte) {
    withStep(job, matte) { step in
      gather(&step)
      solve(0..<rowCount, &step)
    }
  }

  /// Gathers the colours of both sides; ``solve(_:rows:matte:)`` then needs no others.
  func gather(_ job: bd_foreground, matte: Matte) { withStep(job, matte) { gather(&$0) } }

  /// Makes the rows of some cells, from colours gathered from the same picture and matte.
  func solve(_ job: bd_foreground, rows: Range<Int>, matte: Matte) { withStep(job, matte) { solve(rows, &$0) } }

  private func withStep(_ job: bd_foreground, _ matte: Matte, _ body: (inout ForegroundStep) -> Void) {
    var job = job
    job.width = Int32(shape.width)
    job.height = Int32(shape.height)
    job.states = states.base
    job.groups = Int32(groups)
    job.level_count = Int32(levels.count)
    withUnsafeMutableBytes(of: &job.levels) { bytes in
      let target = bytes.bindMemory(to: bd_foreground_level.self)
      for (index, level) in levels.enumerated() { target[index] = level }
    }
    matte.q15.withUnsafePointer { samples in
      job.opacity = upsampling == nil ? samples : UnsafePointer(opacity.base)
      job.opacity_stride = upsampling == nil ? matte.q15.stride : opacityStride
      var step = ForegroundStep(
        kernels: cpu.kernels, job: job, matte: samples, matteStride: matte.q15.stride, tables: upsampling?.tables,
        opacity: opacity.base, isBanded: isBanded, scratch: scratch, scratchByteCount: scratchByteCount)
      body(&step)
    }
  }

  private func gather(_ step: inout ForegroundStep) {
    if upsampling != nil && !isBanded {
      workers.run(parts: parts, rows: 0..<shape.height, step) {
        $0.kernels.matte.upsample_rows(
          $0.matte, $0.matteStride, $0.tables, $0.opacity, $0.job.opacity_stride, $1.from, $1.to,
          $0.scratch + $1.part * $0.scratchByteCount)
      }
    }
    workers.run(parts: parts, rows: 0..<rowCount, step) { step, share in
      step.forEachBand(of: share) { step.kernels.foreground.cells(&$0, $1, $2) }
    }
    for index in levels.indices.dropFirst() {
      step.level = Int32(index)
      workers.run(parts: parts(of: levels[index]), rows: 0..<Int(levels[index].height), step) {
        $0.kernels.foreground.pull(&$0.job, $0.level, $1.from, $1.to)
      }
    }
    for index in levels.indices.reversed() {
      step.level = Int32(index)
      workers.run(parts: parts(of: levels[index]), rows: 0..<Int(levels[index].height), step) {
        let scratch = $0.scratch + $1.part * $0.scratchByteCount
        $0.kernels.foreground.push(&$0.job, $0.level, $1.from, $1.to, scratch.assumingMemoryBound(to: Float.self))
      }
    }
  }

  /// Small levels are not worth waking a thread.
  private func parts(of level: bd_foreground_level) -> Int {
    level.width * level.height < 4096 ? 1 : min(parts, Int(level.height))
  }

  private func solve(_ rows: Range<Int>, _ step: inout ForegroundStep) {
    workers.run(parts: parts, rows: rows, step) { step, share in
      step.forEachBand(of: share) { step.kernels.foreground.solve(&$0, $1, $2) }
    }
  }
}

/// The data of one step that the threads share.
private struct ForegroundStep {
  let kernels: bd_kernels
  var job: bd_foreground
  let matte: UnsafePointer<UInt16>
  let matteStride: Int
  let tables: UnsafePointer<bd_upsample>?
  let opacity: UnsafeMutablePointer<UInt16>
  let isBanded: Bool
  let scratch: UnsafeMutableRawPointer
  let scratchByteCount: Int
  var level: Int32 = 0

  /// Calls `body` with a part's rows of cells, at once or in bands, with their opacity available.
  func forEachBand(of share: WorkerPool.RowShare, _ body: (inout bd_foreground, Int32, Int32) -> Void) {
    var job = job
    guard isBanded else { return body(&job, share.from, share.to) }
    let (cell, height) = (ForegroundBuffers.cell, ForegroundBuffers.bandRows)
    let band = opacity + share.part * height * cell * job.opacity_stride
    for start in stride(from: Int(share.from), to: Int(share.to), by: height) {
      let end = min(start + height, Int(share.to))
      let (first, last) = (start * cell, min(end * cell, Int(job.height)))
      // Kernels count rows from the top of the picture.
      let base = band - first * job.opacity_stride
      kernels.matte.upsample_rows(
        matte, matteStride, tables, base, job.opacity_stride, Int32(first), Int32(last),
        scratch + share.part * scratchByteCount)
      job.opacity = UnsafePointer(base)
      body(&job, Int32(start), Int32(end))
    }
  }
}
