import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Fits coarse mattes to the edges of their pictures, reusing its memory from frame to frame.
///
/// In each small window opacity is assumed to be a linear function of colour: the guided filter of He, Sun and Tang (PAMI 2013) with a
/// colour guide, solved at the matte's size and applied at the picture's (He and Sun, arXiv:1505.00996). Hair and hard edges become as fine
/// as in the picture. Colours count with their whole variance, as at the picture's size. If such a function would print texture of certain
/// background into the matte, as with blinds and bricks across the edge, it is trusted less, and the matte's own opacity stays. Only blocks
/// near the edge are computed. Values below 0.02 or above 0.98 in the matte count as 0 or 1.
///
/// Use one refiner for one stream. It is not safe to call from two threads at once.
package final class MatteRefiner {
  /// The settings; they may change between frames.
  package var settings: MatteRefinement
  /// How far the last picture's colours were trusted to decide opacity, 0…1, at the working size, for the part of the picture under the
  /// matte. `nil` before the first.
  package var trust: Plane<Float>? { buffers?.trust }
  private let workers: WorkerPool
  private let cpu: CPULevel
  private var buffers: GuidedBuffers?
  private var guide: Image?
  private var guideFrame: IntegerRect?
  private var scaler: ImageScaler?
  private var shrinking: MatteUpsampling?
  private let scratch = ScratchMemory()

  package init(_ settings: MatteRefinement = .live, workers: WorkerPool, cpu: CPULevel = .current) {
    self.settings = settings
    self.workers = workers
    self.cpu = cpu
  }

  /// The matte, of any size, refined to the size of the upright `image`, in any format; `output` is reused if it has that size.
  ///
  /// `frame`, on even pixels, is the part of the picture under the matte, or the whole picture; outside of it the result is 0. `reduced` is
  /// the same part in the same format, reduced by averaging, if the caller has it; it is used if it has at least the working size.
  ///
  /// - Throws: `wrongArgument` if either is empty, or the frame is outside the picture or on odd pixels.
  package func refine(
    _ matte: Matte, of image: Image, frame: IntegerRect? = nil, reduced: Image? = nil, into output: inout Matte
  ) throws(BackdropError) {
    guard matte.width > 0 && matte.height > 0 && image.width > 0 && image.height > 0 else {
      throw BackdropError(.wrongArgument, "there is nothing to refine: the matte or the picture is empty")
    }
    guard GuidedChannels.formats.contains(image.format) else {
      return try refine(matte, of: image.converted(to: .bgra8), frame: frame, into: &output)
    }
    let frame = frame ?? IntegerRect(x: 0, y: 0, width: image.width, height: image.height)
    guard frame.fits(width: image.width, height: image.height), frame.x % 2 == 0, frame.y % 2 == 0 else {
      throw BackdropError(
        .wrongArgument,
        "the region \(frame.x),\(frame.y) \(frame.width)×\(frame.height) is not possible in a picture of "
          + "\(image.width)×\(image.height)")
    }
    output.q15.fit(image.width, image.height)
    let (width, height) = workingSize(matte, frame)
    let buffers = fitting(width, height, frame)
    if matte.width == width && matte.height == height {
      buffers.load(matte)
    } else {
      if shrinking?.sourceWidth != matte.width || shrinking?.sourceHeight != matte.height || shrinking?.width != width
        || shrinking?.height != height
      {
        shrinking = MatteUpsampling(
          fromWidth: matte.width, height: matte.height, toWidth: width, height: height, cpu: cpu)
      }
      // It was made above.
      buffers.load(Matte(q15: shrinking!.apply(to: matte.q15)))
    }
    if let reduced, reduced.width >= width, reduced.height >= height, reduced.format == image.format {
      let whole = IntegerRect(x: 0, y: 0, width: reduced.width, height: reduced.height)
      let isFitting = reduced.width == width && reduced.height == height
      try buffers.load(isFitting ? reduced : makeGuide(reduced, whole, width: width, height: height))
    } else {
      buffers.load(try makeGuide(image, frame, width: width, height: height))
    }
    clear(&output, outside: frame)
    apply(buffers, image, frame, &output)
  }

  private func workingSize(_ matte: Matte, _ frame: IntegerRect) -> (Int, Int) {
    guard let side = settings.workingSide else {
      let reduction = min(max(settings.reduction, 1), 8)
      return (max(1, min(matte.width, frame.width) / reduction), max(1, min(matte.height, frame.height) / reduction))
    }
    return reducedSize(frame.width, frame.height, toSide: side)
  }

  private func clear(_ output: inout Matte, outside frame: IntegerRect) {
    for y in 0..<output.height {
      let isInside = y >= frame.y && y < frame.y + frame.height
      var row = output.q15.mutableRow(y)
      for x in 0..<(isInside ? frame.x : row.count) { row[x] = 0 }
      guard isInside else { continue }
      for x in frame.x + frame.width..<row.count { row[x] = 0 }
    }
  }

  private func makeGuide(_ image: Image, _ frame: IntegerRect, width: Int, height: Int) throws(BackdropError) -> Image {
    if guide?.width != width || guide?.height != height || guide?.format != image.format
      || scaler?.sourceWidth != image.width || scaler?.sourceHeight != image.height || guideFrame != frame
    {
      guide = Image(image.format, width: width, height: height, color: image.color)
      scaler = try ImageScaler(
        image.format, sourceWidth: image.width, sourceHeight: image.height, region: Rect(frame), width: width,
        height: height, filter: .area, level: cpu)
      guideFrame = frame
    }
    // Both exist at this point. Take the picture out, so that this is its only reference during writing.
    var small = guide.take()!
    try scaler!.apply(image, into: &small, scratch: scratch)
    guide = small
    return small
  }

  private func fitting(_ width: Int, _ height: Int, _ frame: IntegerRect) -> GuidedBuffers {
    let fitting =
      if let buffers, buffers.width == width, buffers.height == height { buffers } else {
        GuidedBuffers(width: width, height: height, kernels: cpu.kernels.temporal)
      }
    buffers = fitting
    fitting.fit(pictureWidth: frame.width)
    return fitting
  }

  private func apply(_ buffers: GuidedBuffers, _ image: Image, _ frame: IntegerRect, _ output: inout Matte) {
    let parts = workers.partCount
    let outputStride = output.q15.stride
    let channels = GuidedChannels(image).starting(x: frame.x, y: frame.y)
    image.withUnsafeBytes { base in
      output.q15.withUnsafeMutablePointer { target in
        let job = GuidedJob(
          kernels: cpu.kernels.refine, guided: buffers.job(settings),
          picture: bd_guided_picture(
            channel: (channels.pointer(0, base), channels.pointer(1, base), channels.pointer(2, base)),
            stride: channels.strides, step: channels.steps, halved: channels.halved, width: Int32(frame.width),
            height: Int32(frame.height), x_index: buffers.indices.base, x_fraction: buffers.fractions.base,
            sharpness: Float(min(max(settings.sharpness, 0.1), 100)),
            threshold: Float(min(max(settings.threshold, 0.01), 0.99)),
            output: target + frame.y * outputStride + frame.x, output_stride: outputStride),
          scratch: buffers.scratch(parts), scratchCount: buffers.scratchCount)
        let rows = 0..<buffers.height
        workers.run(parts: parts, rows: rows, job) { $0.kernels.guided_states(&$0.guided, $1.from, $1.to) }
        workers.run(parts: parts, rows: rows, job) {
          $0.kernels.guided_texture(&$0.guided, &$0.picture, $1.from, $1.to)
        }
        workers.run(parts: parts, rows: rows, job) { $0.kernels.guided_windows(&$0.guided, $1.from, $1.to) }
        workers.run(parts: parts, rows: rows, job) { $0.kernels.guided_means(&$0.guided, $1.from, $1.to) }
        workers.run(parts: parts, rows: 0..<frame.height, job) {
          $0.kernels.guided_apply(&$0.guided, &$0.picture, $1.from, $1.to, $0.scratch + $1.part * $0.scratchCount)
        }
      }
    }
  }
}

/// The data of one refinement that the threads share.
private struct GuidedJob {
  let kernels: bd_refine_kernels
  var guided: bd_guided
  var picture: bd_guided_picture
  let scratch: UnsafeMutablePointer<Float>
  let scratchCount: Int
}
