import BackdropImaging
import CBackdropKernels

/// Blurs pictures by Gaussians whose strength varies with a mask.
///
/// The picture and its Gaussians of a third, two thirds and all of sigma are mixed linearly, so a mask value of 1/3 is exactly the first of
/// them and 1/2 lies halfway between the first and the second. Each Gaussian is made at a reduced size as in
/// ``/BackdropImaging/Image/blurred(sigma:)`` and enlarged only where the mask needs it, row by row; with a sigma of 15 the result is
/// within 0.7 of 255 levels of the same mixture at full size, rounding included. Pixels with a mask of 0 are copied. Coded samples are
/// blurred, not light: see ``LensBlur`` for the effect of a lens.
///
/// Use one blur for one stream. It is not safe to call from two threads at once; it uses the pool's threads itself. Besides the output it
/// needs about a third of the picture's memory (small sigmas: 4/3 of it), and keeps it for the same sizes, format and sigma.
package final class VariableBlur {
  /// Supported pixel formats. Y′CbCr is blurred directly, halved chroma with half the sigma.
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12, .gray8]
  /// The valid sigmas, in pixels.
  package static let sigmas = 0.0...256.0

  private let workers: WorkerPool
  private let cpu: CPULevel
  private var plans: [VariableBlurPlan?] = [nil, nil]

  package init(workers: WorkerPool, cpu: CPULevel = .current) {
    self.workers = workers
    self.cpu = cpu
  }

  /// The picture, blurred by up to `sigma` pixels, within ``sigmas``; 0 copies. An alpha channel is copied; edges are replicated
  /// indefinitely. `mask` is the part of sigma for each pixel, Q15: 0 leaves the picture sharp, 32768 is all of it. It has any size, covers
  /// the whole picture and is enlarged like the compositor's mattes. `output` is reused if it has the same size and format and is not
  /// shared.
  ///
  /// - Throws: `wrongArgument` for a sigma outside ``sigmas`` or an empty mask, `unsupported` for a format not in ``formats``.
  package func blur(
    _ image: Image, mask: Plane<UInt16>, sigma: Double, into output: inout Image
  ) throws(BackdropError) {
    // Written so that NaN also fails.
    guard Self.sigmas.contains(sigma) else {
      throw BackdropError(
        .wrongArgument, "a variable blur cannot have a sigma of \(sigma)", hint: "use a sigma from 0 to 256")
    }
    try image.format.check(isIn: Self.formats, else: "a variable blur does not work on")
    guard mask.width > 0 && mask.height > 0 else { throw BackdropError(.wrongArgument, "the mask is empty") }
    guard sigma > 0, let used = Self.usedRows(mask) else {
      output = image
      return
    }
    output.fit(image)
    for plane in 0..<image.format.planeCount {
      let halves = plane > 0
      let shape = VariableBlurPlan.Shape(
        width: halves ? (image.width + 1) / 2 : image.width, height: halves ? (image.height + 1) / 2 : image.height,
        channels: Self.channels(image.format, plane: plane), sigma: halves ? sigma / 2 : sigma, maskWidth: mask.width,
        maskHeight: mask.height)
      let plan = fitting(halves ? 1 : 0, shape)
      let (from, to) = (image.layout(plane), output.layout(plane))
      image.withUnsafeBytes(plane: plane) { source in
        output.withUnsafeMutableBytes(plane: plane) { target in
          var mix = bd_lens_mix()
          mix.picture = bd_lens_picture(
            samples: source.assumingMemoryBound(to: UInt8.self), stride: from.bytesPerRow, width: Int32(shape.width),
            height: Int32(shape.height), channels: Int32(shape.channels))
          mix.output = target.assumingMemoryBound(to: UInt8.self)
          mix.output_stride = to.bytesPerRow
          mix.keeps_alpha = image.format.hasAlpha ? 1 : 0
          plan.run(mix, mask: mask, used: used, workers: workers)
        }
      }
    }
  }

  private static func channels(_ format: PixelFormat, plane: Int) -> Int {
    switch format {
    case .bgra8, .rgba8: 4
    case .rgb8: 3
    case .nv12: plane == 0 ? 1 : 2
    default: 1
    }
  }

  /// The range of the mask's nonzero rows; `nil` if there are none.
  private static func usedRows(_ mask: Plane<UInt16>) -> Range<Int>? {
    func isUsed(_ y: Int) -> Bool {
      let row = mask.row(y)
      for x in row.indices where row[x] != 0 { return true }
      return false
    }
    guard let first = (0..<mask.height).first(where: isUsed), let last = (0..<mask.height).last(where: isUsed) else {
      return nil
    }
    return first..<last + 1
  }

  private func fitting(_ index: Int, _ shape: VariableBlurPlan.Shape) -> VariableBlurPlan {
    if let plan = plans[index], plan.shape == shape { return plan }
    let made = VariableBlurPlan(shape, parts: workers.partCount, cpu: cpu)
    plans[index] = made
    return made
  }
}
