import BackdropImaging
import CBackdropKernels

/// Draws coarse mattes to the edges of their pictures, reusing its memory from frame to frame.
///
/// In each small window opacity is taken for a linear function of colour: the guided filter of He, Sun and Tang (PAMI 2013)
/// with a colour guide, solved at the matte's size and applied at the picture's (He and Sun, arXiv:1505.00996), so
/// hair and hard edges come out as fine as the picture shows them. Only blocks near the edge are computed. What is
/// below 0.02 or above 0.98 in the matte counts as 0 or 1.
///
/// One stream, one refiner: it is not safe to call from two threads at once.
public final class MatteRefiner {
  /// What to do; may be changed between frames.
  public var settings: MatteRefinement
  private let workers: WorkerPool
  private let cpu: CPULevel
  private var buffers: GuidedBuffers?
  private var guide: Image?
  private var scaler: ImageScaler?
  private let scratch = ScratchMemory()

  /// Makes a refiner.
  public convenience init(_ settings: MatteRefinement = .live, workers: WorkerPool) {
    self.init(settings, workers: workers, cpu: .current)
  }

  package init(_ settings: MatteRefinement, workers: WorkerPool, cpu: CPULevel) {
    self.settings = settings
    self.workers = workers
    self.cpu = cpu
  }

  /// The refined matte, at the size of `image`.
  ///
  /// - Parameters:
  ///   - matte: of any size; it covers the whole picture.
  ///   - image: upright, of any format.
  ///   - output: reused if it has the size of the picture: no allocation then.
  /// - Throws: `wrongArgument` if either is empty.
  public func refine(_ matte: Matte, of image: Image, into output: inout Matte) throws(BackdropError) {
    guard matte.width > 0 && matte.height > 0 && image.width > 0 && image.height > 0 else {
      throw BackdropError(.wrongArgument, "there is nothing to refine: the matte or the picture is empty")
    }
    guard GuidedChannels.formats.contains(image.format) else {
      return try refine(matte, of: image.converted(to: .bgra8, color: .jpeg), into: &output)
    }
    if output.width != image.width || output.height != image.height {
      output.q15 = Plane(uninitializedWidth: image.width, height: image.height)
    }
    let (width, height) = workingSize(matte, image)
    let coarse = matte.width == width && matte.height == height ? matte : matte.scaled(toWidth: width, height: height)
    let buffers = fitting(width, height, image)
    try updateGuide(image, width: width, height: height)
    buffers.load(coarse)
    // Just made.
    buffers.load(guide!)
    apply(buffers, image, &output)
  }

  private func workingSize(_ matte: Matte, _ image: Image) -> (Int, Int) {
    guard let side = settings.workingSide else {
      return (min(matte.width, image.width), min(matte.height, image.height))
    }
    let scale = min(1, Double(max(1, side)) / Double(max(image.width, image.height)))
    return (
      max(1, Int((Double(image.width) * scale).rounded())), max(1, Int((Double(image.height) * scale).rounded()))
    )
  }

  private func updateGuide(_ image: Image, width: Int, height: Int) throws(BackdropError) {
    if guide?.width != width || guide?.height != height || guide?.format != image.format
      || scaler?.sourceWidth != image.width || scaler?.sourceHeight != image.height
    {
      guide = Image(image.format, width: width, height: height, color: image.color)
      scaler = try ImageScaler(
        image.format, sourceWidth: image.width, sourceHeight: image.height, region: nil, width: width, height: height,
        filter: .area, level: cpu)
    }
    // Both just made; taken out so that nobody else holds it while it is written.
    var small = guide.take()!
    try scaler!.apply(image, into: &small, scratch: scratch)
    guide = small
  }

  private func fitting(_ width: Int, _ height: Int, _ image: Image) -> GuidedBuffers {
    if let buffers, buffers.width == width, buffers.height == height, buffers.pictureWidth == image.width {
      return buffers
    }
    let made = GuidedBuffers(width: width, height: height, pictureWidth: image.width)
    buffers = made
    return made
  }

  private func apply(_ buffers: GuidedBuffers, _ image: Image, _ output: inout Matte) {
    let radius = Int32(min(max(settings.radius, 1), Int(BD_GUIDED_BLOCK)))
    let strength = settings.strength.isNaN ? 1 : min(max(settings.strength, 0), 1)
    let parts = workers.threadCount == 1 ? 1 : 4 * workers.threadCount
    let outputStride = output.q15.stride
    let channels = GuidedChannels(image)
    image.withUnsafeBytes { base in
      output.q15.withUnsafeMutablePointer { target in
        var job = GuidedJob(
          kernels: cpu.kernels.refine,
          guided: buffers.job(
            radius: radius, epsilon: Float(max(settings.epsilon, 1e-7)), strength: Float(strength)),
          picture: bd_guided_picture(
            channel: (
              channels.pointer(0, base), channels.pointer(1, base), channels.pointer(2, base)
            ),
            stride: channels.strides, step: channels.steps, halved: channels.halved, width: Int32(image.width),
            height: Int32(image.height), x_index: buffers.indices, x_fraction: buffers.fractions,
            sharpness: Float(min(max(settings.sharpness, 0.1), 100)),
            threshold: Float(min(max(settings.threshold, 0.01), 0.99)), output: target, output_stride: outputStride),
          parts: parts, scratch: buffers.rows(parts))
        workers.run(parts: parts, &job) { job, part in
          job!.assumingMemoryBound(to: GuidedJob.self).pointee.windows(Int(part))
        }
        workers.run(parts: parts, &job) { job, part in
          job!.assumingMemoryBound(to: GuidedJob.self).pointee.means(Int(part))
        }
        workers.run(parts: parts, &job) { job, part in
          job!.assumingMemoryBound(to: GuidedJob.self).pointee.draw(Int(part))
        }
      }
    }
  }
}

/// One matte on its way through the filter, as the threads see it.
private struct GuidedJob {
  let kernels: bd_refine_kernels
  var guided: bd_guided
  var picture: bd_guided_picture
  let parts: Int
  let scratch: UnsafeMutablePointer<Float>

  private func rows(_ part: Int, of count: Int32) -> (Int32, Int32) {
    (Int32(Int(count) * part / parts), Int32(Int(count) * (part + 1) / parts))
  }

  mutating func windows(_ part: Int) {
    let (from, to) = rows(part, of: guided.height)
    kernels.guided_windows(&guided, from, to)
  }

  mutating func means(_ part: Int) {
    let (from, to) = rows(part, of: guided.height)
    kernels.guided_means(&guided, from, to)
  }

  mutating func draw(_ part: Int) {
    let (from, to) = rows(part, of: picture.height)
    let count = 4 * (Int(guided.blocks) * Int(BD_GUIDED_BLOCK) + 1)
    kernels.guided_apply(&guided, &picture, from, to, scratch + part * count)
  }
}
