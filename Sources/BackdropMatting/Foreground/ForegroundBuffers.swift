import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Memory of foreground estimation for planes of one size: opacity, states and the pyramid of colours.
final class ForegroundBuffers {
  /// The plane, and the matte that covers it.
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
  private let opacity: UnsafeMutablePointer<UInt16>
  private let opacityStride: Int
  private let isBanded: Bool
  private let states: UnsafeMutablePointer<UInt8>
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
    let parts = workers.threadCount == 1 ? 1 : 4 * workers.threadCount
    self.parts = parts
    let (width, height, channels) = (shape.width, shape.height, shape.channels)
    let isSame = width == shape.matteWidth && height == shape.matteHeight
    upsampling =
      isSame
      ? nil
      : MatteUpsampling(
        fromWidth: shape.matteWidth, height: shape.matteHeight, toWidth: width, height: height, cpu: cpu)
    opacityStride = (width + 31) / 32 * 32
    isBanded = shape.isBanded && !isSame
    opacity = .allocate(
      capacity: isSame ? 1 : opacityStride * (isBanded ? parts * Self.bandRows * Self.cell : height))
    groups = (width + Self.group - 1) / Self.group
    let rows = (height + Self.cell - 1) / Self.cell
    states = .allocate(capacity: groups * rows)

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

  deinit {
    opacity.deallocate()
    states.deallocate()
    scratch.deallocate()
  }

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
    job.states = states
    job.groups = Int32(groups)
    job.level_count = Int32(levels.count)
    withUnsafeMutableBytes(of: &job.levels) { bytes in
      let target = bytes.bindMemory(to: bd_foreground_level.self)
      for (index, level) in levels.enumerated() { target[index] = level }
    }
    matte.q15.withUnsafePointer { samples in
      job.opacity = upsampling == nil ? samples : UnsafePointer(opacity)
      job.opacity_stride = upsampling == nil ? matte.q15.stride : opacityStride
      var step = ForegroundStep(
        kernels: cpu.kernels, job: job, matte: samples, matteStride: matte.q15.stride, tables: upsampling?.tables,
        opacity: opacity, isBanded: isBanded, parts: parts, scratch: scratch, scratchByteCount: scratchByteCount)
      body(&step)
    }
  }

  private func gather(_ step: inout ForegroundStep) {
    if upsampling != nil && !isBanded {
      workers.run(parts: parts, &step) { $0.enlarge($1) }
    }
    step.rows = 0..<rowCount
    workers.run(parts: parts, &step) { $0.cells($1) }
    for level in levels.indices.dropFirst() {
      step.level = Int32(level)
      workers.run(parts: min(parts, step.levelParts(levels[level])), &step) {
        $0.pull($1)
      }
    }
    for level in levels.indices.reversed() {
      step.level = Int32(level)
      workers.run(parts: min(parts, step.levelParts(levels[level])), &step) {
        $0.push($1)
      }
    }
  }

  private func solve(_ rows: Range<Int>, _ step: inout ForegroundStep) {
    step.rows = rows
    workers.run(parts: parts, &step) {
      $0.solve($1)
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
  let parts: Int
  let scratch: UnsafeMutableRawPointer
  let scratchByteCount: Int
  var level: Int32 = 0
  /// Rows of cells to work on.
  var rows = 0..<0
  var levelPartCount = 1

  /// Small levels are not worth waking a thread.
  mutating func levelParts(_ level: bd_foreground_level) -> Int {
    levelPartCount = level.width * level.height < 4096 ? 1 : min(parts, Int(level.height))
    return levelPartCount
  }

  private func rows(_ part: Int, of count: Int, parts: Int) -> (Int32, Int32) {
    let share = WorkerPool.share(part, of: count, in: parts)
    return (Int32(share.lowerBound), Int32(share.upperBound))
  }

  private func levelRows(_ part: Int) -> (Int32, Int32) {
    let height = withUnsafeBytes(of: job.levels) {
      $0.bindMemory(to: bd_foreground_level.self)[Int(level)].height
    }
    return rows(part, of: Int(height), parts: levelPartCount)
  }

  func enlarge(_ part: Int) {
    let (from, to) = rows(part, of: Int(job.height), parts: parts)
    kernels.matte.upsample_rows(
      matte, matteStride, tables, opacity, job.opacity_stride, from, to, scratch + part * scratchByteCount)
  }

  func cells(_ part: Int) {
    forEachBand(of: part) { job, from, to in kernels.foreground.cells(&job, from, to) }
  }

  func pull(_ part: Int) {
    var job = job
    let (from, to) = levelRows(part)
    kernels.foreground.pull(&job, level, from, to)
  }

  func push(_ part: Int) {
    var job = job
    let (from, to) = levelRows(part)
    kernels.foreground.push(
      &job, level, from, to, (scratch + part * scratchByteCount).assumingMemoryBound(to: Float.self))
  }

  func solve(_ part: Int) {
    forEachBand(of: part) { job, from, to in kernels.foreground.solve(&job, from, to) }
  }

  /// Calls `body` with a part's rows of cells, at once or in bands, with their opacity available.
  private func forEachBand(of part: Int, _ body: (inout bd_foreground, Int32, Int32) -> Void) {
    let share = WorkerPool.share(part, of: rows.count, in: parts)
    let mine = rows.lowerBound + share.lowerBound..<rows.lowerBound + share.upperBound
    // A copy, because all threads share the job.
    var job = job
    guard isBanded else {
      body(&job, Int32(mine.lowerBound), Int32(mine.upperBound))
      return
    }
    let (cell, height) = (ForegroundBuffers.cell, ForegroundBuffers.bandRows)
    let band = opacity + part * height * cell * job.opacity_stride
    for start in stride(from: mine.lowerBound, to: mine.upperBound, by: height) {
      let end = min(start + height, mine.upperBound)
      let (first, last) = (start * cell, min(end * cell, Int(job.height)))
      // Kernels count rows from the top of the picture.
      let base = band - first * job.opacity_stride
      kernels.matte.upsample_rows(
        matte, matteStride, tables, base, job.opacity_stride, Int32(first), Int32(last),
        scratch + part * scratchByteCount)
      job.opacity = UnsafePointer(base)
      body(&job, Int32(start), Int32(end))
    }
  }
}
