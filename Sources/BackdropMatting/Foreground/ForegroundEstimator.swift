import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Estimates what colour the foreground has where a matte is soft, so that the old background does not shine through
/// when the foreground is laid over another.
///
/// A soft pixel shows α F + (1 − α) B: laid over a new background as it is, it brings B along as a fringe. The colours
/// of both sides are gathered from purer pixels around, near ones first (the pull-push of Gortler et al., 1996, weighted
/// by α³² and (1 − α)³²), and then moved by the least that makes them blend to the pixel, as in each step of Germer et al.
/// ("Fast Multi-Level Foreground Estimation", arXiv:2006.14970). Each channel is worked on alone, so it is the same in
/// R′G′B′ and Y′CbCr. Most of the cost follows the length of the edge.
///
/// One stream, one estimator: it is not safe to call from two threads at once; it uses the pool's threads itself.
/// Once it has run, it allocates nothing.
public final class ForegroundEstimator {
  /// Pixel formats that can be worked on.
  public static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12]

  /// Whether opacity is scaled to the picture's size a few rows at a time only, which takes more time and less memory.
  package var savesMemory = false

  private let workers: WorkerPool
  private let cpu: CPULevel
  private var buffers: [ForegroundBuffers?] = [nil, nil]
  /// The background's share of a matte.
  private var rest = Matte(constant: 0, width: 1, height: 1)

  /// Makes an estimator.
  public convenience init(workers: WorkerPool) {
    self.init(workers: workers, cpu: .current)
  }

  package init(workers: WorkerPool, cpu: CPULevel) {
    self.workers = workers
    self.cpu = cpu
  }

  /// The foreground's colours in every pixel of `image`.
  ///
  /// Where the matte is 1 they are the picture's own; where it is 0 they are those of the foreground nearby, and nothing of
  /// the picture there. An alpha channel is copied.
  ///
  /// - Parameters:
  ///   - image: upright, of one of ``formats``.
  ///   - matte: of any size; it covers the whole picture. It is enlarged as the compositor does.
  ///   - output: reused if it has the same size and format and nobody shares it.
  /// - Throws: `unsupported` for another format, `wrongArgument` if the matte is empty.
  public func estimate(_ image: Image, matte: Matte, into output: inout Image) throws(BackdropError) {
    try check(image, matte)
    estimate(image, under: matte, into: &output)
  }

  /// The background's colours in every pixel of `image`: the same for what is left of the matte. Where the matte is 0 they are
  /// the picture's own, and where it is 1 those of the background nearby: the picture without what the matte covers.
  ///
  /// - Parameters:
  ///   - image: upright, of one of ``formats``.
  ///   - matte: of any size; it covers the whole picture. It is enlarged as the compositor does.
  ///   - output: reused if it has the same size and format and nobody shares it.
  /// - Throws: `unsupported` for another format, `wrongArgument` if the matte is empty.
  public func estimateBackground(_ image: Image, matte: Matte, into output: inout Image) throws(BackdropError) {
    try check(image, matte)
    if rest.width != matte.width || rest.height != matte.height {
      rest = Matte(q15: Plane(uninitializedWidth: matte.width, height: matte.height))
    }
    for y in 0..<matte.height {
      let from = matte.q15.row(y)
      var to = rest.q15.mutableRow(y)
      for x in from.indices { to[x] = Matte.one - min(from[x], Matte.one) }
    }
    estimate(image, under: rest, into: &output)
  }

  /// Gathers the colours of a picture in an interleaved format, of which ``rows(_:of:matte:into:)`` then makes as many rows as
  /// are asked for: for pictures so large that there had better be no second one.
  package func gather(_ image: Image, matte: Matte) throws(BackdropError) {
    try check(image, matte)
    precondition(!image.format.isYUV, "only interleaved formats come in rows")
    image.withUnsafeBytes { from in
      let job = job(0, image, from, nil, Place(0, image))
      fitting(0, image.width, image.height, 3, matte, parts).gather(
        job, matte: matte, parts: parts, workers: workers, cpu: cpu)
    }
  }

  /// Some rows of what ``estimate(_:matte:into:)`` gives, into the first rows of `output`.
  ///
  /// - Parameters:
  ///   - rows: begin and end at multiples of ``rowStep``, or end with the picture.
  ///   - image: the one that was gathered last, and its matte.
  ///   - output: as wide as the picture, of its format, with at least as many rows.
  package func rows(_ rows: Range<Int>, of image: Image, matte: Matte, into output: inout Image) {
    precondition(
      output.width == image.width && output.format == image.format && output.height >= rows.count
        && rows.lowerBound % Self.rowStep == 0 && rows.upperBound <= image.height
        && (rows.upperBound % Self.rowStep == 0 || rows.upperBound == image.height))
    let cells = rows.lowerBound / Self.rowStep..<(rows.upperBound + Self.rowStep - 1) / Self.rowStep
    let target = Place(0, output)
    image.withUnsafeBytes { from in
      output.withUnsafeMutableBytes { to in
        let job = job(0, image, from, to - rows.lowerBound * target.bytesPerRow, target)
        fitting(0, image.width, image.height, 3, matte, parts).solve(
          job, rows: cells, matte: matte, parts: parts, workers: workers, cpu: cpu)
      }
    }
  }

  /// What rows begin at multiples of.
  package static let rowStep = ForegroundBuffers.cell

  private var parts: Int { workers.threadCount == 1 ? 1 : 4 * workers.threadCount }

  private func check(_ image: Image, _ matte: Matte) throws(BackdropError) {
    guard Self.formats.contains(image.format) else {
      let known = Self.formats.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(
        .unsupported, "estimating foreground colours does not work on \(image.format.rawValue)",
        hint: "convert it to one of \(known)")
    }
    guard matte.width > 0 && matte.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
  }

  private func estimate(_ image: Image, under matte: Matte, into output: inout Image) {
    output.fit(image)
    // Planes of a decoder's own memory lie otherwise than those of the result.
    let targets = (Place(0, output), image.format.isYUV ? Place(1, output) : nil)
    image.withUnsafeBytes { from in
      output.withUnsafeMutableBytes { to in
        run(0, image, matte, from, to, targets.0)
        if let target = targets.1 { run(1, image, matte, from, to, target) }
      }
    }
  }

  /// Where the channels of luma and packed colours (0), or of chroma (1), begin in an image, and how long its rows are.
  private struct Place {
    let offsets: (Int, Int, Int)
    let bytesPerRow: Int

    init(_ index: Int, _ image: Image) {
      let first = image.layout(index)
      bytesPerRow = first.bytesPerRow
      // Channels that there are not are never touched.
      let second = index > 0 && image.format != .nv12 ? image.layout(2).offset : first.offset + 1
      offsets = (first.offset, second, first.offset + 2)
    }
  }

  private func run(
    _ index: Int, _ image: Image, _ matte: Matte, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer,
    _ target: Place
  ) {
    let width = index == 0 ? image.width : (image.width + 1) / 2
    let height = index == 0 ? image.height : (image.height + 1) / 2
    let job = job(index, image, from, to, target)
    fitting(index, width, height, Int(job.channels), matte, parts).run(
      job, matte: matte, parts: parts, workers: workers, cpu: cpu)
  }

  private func job(
    _ index: Int, _ image: Image, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer?, _ target: Place
  ) -> bd_foreground {
    let isPlanar = image.format.isYUV
    let picture = from.assumingMemoryBound(to: UInt8.self)
    let source = Place(index, image)
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

  private func fitting(
    _ index: Int, _ width: Int, _ height: Int, _ channels: Int, _ matte: Matte, _ parts: Int
  ) -> ForegroundBuffers {
    if let made = buffers[index],
      made.fits(width: width, height: height, channels: channels, matte: matte, isBanded: savesMemory)
    {
      return made
    }
    let made = ForegroundBuffers(
      width: width, height: height, channels: channels, matteWidth: matte.width, matteHeight: matte.height,
      parts: parts, isBanded: savesMemory, cpu: cpu)
    buffers[index] = made
    return made
  }
}
