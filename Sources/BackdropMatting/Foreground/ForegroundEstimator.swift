import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Estimates the colour of the foreground in the soft parts of a matte, so that the old background does not show through over another one.
///
/// A soft pixel shows α F + (1 − α) B. Drawn unchanged over a new background, it shows B as a fringe. The estimator gathers the colours of
/// both sides from purer pixels around, near ones first (the pull-push of Gortler et al., 1996, weighted by α³² and (1 − α)³²). It then
/// moves them by the least amount that makes them blend to the pixel, as in each step of Germer et al. ("Fast Multi-Level Foreground
/// Estimation", arXiv:2006.14970). It processes each channel separately, so the result is the same in R′G′B′ and Y′CbCr. The cost mostly
/// grows with the length of the edge.
///
/// Use one estimator for one stream. It is not safe to call from two threads at once; it uses the pool's threads itself. After the first
/// run it allocates nothing.
package final class ForegroundEstimator {
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12]

  /// Whether to scale opacity to the picture's size a few rows at a time, which takes more time and less memory.
  package var savesMemory = false

  private let workers: WorkerPool
  private let cpu: CPULevel
  private var buffers: [ForegroundBuffers?] = [nil, nil]
  /// The inverted matte.
  private var rest = Matte(constant: 0, width: 1, height: 1)

  package init(workers: WorkerPool, cpu: CPULevel = .current) {
    self.workers = workers
    self.cpu = cpu
  }

  /// The foreground's colours in every pixel of `image`, which is upright, of one of ``formats``.
  ///
  /// For a matte of 1 they are the picture's own. For a matte of 0 they are those of the foreground nearby, without the picture's own. An
  /// alpha channel is copied. The matte, of any size, covers the whole picture, and is enlarged like in the compositor. `output` is reused
  /// if it has the same size and format and is not shared.
  ///
  /// - Throws: `unsupported` for another format, `wrongArgument` if the matte is empty.
  package func estimate(_ image: Image, matte: Matte, into output: inout Image) throws(BackdropError) {
    try check(image, matte)
    estimate(image, under: matte, into: &output)
  }

  /// The background's colours in every pixel of `image`, as for the inverted matte. For a matte of 0 they are the picture's own, and for 1
  /// those of the background nearby: the picture without the parts under the matte. Parameters and errors are those of
  /// ``estimate(_:matte:into:)``.
  package func estimateBackground(_ image: Image, matte: Matte, into output: inout Image) throws(BackdropError) {
    try check(image, matte)
    rest.q15.fit(matte.width, matte.height)
    rest.q15.update(with: matte.q15) { Matte.one - min($1, Matte.one) }
    estimate(image, under: rest, into: &output)
  }

  /// Gathers the colours of a picture in an interleaved format. ``rows(_:of:matte:into:)`` then makes the requested rows. This is for
  /// pictures too large for a second copy.
  package func gather(_ image: Image, matte: Matte) throws(BackdropError) {
    try check(image, matte)
    precondition(!image.format.isYUV, "only interleaved formats come in rows")
    image.withUnsafeBytes { from in
      let job = job(0, image, from, nil, ChannelLayout(0, image))
      fitting(0, image, matte).gather(job, matte: matte)
    }
  }

  /// Some rows of the result of ``estimate(_:matte:into:)`` for the last gathered picture with its matte, in the first rows of `output`,
  /// which is as wide as the picture, of its format, and has at least as many. They start and end at multiples of ``rowStep``, or end with
  /// the picture.
  package func rows(_ rows: Range<Int>, of image: Image, matte: Matte, into output: inout Image) {
    precondition(
      output.width == image.width && output.format == image.format && output.height >= rows.count
        && rows.lowerBound % Self.rowStep == 0 && rows.upperBound <= image.height
        && (rows.upperBound % Self.rowStep == 0 || rows.upperBound == image.height))
    let cells = rows.lowerBound / Self.rowStep..<(rows.upperBound + Self.rowStep - 1) / Self.rowStep
    let target = ChannelLayout(0, output)
    image.withUnsafeBytes { from in
      output.withUnsafeMutableBytes { to in
        let job = job(0, image, from, to - rows.lowerBound * target.bytesPerRow, target)
        fitting(0, image, matte).solve(job, rows: cells, matte: matte)
      }
    }
  }

  /// Rows start at multiples of this.
  package static let rowStep = ForegroundBuffers.cell

  private func check(_ image: Image, _ matte: Matte) throws(BackdropError) {
    try image.format.check(isIn: Self.formats, else: "estimating foreground colours does not work on")
    guard matte.width > 0 && matte.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
  }

  private func estimate(_ image: Image, under matte: Matte, into output: inout Image) {
    output.fit(image)
    // Planes in a decoder's memory have another layout than those of the result.
    let targets = (ChannelLayout(0, output), image.format.isYUV ? ChannelLayout(1, output) : nil)
    image.withUnsafeBytes { from in
      output.withUnsafeMutableBytes { to in
        fitting(0, image, matte).run(job(0, image, from, to, targets.0), matte: matte)
        if let target = targets.1 { fitting(1, image, matte).run(job(1, image, from, to, target), matte: matte) }
      }
    }
  }

  /// The offsets of the channels of luma and packed colours (0), or of chroma (1), in an image, and the length of its rows.
  private struct ChannelLayout {
    let offsets: (Int, Int, Int)
    let bytesPerRow: Int

    init(_ index: Int, _ image: Image) {
      let first = image.layout(index)
      bytesPerRow = first.bytesPerRow
      // Missing channels are never accessed.
      let second = index > 0 && image.format != .nv12 ? image.layout(2).offset : first.offset + 1
      offsets = (first.offset, second, first.offset + 2)
    }
  }

  private func job(
    _ index: Int, _ image: Image, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer?, _ target: ChannelLayout
  ) -> bd_foreground {
    let isPlanar = image.format.isYUV
    let picture = from.assumingMemoryBound(to: UInt8.self)
    let source = ChannelLayout(index, image)
    var job = bd_foreground()
    job.picture = (picture + source.offsets.0, picture + source.offsets.1, picture + source.offsets.2)
    if let to {
      let output = to.assumingMemoryBound(to: UInt8.self)
      job.output = (output + target.offsets.0, output + target.offsets.1, output + target.offsets.2)
    }
    job.picture_stride = source.bytesPerRow
    job.output_stride = target.bytesPerRow
    job.step = isPlanar ? (index > 0 && image.format == .nv12 ? 2 : 1) : image.format == .rgb8 ? 3 : 4
    job.channels = isPlanar ? (index == 0 ? 1 : 2) : 3
    job.trust = 64
    if isPlanar {
      let black: UInt8 = image.color.range == .limited ? 16 : 0
      job.nothing = index == 0 ? (black, black, black) : (128, 128, 128)
    }
    return job
  }

  private func fitting(_ index: Int, _ image: Image, _ matte: Matte) -> ForegroundBuffers {
    let halves = index > 0
    let shape = ForegroundBuffers.Shape(
      width: halves ? (image.width + 1) / 2 : image.width, height: halves ? (image.height + 1) / 2 : image.height,
      channels: image.format.isYUV ? (halves ? 2 : 1) : 3, matteWidth: matte.width, matteHeight: matte.height,
      isBanded: savesMemory)
    if let made = buffers[index], made.shape == shape { return made }
    let made = ForegroundBuffers(shape, workers: workers, cpu: cpu)
    buffers[index] = made
    return made
  }
}
