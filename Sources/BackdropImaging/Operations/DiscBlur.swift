import CBackdropKernels

/// Blurs pictures like an out-of-focus lens: each point becomes a disc of even light.
///
/// Samples are squared first, which approximates linear light. A small bright lamp thus becomes a bright disc, which a blur of the samples
/// would lose. Y′CbCr formats are blurred as red, green and blue light too. The disc's rim is exact in area; beyond the edges the outermost
/// pixels repeat indefinitely. From a radius of 8 pixels on the picture is reduced before and enlarged after by a power of two, at most a
/// quarter of the radius, so rims are softer by that much. The cost does not grow further with the radius.
///
/// Use one blur for one stream. It is not safe to call from two threads at once; it uses the pool's threads itself. With the same size,
/// format and radius it allocates nothing.
package final class DiscBlur {
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12]
  /// The supported radii, in pixels.
  package static let radii = 0.5...200.0

  private let workers: WorkerPool
  private let cpu: CPULevel
  private var buffers: DiscBuffers?

  package init(workers: WorkerPool, cpu: CPULevel = .current) { (self.workers, self.cpu) = (workers, cpu) }

  /// The picture with each point spread over a disc of `radius` pixels. An alpha channel is copied. `output` is reused if it has the same
  /// size and format and is not shared.
  ///
  /// - Throws: `wrongArgument` for a radius outside ``radii``, `unsupported` for a format not in ``formats``.
  package func blur(_ image: Image, radius: Double, into output: inout Image) throws(BackdropError) {
    try check(image, radius)
    output.fit(image)
    image.withUnsafeBytes { from in
      output.withUnsafeMutableBytes { to in run(image, radius, from, to) }
    }
  }

  /// ``blur(_:radius:into:)`` in the picture's own memory.
  ///
  /// - Throws: `wrongArgument` for a radius outside ``radii``, `unsupported` for a format not in ``formats``.
  package func blur(_ image: inout Image, radius: Double) throws(BackdropError) {
    try check(image, radius)
    // A second reference to the picture would cause a copy.
    let bytes = image.mutableBase()
    run(image, radius, bytes, bytes)
    withExtendedLifetime(image) {}
  }

  /// ``blur(_:radius:)`` a few rows at a time, in interleaved formats: the same picture with less memory; small discs need 36 bytes a
  /// pixel.
  ///
  /// - Parameter bandBytes: the approximate memory to use.
  /// - Throws: `wrongArgument` for a radius outside ``radii``, `unsupported` for a format not in ``formats``.
  package func blurInBands(_ image: inout Image, radius: Double, bandBytes: Int = 32 << 20) throws(BackdropError) {
    try check(image, radius)
    let factor = DiscBuffers.factor(radius: radius)
    // Bands begin at whole samples of the reduced picture, and include a disc and the gap between two samples on either side.
    let unit = 2 * factor
    func whole(_ rows: Int) -> Int { (rows + unit - 1) / unit * unit }
    let margin = whole(Int(radius.rounded(.up)) + 4 * factor)
    let rows = max(margin, whole(bandBytes * factor * factor / (36 * image.width)))
    guard !image.format.isYUV, image.height > rows + margin else { return try blur(&image, radius: radius) }
    // The original rows above, which the previous band has overwritten.
    var above = Image(image.format, width: image.width, height: margin, color: image.color)
    for first in stride(from: 0, to: image.height, by: rows) {
      let last = min(first + rows, image.height)
      let (top, end) = (first == 0 ? 0 : margin, min(last + margin, image.height))
      var band = Image(
        image.format, width: image.width, height: top + end - first, color: image.color, alpha: image.alpha)
      band.copyRows(0..<top, of: above, to: 0)
      band.copyRows(first..<end, of: image, to: top)
      if last < image.height { above.copyRows(last - margin..<last, of: image, to: 0) }
      try blur(&band, radius: radius)
      image.copyRows(top..<top + last - first, of: band, to: first)
    }
  }

  private func check(_ image: Image, _ radius: Double) throws(BackdropError) {
    // Written so that NaN also fails.
    guard Self.radii.contains(radius) else {
      throw BackdropError(
        .wrongArgument, "a disc cannot have a radius of \(radius)", hint: "use a radius from 0.5 to 200 pixels")
    }
    try image.format.check(isIn: Self.formats, else: "a disc blur does not work on")
  }

  /// The picture is read completely before anything is written, except for alpha, which is copied.
  private func run(_ image: Image, _ radius: Double, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer) {
    let parts = workers.partCount
    let step = DiscStep(
      kernels: cpu.kernels.disc, job: fitting(image, radius).job(image, from: from, to: to, level: cpu))
    let rows = 0..<Int(step.job.small_height)
    workers.run(parts: parts, rows: rows, step) { $0.kernels.load(&$0.job, $1.from, $1.to) }
    workers.run(parts: parts, rows: rows, step) { $0.kernels.blur(&$0.job, $1.from, $1.to) }
    // Two rows share a row of chroma.
    workers.run(parts: parts, rows: 0..<(image.height + 1) / 2, step) {
      $0.kernels.store(&$0.job, 2 * $1.from, min(2 * $1.to, $0.job.height))
    }
  }

  private func fitting(_ image: Image, _ radius: Double) -> DiscBuffers {
    if let buffers, buffers.width == image.width, buffers.height == image.height, buffers.radius == radius {
      return buffers
    }
    let made = DiscBuffers(width: image.width, height: image.height, radius: radius)
    buffers = made
    return made
  }
}

private struct DiscStep {
  let kernels: bd_disc_kernels
  var job: bd_disc
}
