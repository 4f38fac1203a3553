import BackdropImaging
import BackdropMatting
import CBackdropKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Draws the layers of a look through a matte: the one executor of every look, prepared for one look, one picture size
/// and one pixel format.
///
/// The matte is scaled row by row while blending and never stored at full size. Each output byte is
/// `below + m · (layer − below)`, rounded half up, with `m` in 15 bits. In Y′CbCr formats chroma is blended with the
/// matte scaled to the size of the chroma planes, centres on centres. Once it has run, it allocates nothing, but for
/// ``lightWrap``.
///
/// One stream, one compositor: it is not safe to call from two threads at once; it uses the pool's threads itself.
public final class Compositor {
  /// Pixel formats that can be drawn in.
  public static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12]

  /// Size of the frames and of what is drawn.
  public let width: Int, height: Int
  /// Pixel format of both.
  public let format: PixelFormat
  /// How Y′CbCr samples of both are to be read.
  public let color: ColorDescription

  /// How much light of the background falls round the edges of what is in front of it, 0…1. It takes a background of its own:
  /// the frame's own room, blurred, shines on the person already.
  public var lightWrap = 0.0

  private let layers: [Look.Layer]
  private let blurs: [Double]
  private let workers: WorkerPool
  private let cpu: CPULevel
  private var background: Picture
  private var backgroundBlur: RoomBlurrer.Kind?
  private var colors: [Picture?]
  private var blurred: [Blurrer?]
  private var rooms: [RoomBlurrer?]
  private var plans: Plans?
  private let lightBlurrer = Blurrer()
  private var lit: Image?

  /// What stands in for a background that would be made from the frame.
  static let cardColor = RGBColor(red: 0.16, green: 0.16, blue: 0.17)

  /// Where the pixels of a layer are.
  private enum Picture {
    /// The frame that is being drawn.
    case frame
    /// What has been drawn so far.
    case output
    /// A picture of the frame's size and format.
    case image(Image)
    /// A picture of which one row (of each plane) stands for all.
    case row(Image)
  }

  /// Prepares for frames of one kind.
  ///
  /// - Throws: `wrongArgument` or `badData` from the look's settings, `unsupported` for a format not in ``formats``.
  public convenience init(
    _ look: Look, settings: LookSettings? = nil, width: Int, height: Int, format: PixelFormat,
    color: ColorDescription = .video, workers: WorkerPool
  ) throws(BackdropError) {
    try self.init(
      look, settings: settings, width: width, height: height, format: format, color: color, workers: workers,
      cpu: .current)
  }

  package init(
    _ look: Look, settings: LookSettings? = nil, width: Int, height: Int, format: PixelFormat,
    color: ColorDescription = .video, workers: WorkerPool, cpu: CPULevel
  ) throws(BackdropError) {
    try look.check()
    let settings = if let settings { settings } else { try look.settings() }
    guard look.parameters.allSatisfy({ settings.has($0.name) }) else {
      throw BackdropError(.wrongArgument, "the settings are not those of the look '\(look.id)'")
    }
    guard width > 0 && height > 0 else {
      throw BackdropError(.wrongArgument, "frames of \(width)×\(height) have no pixels")
    }
    guard Compositor.formats.contains(format) else {
      let known = Compositor.formats.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(.unsupported, "cannot draw in \(format.rawValue)", hint: "convert to one of \(known)")
    }
    self.width = width
    self.height = height
    self.format = format
    self.color = color
    self.workers = workers
    self.cpu = cpu
    layers = look.layers
    blurs = look.layers.map { layer in layer.blur.map { settings[$0] } ?? 0 }
    background = .row(Image(.black, format, width: width, height: 2, color: color))
    colors = look.layers.map { layer in
      guard case .color(let value) = layer.source else { return nil }
      return .row(Image(value, format, width: width, height: 2, color: color))
    }
    blurred = blurs.map { _ in nil }
    rooms = blurs.map { _ in nil }
  }

  /// Chooses what is behind. Pictures are cropped and scaled to the frame here, once, and converted to its format; what
  /// is transparent in them becomes black.
  ///
  /// - Throws: `wrongArgument` for a blur or disc outside 0.5…200.
  public func setBackground(_ choice: Background) throws(BackdropError) {
    switch choice {
    case .color(let value):
      background = .row(Image(value, format, width: width, height: 2, color: color))
      backgroundBlur = nil
    case .blur(let sigma):
      // Less would show the room.
      guard sigma >= 0.5 && sigma <= 200 else {
        throw BackdropError(.wrongArgument, "a background blur of \(brief(sigma)) is out of range: 0.5…200 pixels")
      }
      background = .frame
      backgroundBlur = .gaussian(sigma: sigma)
    case .bokeh(let radius):
      guard DiscBlur.radii.contains(radius) else {
        throw BackdropError(.wrongArgument, "a disc of \(brief(radius)) is out of range: 0.5…200 pixels")
      }
      background = .frame
      backgroundBlur = .disc(radius: radius)
    case .picture(let image):
      backgroundBlur = nil
      if image.width == width && image.height == height && image.format == format && image.orientation == .up
        && image.alpha == .opaque
        && (!format.isYUV || image.color == color)
      {
        background = .image(image)
      } else {
        let filled = try image.flattened().upright().filling(width: width, height: height)
        background = .image(filled.converted(to: format, color: color))
      }
    }
  }

  /// Draws one frame.
  ///
  /// - Parameters:
  ///   - frame: a picture of the prepared size and format.
  ///   - foreground: what the frame's own colours are under this matte, without the old background; see
  ///     ``BackdropMatting/ForegroundEstimator``. It takes the place of the frame in layers that show the sharp frame
  ///     through the matte.
  ///   - matte: of any size; it is stretched over the whole frame.
  ///   - output: reused if it has the right size and format and nobody shares it.
  /// - Throws: `wrongArgument` if the frame is not upright, or not of the prepared size and format, or the matte is empty.
  public func render(
    _ frame: Image, foreground: Image? = nil, matte: Matte, into output: inout Image
  ) throws(BackdropError) {
    try checkKind(frame)
    if let foreground { try checkKind(foreground) }
    guard frame.orientation == .up else {
      throw BackdropError(.wrongArgument, "the frame is not upright", hint: "turn it first: image.upright()")
    }
    guard matte.width > 0 && matte.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
    prepare(&output, like: frame)
    let plans = plans(for: matte)
    let foreground = try light(on: foreground ?? frame, frame: frame, matte: matte) ?? foreground
    var below = Picture.output
    for index in layers.indices {
      let picture = try picture(of: index, frame: frame, matte: matte)
      switch layers[index].through {
      case .everything:
        below = picture
        continue
      case .matte:
        var front = picture
        if let foreground, case .frame = picture { front = .image(foreground) }
        blend(front: front, back: below, frame: frame, matte: matte, plans: plans, into: &output)
      case .inverse: blend(front: below, back: picture, frame: frame, matte: matte, plans: plans, into: &output)
      }
      below = .output
    }
    // A stack that ends with a layer over everything has nothing to blend.
    if case .output = below { return }
    let clear = Matte(constant: 0, width: 1, height: 1)
    blend(front: below, back: below, frame: frame, matte: clear, plans: Plans(self, matte: clear), into: &output)
  }

  /// The foreground with the light of the background round its edges; `nil` if there is none.
  private func light(on foreground: Image, frame: Image, matte: Matte) throws(BackdropError) -> Image? {
    let strength = min(max(lightWrap.isNaN ? 0 : lightWrap, 0), 1)
    guard strength > 0 else { return nil }
    let source: Picture
    switch background {
    case .frame, .output: return nil
    case .row: source = background
    case .image(let image):
      source = .image(try lightBlurrer.blurOnce(image, sigma: LightWrap.lightSigma(width: width)))
    }
    let wrap = try LightWrap.matte(for: matte, strength: strength)
    // Taken out so that nobody else holds it while it is written.
    var result = lit.take() ?? Image(format, width: width, height: height, color: color)
    prepare(&result, like: frame)
    blend(
      front: source, back: .image(foreground), frame: frame, matte: wrap, plans: Plans(self, matte: wrap),
      into: &result)
    lit = result
    return result
  }

  private func checkKind(_ frame: Image) throws(BackdropError) {
    guard frame.width == width && frame.height == height && frame.format == format else {
      throw BackdropError(
        .wrongArgument,
        "expected a frame of \(width)×\(height) \(format.rawValue), "
          + "found \(frame.width)×\(frame.height) \(frame.format.rawValue)")
    }
  }

  /// Draws what stands in for a frame whose matte failed: the chosen background alone, and never any of the frame.
  public func renderStillCard(into output: inout Image) {
    if output.width != width || output.height != height || output.format != format {
      output = Image(format, width: width, height: height, color: color)
    }
    output.color = color
    output.alpha = .opaque
    output.orientation = .up
    let card: Picture
    if case .frame = background {
      card = .row(Image(Compositor.cardColor, format, width: width, height: 2, color: color))
    } else {
      card = background
    }
    let clear = Matte(constant: 0, width: 1, height: 1)
    blend(front: card, back: card, frame: nil, matte: clear, plans: Plans(self, matte: clear), into: &output)
  }

  // MARK: - Pictures of layers

  private func picture(of index: Int, frame: Image, matte: Matte) throws(BackdropError) -> Picture {
    let sigma = blurs[index]
    let source: Picture
    switch layers[index].source {
    case .frame: source = .frame
    case .color: source = colors[index] ?? background
    case .background:
      if let kind = backgroundBlur {
        let blurrer = rooms[index] ?? RoomBlurrer(workers: workers, cpu: cpu)
        rooms[index] = blurrer
        return .image(try blurrer.blur(frame, matte: matte, kind.atLeast(sigma: sigma)))
      }
      source = background
    }
    guard sigma > 0 else { return source }
    switch source {
    case .row, .output: return source
    case .frame:
      let blurrer = blurred[index] ?? Blurrer()
      blurred[index] = blurrer
      return .image(try blurrer.blur(frame, sigma: sigma))
    case .image(let image):
      let blurrer = blurred[index] ?? Blurrer()
      blurred[index] = blurrer
      return .image(try blurrer.blurOnce(image, sigma: sigma))
    }
  }

  private func prepare(_ output: inout Image, like frame: Image) {
    if output.width != width || output.height != height || output.format != format {
      output = Image(format, width: width, height: height, color: frame.color)
    }
    output.color = frame.color
    output.alpha = frame.alpha
    output.orientation = .up
  }

  // MARK: - Blending

  /// What depends on the size of the matte.
  private final class Plans {
    let matteWidth: Int, matteHeight: Int
    /// For the first plane and, in Y′CbCr formats, for chroma.
    let planes: [MatteUpsampling]
    let parts: Int
    let scratch: UnsafeMutableRawPointer
    let scratchByteCount: Int

    init(_ compositor: Compositor, matte: Matte) {
      matteWidth = matte.width
      matteHeight = matte.height
      let format = compositor.format
      // Chroma planes are of one size.
      planes = (0..<min(format.planeCount, 2)).map { plane in
        let half = plane > 0
        return MatteUpsampling(
          fromWidth: matte.width, height: matte.height,
          toWidth: half ? (compositor.width + 1) / 2 : compositor.width,
          height: half ? (compositor.height + 1) / 2 : compositor.height, cpu: compositor.cpu)
      }
      // Bands small enough to even out the threads' work, large enough that few matte rows are scaled twice.
      let bands = compositor.workers.threadCount == 1 ? 1 : 3 * compositor.workers.threadCount
      parts = bands
      scratchByteCount = planes.map(\.scratchByteCount).max() ?? 0
      scratch = .allocate(byteCount: scratchByteCount * bands, alignment: 64)
    }

    deinit { scratch.deallocate() }
  }

  private func plans(for matte: Matte) -> Plans {
    if let plans, plans.matteWidth == matte.width && plans.matteHeight == matte.height { return plans }
    let made = Plans(self, matte: matte)
    plans = made
    return made
  }

  private func blend(
    front: Picture, back: Picture, frame: Image?, matte: Matte, plans: Plans, into output: inout Image
  ) {
    let planCount = plans.planes.count
    let layouts = output.layouts
    let channels = format == .rgb8 ? 3 : format.isYUV ? 1 : 4
    output.withUnsafeMutableBytes { base in
      withUnsafeTemporaryAllocation(of: bd_composite_plane.self, capacity: 2) { planes in
        matte.q15.withUnsafePointer { samples in
          for plane in 0..<planCount {
            let layout = layouts[plane]
            let isPair = format == .i420 && plane == 1
            let target = base + layout.offset
            let f = pointer(front, plane: plane, frame: frame, output: target, stride: layout.bytesPerRow)
            let b = pointer(back, plane: plane, frame: frame, output: target, stride: layout.bytesPerRow)
            // The second chroma plane has the first one's size and strides.
            let target2 = isPair ? base + layouts[2].offset : target
            let f2 = isPair ? pointer(front, plane: 2, frame: frame, output: target2, stride: layout.bytesPerRow) : f
            let b2 = isPair ? pointer(back, plane: 2, frame: frame, output: target2, stride: layout.bytesPerRow) : b
            planes.initializeElement(
              at: plane,
              to: bd_composite_plane(
                matte: samples, matte_stride: matte.q15.stride, upsample: plans.planes[plane].tables,
                foreground: (f.base, f2.base), background: (b.base, b2.base),
                output: (
                  target.assumingMemoryBound(to: UInt8.self), target2.assumingMemoryBound(to: UInt8.self)
                ),
                foreground_stride: f.stride, background_stride: b.stride, output_stride: layout.bytesPerRow,
                channels: Int32(plane > 0 && format == .nv12 ? 2 : channels), planes: isPair ? 2 : 1))
          }
          var job = BlendJob(
            kernels: cpu.kernels.matte, planes: UnsafeBufferPointer(start: planes.baseAddress, count: planCount),
            parts: plans.parts, scratch: plans.scratch, scratchByteCount: plans.scratchByteCount)
          workers.run(parts: plans.parts, &job) { job, part in
            job!.assumingMemoryBound(to: BlendJob.self).pointee.blend(Int(part))
          }
          // Their addresses went into the job.
          withExtendedLifetime((front, back, frame, plans)) {}
        }
      }
    }
  }

  /// The planes of one picture, as the threads see them.
  private struct BlendJob {
    let kernels: bd_matte_kernels
    let planes: UnsafeBufferPointer<bd_composite_plane>
    let parts: Int
    let scratch: UnsafeMutableRawPointer
    let scratchByteCount: Int

    func blend(_ part: Int) {
      for index in planes.indices {
        let rows = WorkerPool.share(part, of: Int(planes[index].upsample.pointee.height), in: parts)
        kernels.composite_rows(
          // A picture has at least one plane.
          planes.baseAddress! + index, Int32(rows.lowerBound), Int32(rows.upperBound),
          scratch + part * scratchByteCount)
      }
    }
  }

  private func pointer(
    _ picture: Picture, plane: Int, frame: Image?, output: UnsafeMutableRawPointer, stride: Int
  ) -> (base: UnsafePointer<UInt8>, stride: Int) {
    // The images outlive the drawing: the frame is the caller's, the others are kept by the compositor.
    func base(_ image: Image) -> UnsafePointer<UInt8> {
      image.withUnsafeBytes(plane: plane) { $0.assumingMemoryBound(to: UInt8.self) }
    }
    switch picture {
    case .output: return (UnsafePointer(output.assumingMemoryBound(to: UInt8.self)), stride)
    case .frame:
      guard let frame else { preconditionFailure("a still card shows nothing of the frame") }
      return (base(frame), frame.layout(plane).bytesPerRow)
    case .image(let image): return (base(image), image.layout(plane).bytesPerRow)
    case .row(let image): return (base(image), 0)
    }
  }
}
