import CBackdropKernels

/// Blurs pictures by the exact mean over a disc of whole pixels, like a convolution with a disc of ones.
///
/// Stored samples are averaged, every channel in the same way, including alpha. Means are rounded half up, and beyond the edges the
/// outermost pixels repeat. The cost grows with the radius, not with its square. ``DiscBlur`` looks more like a lens, has discs of any
/// radius, and is several times faster.
///
/// It keeps only some rows of the picture. Use one blur for one stream. It is not safe to call from two threads at once; it uses the pool's
/// threads itself.
package final class DiscMean {
  /// Supported pixel formats.
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .gray8]
  /// The supported radii, in pixels: a pixel belongs to the disc if its centre is within the radius.
  package static let radii = 1...Int(BD_DISC_MEAN_RADIUS)

  private let workers: WorkerPool
  private let cpu: CPULevel
  private let scratch = ScratchMemory()

  /// Makes a blur.
  package convenience init(workers: WorkerPool) { self.init(workers: workers, cpu: .current) }

  package init(workers: WorkerPool, cpu: CPULevel) {
    self.workers = workers
    self.cpu = cpu
  }

  /// The picture with each pixel replaced by the mean of the disc around it.
  ///
  /// - Parameters:
  ///   - image: the picture.
  ///   - radius: in pixels.
  ///   - output: reused if it has the same size and format and is not shared.
  /// - Throws: `wrongArgument` for a radius outside ``radii``, `unsupported` for a format not in ``formats``.
  package func blur(_ image: Image, radius: Int, into output: inout Image) throws(BackdropError) {
    guard Self.radii.contains(radius) else {
      throw BackdropError(
        .wrongArgument, "a disc cannot have a radius of \(radius)",
        hint: "use a radius from 1 to \(Self.radii.upperBound) pixels")
    }
    guard Self.formats.contains(image.format) else {
      let known = Self.formats.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(
        .unsupported, "a disc mean does not work on \(image.format.rawValue)", hint: "convert it to one of \(known)")
    }
    output.fit(image)
    let reach = (0...radius).map { dx in
      Int32((0...radius).last { dx * dx + $0 * $0 <= radius * radius } ?? 0)
    }
    let (from, to) = (image.layout(0), output.layout(0))
    image.withUnsafeBytes { source in
      output.withUnsafeMutableBytes { target in
        reach.withUnsafeBufferPointer { reach in
          var job = bd_disc_mean(
            picture: source.assumingMemoryBound(to: UInt8.self), output: target.assumingMemoryBound(to: UInt8.self),
            picture_stride: from.bytesPerRow, output_stride: to.bytesPerRow,
            step: Int32(image.format.channels(plane: 0)), width: Int32(image.width), height: Int32(image.height),
            radius: Int32(radius), reach: reach.baseAddress)
          let byteCount = (cpu.kernels.disc.mean_scratch(&job) + 63) / 64 * 64
          // Each part begins with the sums of a whole disc.
          let parts = workers.threadCount == 1 ? 1 : 2 * workers.threadCount
          var step = DiscMeanStep(
            kernels: cpu.kernels.disc, job: job, parts: parts, scratch: scratch.reserve(parts * byteCount),
            byteCount: byteCount)
          workers.run(parts: parts, &step) { $0!.assumingMemoryBound(to: DiscMeanStep.self).pointee.run(Int($1)) }
        }
      }
    }
  }
}

/// The job of one picture, shared by the threads.
private struct DiscMeanStep {
  let kernels: bd_disc_kernels
  var job: bd_disc_mean
  let parts: Int
  let scratch: UnsafeMutableRawPointer
  let byteCount: Int

  func run(_ part: Int) {
    var job = job
    let rows = WorkerPool.share(part, of: Int(job.height), in: parts)
    kernels.mean(&job, Int32(rows.lowerBound), Int32(rows.upperBound), scratch + part * byteCount)
  }
}
