import BackdropDepth
import BackdropImaging
import BackdropMatting
import CBackdropKernels

/// Blurs a picture like a lens, by each pixel's distance from the focus.
///
/// Each point becomes an image of the aperture, of a size that follows its defocus, in linear light, so that small lights become bright
/// shapes. The picture is first divided into the parts behind the focus, in focus, and in front of it, with edges refined to the picture's
/// edges, as for mattes. The part behind is spread by itself and divided by the amount that arrived, so that a sharp foreground does not
/// glow round its edges. The part in front is spread over the rest and covers it softly. Light is spread at eight radii, at a reduced size,
/// and interpolated between them. Points with less defocus than the first radius mix sharp and blurred.
///
/// Use one blur for one stream. It is not safe to call from two threads at once; it uses the pool's threads itself. It keeps no memory
/// between calls, unless it blurs the frames of a stream.
package final class LensBlur {
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8]
  /// The valid radii, in pixels.
  package static let radii = 0.5...400.0

  /// Whether to fit mattes to the edges of the picture at half its size, and spread light at a smaller one, which needs less memory.
  package var savesMemory = false
  /// Whether the pictures are frames of a stream: light is then spread at a smaller size, depth is divided on a coarser grid, and memory is
  /// kept for the next frame.
  package var isStream = false

  /// The longer side of the layers of a stream's frame: they change with each.
  private static let streamSide = 256

  private let workers: WorkerPool
  private let cpu: CPULevel
  /// The memory of a stream.
  private var estimator: ForegroundEstimator?
  private var refiner: MatteRefiner?
  private var planes: BokehPlanes?

  package init(workers: WorkerPool, cpu: CPULevel = .current) {
    self.workers = workers
    self.cpu = cpu
  }

  /// The picture with its points spread over apertures of up to `radius` pixels. An alpha channel is copied.
  ///
  /// - Parameters:
  ///   - defocus: each sample's distance from the focus, of any size; it covers the whole picture: 0 in focus, up to 1 behind, down to −1
  ///     in front. NaN counts as 0, and values are clamped.
  ///   - radius: the radius of the aperture's image for a defocus of 1 or −1, in pixels, within ``radii``.
  ///   - bloom: how much brighter highlights become if they stand out from their surroundings, 0…1: at 1 up to 16 times.
  ///   - output: reused if it has the same size and format and is not shared.
  /// - Throws: `wrongArgument` for an invalid radius, bloom or aperture, or an empty defocus, `unsupported` for a format not in
  ///   ``formats``.
  package func blur(
    _ image: Image, defocus: Plane<Float>, radius: Double, aperture: Aperture = .disc, bloom: Double = 0,
    into output: inout Image
  ) throws(BackdropError) {
    guard defocus.width > 0 && defocus.height > 0 else {
      throw BackdropError(.wrongArgument, "the defocus map is empty")
    }
    try check(image, radius, aperture, bloom)
    let layers = try FocusLayers(
      defocus, radius: radius, width: image.width, height: image.height,
      side: isStream ? Self.streamSide : FocusLayers.longestSide)
    guard layers.hasBehind || layers.hasBefore else {
      output = image
      return
    }
    let (behind, before) = try refined(layers, image)
    if savesMemory { ScratchMemory.giveBack() }
    let parts = Parts(behind: behind, before: before, sharp: layers.sharp(behind, before))
    try blur(image, layers, parts, radius: radius, aperture: aperture, bloom: bloom, into: &output)
  }

  /// The picture of a subject, of any size, at one distance, in front of everything else at another. Its edges are drawn as they are. Its
  /// defocus is 0 down to −1, and that of everything else 0 up to 1.
  func blur(
    _ image: Image, subject: Matte, defocus: (subject: Float, rest: Float), radius: Double, aperture: Aperture,
    bloom: Double, into output: inout Image
  ) throws(BackdropError) {
    try check(image, radius, aperture, bloom)
    let layers = FocusLayers(
      subject.scaled(toWidth: image.width, height: image.height), defocus: defocus, radius: radius)
    guard layers.hasBehind || layers.hasBefore else {
      output = image
      return
    }
    let parts = Parts(
      behind: layers.behind, before: layers.before,
      sharp: layers.hasBehind ? (layers.hasBefore ? nil : layers.before) : layers.before.inverted)
    try blur(image, layers, parts, radius: radius, aperture: aperture, bloom: bloom, into: &output)
  }

  /// The mattes of a picture's parts, at its size.
  private struct Parts {
    let behind: Matte, before: Matte
    /// `nil` if nothing is in focus.
    let sharp: Matte?
  }

  private func blur(
    _ image: Image, _ layers: FocusLayers, _ parts: Parts, radius: Double, aperture: Aperture, bloom: Double,
    into output: inout Image
  ) throws(BackdropError) {
    output.fit(image)
    // Draw the part in focus, also behind something soft in front of it. The output holds it until the end.
    if let sharp = parts.sharp { try drawSharp(sharp, image, into: &output) }
    let (behind, before) = (parts.behind, parts.before)
    let planes = fitting(layers, image, radius: radius)
    planes.begin(layers)
    var step = BokehStep(kernels: cpu.kernels.bokeh, job: bd_bokeh())
    planes.fill(&step.job)
    step.job.picture = image.base()
    step.job.picture_stride = image.layout(0).bytesPerRow
    step.job.output = output.mutableBase()
    step.job.output_stride = output.layout(0).bytesPerRow
    step.job.sharp = parts.sharp == nil ? step.job.picture : UnsafePointer(step.job.output)
    step.job.sharp_stride = parts.sharp == nil ? step.job.picture_stride : step.job.output_stride
    step.job.step = image.format == .rgb8 ? 3 : 4
    step.job.bloom = Float(15 * bloom)
    step.job.cover_halving = savesMemory ? 1 : 0
    if layers.hasBehind {
      step.job.layers.0.cover = UnsafePointer(behind.q15.base)
      step.job.layers.0.cover_stride = behind.q15.stride
    }
    if layers.hasBefore {
      step.job.layers.1.cover = UnsafePointer(before.q15.base)
      step.job.layers.1.cover_stride = before.q15.stride
    }
    spread(&step, planes, layers, aperture: aperture, bloom: bloom)
    step.rows = image.height
    run(step) { $0.kernels.store(&$0.job, $1.from, $1.to) }
    // The job holds the addresses of their memory.
    withExtendedLifetime((image, output, parts)) {}
  }

  /// The parts behind and in front of the focus, fitted to the picture's edges; empty if they contain nothing.
  private func refined(_ layers: FocusLayers, _ image: Image) throws(BackdropError) -> (behind: Matte, before: Matte) {
    let guide =
      savesMemory
      ? try image.scaled(toWidth: (image.width + 1) / 2, height: (image.height + 1) / 2, filter: .area) : image
    let refiner = refiner ?? MatteRefiner(isStream ? .live : .best, workers: workers, cpu: cpu)
    if isStream { self.refiner = refiner }
    var behind = Matte(constant: 0, width: 1, height: 1)
    var before = behind
    if layers.hasBehind { try refiner.refine(layers.behind, of: guide, into: &behind) }
    if layers.hasBefore { try refiner.refine(layers.before, of: guide, into: &before) }
    return (behind, before)
  }

  private func drawSharp(_ matte: Matte, _ image: Image, into output: inout Image) throws(BackdropError) {
    let estimator = estimator ?? ForegroundEstimator(workers: workers, cpu: cpu)
    if isStream { self.estimator = estimator }
    estimator.savesMemory = savesMemory
    try estimator.estimate(image, matte: matte, into: &output)
  }

  private func fitting(_ layers: FocusLayers, _ image: Image, radius: Double) -> BokehPlanes {
    // Apertures of up to 16 pixels have clean rims; reduced pictures larger than four million pixels would need too
    // much memory.
    let (rim, most) = (isStream ? 8.0 : 16, savesMemory ? 2_097_152 : 4_194_304)
    var factor = 1
    while factor < 32
      && (radius > rim * Double(factor)
        || image.width * image.height > most * factor * factor && radius > 4 * Double(factor))
    { factor *= 2 }
    let shape = BokehPlanes.Shape(
      width: image.width, height: image.height, radius: radius, factor: factor, hasBehind: layers.hasBehind,
      hasBefore: layers.hasBefore)
    if let planes, planes.shape == shape { return planes }
    let made = BokehPlanes(shape)
    planes = isStream ? made : nil
    return made
  }

  private func spread(
    _ step: inout BokehStep, _ planes: BokehPlanes, _ layers: FocusLayers, aperture: Aperture, bloom: Double
  ) {
    let spacing = planes.radius / Double(planes.factor) / Double(FocusLayers.levels)
    step.rows = planes.height
    for layer in 0..<2 where layer == 0 ? layers.hasBehind : layers.hasBefore {
      step.layer = Int32(layer)
      run(step) { $0.kernels.load(&$0.job, $0.layer, $1.from, $1.to) }
      if bloom > 0 {
        planes.findSurroundings(layer)
        run(step) { $0.kernels.boost(&$0.job, $0.layer, $1.from, $1.to) }
      }
      let range = layer == 0 ? layers.behindRange : layers.beforeRange
      let (least, most) = (range.lowerBound / Double(planes.factor), range.upperBound / Double(planes.factor))
      // A layer at one distance needs only its own radius.
      let sizes = isStream && least == most ? [most] : (1...FocusLayers.levels).map { spacing * Double($0) }
      for (level, size) in sizes.enumerated() {
        // Points between two levels belong to both; the first level takes all below.
        guard level == 0 || most > size - spacing, least < size + spacing else { continue }
        let rows = aperture.rows(radius: size)
        rows.left.withUnsafeBufferPointer { left in
          rows.right.withUnsafeBufferPointer { right in
            step.job.level = Float(size)
            step.job.spacing = Float(spacing)
            step.job.is_first = level == 0 ? 1 : 0
            step.job.reach = Int32(rows.reach)
            step.job.left = left.baseAddress
            step.job.right = right.baseAddress
            // Sums over an aperture of the brightest light stay below 2³¹.
            let scale = 1_500_000_000 / (rows.area + 4) / (1 + 15 * bloom)
            step.job.scale = Float(min(scale, 16_777_216))
            step.job.gain = Float(1 / rows.area) / step.job.scale
            run(step) { $0.kernels.sums(&$0.job, $0.layer, $1.from, $1.to) }
            run(step) { $0.kernels.spread(&$0.job, $0.layer, $1.from, $1.to) }
          }
        }
      }
    }
    if layers.hasBehind { run(step) { $0.kernels.divide(&$0.job, $1.from, $1.to) } }
  }

  private func run(_ step: BokehStep, _ work: @escaping @Sendable (inout BokehStep, WorkerPool.RowShare) -> Void) {
    workers.run(parts: workers.partCount, rows: 0..<step.rows, step, work)
  }

  private func check(_ image: Image, _ radius: Double, _ aperture: Aperture, _ bloom: Double) throws(BackdropError) {
    // Written so that NaN also fails.
    guard Self.radii.contains(radius) else {
      throw BackdropError(
        .wrongArgument, "a lens blur cannot have a radius of \(radius)", hint: "use a radius from 0.5 to 400 pixels")
    }
    guard bloom >= 0 && bloom <= 1 else {
      throw BackdropError(.wrongArgument, "bloom cannot be \(bloom)", hint: "use a bloom from 0 to 1")
    }
    if case .polygon(let blades, let rotation) = aperture {
      guard (3...16).contains(blades) && rotation.isFinite else {
        throw BackdropError(
          .wrongArgument, "an aperture cannot have \(blades) blades turned by \(rotation)°", hint: "use 3 to 16 blades")
      }
    }
    try image.format.check(isIn: Self.formats, else: "a lens blur does not work on")
  }
}

private struct BokehStep {
  let kernels: bd_bokeh_kernels
  var job: bd_bokeh
  var layer: Int32 = 0
  var rows = 0
}
