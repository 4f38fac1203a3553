import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Draws the layers of a look through a matte. It can draw any look, and is prepared for one look, one picture size and one pixel format.
///
/// The matte is scaled row by row while blending and never stored at full size. Each output byte is `below + m · (layer − below)`, rounded
/// half up, with `m` in 15 bits. In Y′CbCr formats chroma is blended with the matte scaled to the size of the chroma planes, centres on
/// centres. Grades and light are computed row by row in the same pass, only where visible. For looks of plain layers it allocates nothing
/// after the first run, except for ``lightWrap``.
///
/// Use one compositor for one stream. It is not safe to call from two threads at once; it uses the pool's threads itself.
package final class Compositor {
  package static let formats: [PixelFormat] = [.bgra8, .rgba8, .rgb8, .i420, .nv12]

  package let width: Int, height: Int
  package let format: PixelFormat
  /// The colours of the samples of both, and the interpretation of Y′CbCr. The frames keep their ``/BackdropImaging/ColorSpace``: pictures
  /// and colours drawn into them are converted.
  package let color: ColorDescription

  /// How much light of the background falls round the edges of the foreground, 0…1. It has no effect if the background is the frame's own,
  /// blurred, whose light falls on the person already.
  package var lightWrap = 0.0

  /// Whether ``/BackdropMatting/ForegroundEstimator`` estimates the foreground's colours if a layer with the frame covers another picture
  /// through a subject's matte, and the caller provides none. The old background then does not show through soft edges.
  package var estimatesForeground = false

  /// Pictures with more pixels are drawn with as little memory as possible, which takes more time.
  package var largestWhole = 20_000_000

  /// Whether there is only one picture, which may take seconds. Set this for single pictures only.
  ///
  /// The area behind the subject is then filled with texture from its surroundings (``BackgroundFill``), if a layer shows it, which would
  /// differ in each frame. If it is false, and in pictures larger than 20 MP, for which filling needs too much memory, the compositor only
  /// extends colours. For streams, lenses and viewpoints are drawn in a few milliseconds, with less detail in what they uncover.
  package var isStill = false

  let look: Look
  let layers: [Look.Layer]
  private(set) var settings: LookValues
  let workers: WorkerPool
  let cpu: CPULevel
  private(set) var grades: [GradeProgram?]
  var background: Picture
  var backgroundBlur: BackgroundBlur?
  /// The last frame without the person, and its blur.
  var uncovered: Image?, blurredUncovered: Image?
  var colors: [Picture?]
  var blurred: [Blurrer?]
  var upsampling: UpsamplingPlan?
  /// A matte that shows the back everywhere.
  lazy var clear = ScaledMatte(Matte(constant: 0, width: 1, height: 1), for: self)
  private let lightBlurrer = Blurrer()
  private var wrapped: Image?
  /// A picture of the frame's size in which layers are made.
  var spare: Image?
  var keptFill: (frame: Image, matte: Plane<UInt16>, filled: Image)?
  var keptForeground: (frame: Image, matte: Plane<UInt16>, foreground: Image)?
  /// Pictures with more pixels are not cached.
  static let largestKept = 4_000_000
  lazy var estimator = ForegroundEstimator(workers: workers, cpu: cpu)
  lazy var disc = DiscBlur(workers: workers, cpu: cpu)
  lazy var variable = VariableBlur(workers: workers, cpu: cpu)
  /// The lens of a stream.
  lazy var lens: LensBlur = {
    let made = LensBlur(workers: workers, cpu: cpu)
    made.isStream = true
    return made
  }()
  lazy var viewer = ViewSynthesizer(workers: workers, cpu: cpu)
  /// The picture that the viewer was last prepared for.
  var viewed: (image: PixelStorage?, disparity: PixelStorage?) = (nil, nil)
  lazy var gaussian = BlurWorkspace(level: cpu)
  let bandScratch = ScratchMemory()

  /// The colour of a standby frame if the background would be made from the frame.
  static let standbyColor = RGBColor(red: 0.16, green: 0.16, blue: 0.17)

  /// The source of a layer's pixels.
  enum Picture {
    case frame
    /// The picture so far.
    case output
    /// A picture of the frame's size and format.
    case image(Image)
    /// A picture whose one row (of each plane) is repeated for all rows.
    case row(Image)
  }

  /// How the blur of the frame's own background spreads a point.
  enum BackgroundBlur {
    case gaussian(sigma: Double)
    case disc(radius: Double)

    /// This kind, or a layer's own Gaussian if that is stronger.
    func atLeast(sigma: Double) -> BackgroundBlur {
      switch self {
      case .gaussian(let own): .gaussian(sigma: max(own, sigma))
      // The standard deviation of a disc is half its radius.
      case .disc(let radius): radius / 2 >= sigma ? self : .gaussian(sigma: sigma)
      }
    }
  }

  /// A picture and the operations for drawing its pixels.
  struct BlendInput {
    var picture: Picture
    var grade: GradeProgram?
    var light: LightField?
    var opacity = 1.0
    /// The rows of the frame that the picture covers; `nil` for all.
    var rows: Range<Int>?

    init(_ picture: Picture, grade: GradeProgram? = nil, light: LightField? = nil) {
      self.picture = picture
      self.grade = grade
      self.light = light
    }

    var isPlain: Bool { grade == nil && light == nil }
  }

  /// Prepares for frames of one size and format.
  ///
  /// - Throws: `wrongArgument` or `badData` for the look's settings, `unsupported` for a format not in ``formats``.
  package init(
    _ look: Look, settings: LookValues? = nil, width: Int, height: Int, format: PixelFormat,
    color: ColorDescription = .video, workers: WorkerPool, cpu: CPULevel = .current
  ) throws(BackdropError) {
    try look.check()
    let settings = if let settings { settings } else { try look.settings() }
    guard look.parameters.allSatisfy({ settings.has($0.name) }) else {
      throw BackdropError(.wrongArgument, "these settings belong to another look than '\(look.id)'")
    }
    guard width > 0 && height > 0 else {
      throw BackdropError(.wrongArgument, "a frame of \(width)×\(height) has no pixels")
    }
    try format.check(isIn: Compositor.formats, else: "looks cannot draw in")
    guard !format.isYUV || look.layers.allSatisfy(\.isPlain) else {
      throw BackdropError(
        .unsupported, "the look '\(look.id)' cannot draw in \(format.rawValue)", hint: "convert it to rgb8")
    }
    self.width = width
    self.height = height
    self.format = format
    self.color = color
    self.workers = workers
    self.cpu = cpu
    self.look = look
    self.settings = settings
    layers = look.layers
    grades = look.layers.map { GradeProgram($0.grade, settings) }
    background = .row(Image(.black, format, width: width, height: 2, color: color))
    colors = look.layers.map { layer in
      guard case .color(let value) = layer.source else { return nil }
      return .row(Image(value, format, width: width, height: 2, color: color))
    }
    blurred = look.layers.map { _ in nil }
  }

  /// Sets the background. Pictures are cropped and scaled to the frame here, once, and converted to its format and colours; transparent
  /// parts become black.
  ///
  /// - Throws: `wrongArgument` for a blur or disc outside 0.5…200.
  package func setBackground(_ choice: Background) throws(BackdropError) {
    switch choice {
    case .color(let value):
      background = .row(Image(value, format, width: width, height: 2, color: color))
      backgroundBlur = nil
    case .blur(let sigma):
      // A smaller blur would show the real background.
      guard sigma >= 0.5 && sigma <= 200 else {
        throw BackdropError(.wrongArgument, "the background blur \(brief(sigma)) is out of range: 0.5…200 pixels")
      }
      background = .frame
      backgroundBlur = .gaussian(sigma: sigma)
    case .bokeh(let radius):
      guard DiscBlur.radii.contains(radius) else {
        throw BackdropError(.wrongArgument, "the disc radius \(brief(radius)) is out of range: 0.5…200 pixels")
      }
      background = .frame
      backgroundBlur = .disc(radius: radius)
    case .picture(let image):
      backgroundBlur = nil
      if image.width == width && image.height == height && image.format == format && image.orientation == .up
        && image.alpha == .opaque
        && (format.isYUV ? image.color.matches(color) : image.color.space.matches(color.space))
      {
        background = .image(image)
      } else {
        let filled = try image.flattened().upright().filling(width: width, height: height)
        background = .image(filled.converted(to: format, color: color))
      }
    }
  }

  /// Changes the look's settings, and keeps values computed for the last frame if they stay valid.
  ///
  /// - Throws: `wrongArgument` for settings of another look.
  package func change(to settings: LookValues) throws(BackdropError) {
    guard look.parameters.allSatisfy({ settings.has($0.name) }) else {
      throw BackdropError(.wrongArgument, "these settings belong to another look than '\(look.id)'")
    }
    self.settings = settings
    grades = layers.map { GradeProgram($0.grade, settings) }
  }

  /// Draws one frame.
  ///
  /// - Parameters:
  ///   - frame: a picture of the prepared size and format.
  ///   - foreground: the frame's own colours under this matte, without the old background; see ``/BackdropMatting/ForegroundEstimator``. It
  ///     replaces the frame in layers that show the sharp frame through the matte.
  ///   - matte: of any size; it is stretched over the whole frame.
  ///   - disparity: for looks that need it (``Look/needsDisparity``), of any size, over the whole frame.
  ///   - subject: the matte for which the disparity stands, if it is 1 under the subject and 0 elsewhere, of any size. Frames of a stream are
  ///     then drawn faster, with its finer edges.
  ///   - output: reused if it has the right size and format and is not shared.
  /// - Throws: `wrongArgument` if the frame is not upright, or has another size or format than prepared, if the matte is empty, or if a
  ///   required disparity is missing.
  package func render(
    _ frame: Image, foreground: Image? = nil, matte: Matte, disparity: NormalizedDisparity? = nil,
    subject: Matte? = nil, into output: inout Image
  ) throws(BackdropError) {
    try checkKind(frame)
    if let foreground { try checkKind(foreground) }
    guard frame.orientation == .up else {
      throw BackdropError(.wrongArgument, "the frame is not upright", hint: "turn it first: image.upright()")
    }
    guard matte.width > 0 && matte.height > 0 else { throw BackdropError(.wrongArgument, "the matte is empty") }
    if look.needsDisparity && (disparity.map { $0.width == 0 || $0.height == 0 } ?? true) {
      throw BackdropError(.wrongArgument, "the look '\(look.id)' needs depth, and this frame has none")
    }
    let isUsed = !isStill && subject.map { $0.width > 0 && $0.height > 0 } ?? false
    let scene = LookInput(frame: frame, matte: matte, disparity: disparity, subject: isUsed ? subject : nil)
    if case .sideBySide = layers.first?.view { return try drawSideBySide(scene, into: &output) }
    prepare(&output, like: frame)
    let scaled = ScaledMatte(matte: matte, upsampling: upsampling(for: matte))
    var foreground = try light(on: foreground ?? frame, frame: frame, matte: matte) ?? foreground
    var below = BlendInput(.output)
    for index in layers.indices {
      let layer = layers[index]
      let opacity = layer.opacity.map { settings[$0] } ?? 1
      let usesForeground = layer.through == .matte && layer.showsFrame && needsForeground && foreground == nil
      if usesForeground && savesMemory && !format.isYUV && (layer.transform != nil || !isFrame(below)) {
        settle(below, scene, into: &output)
        below = BlendInput(.output)
        var front = BlendInput(.frame, grade: grades[index], light: lightField(layer, scene))
        front.opacity = opacity
        try drawForeground(front, layer.transform, scene, scaled, into: &output)
        continue
      }
      if usesForeground && (layer.transform != nil || !isFrame(below)) {
        if layer.transform != nil || !isPicture(below) {
          settle(below, scene, into: &output)
          below = BlendInput(.output)
        }
        foreground = try ownColors(scene)
      }
      if let transform = layer.transform {
        settle(below, scene, into: &output)
        below = BlendInput(.output)
        var colors = BlendInput(.image(foreground ?? frame), grade: grades[index], light: lightField(layer, scene))
        colors.opacity = opacity
        try drawMoved(transform, colors, scene, into: &output) { _ throws(BackdropError) in
          (foreground ?? frame, 0)
        }
        continue
      }
      let isBottom = layer.through == .everything
      var side = try side(of: index, scene, isBottom: isBottom, into: &output)
      switch layer.through {
      case .everything:
        guard opacity < 1, index > 0 else {
          below = side
          continue
        }
        side.opacity = opacity
        let full = ScaledMatte(Matte(constant: 1, width: 1, height: 1), for: self)
        blend(front: side, back: below, frame: frame, matte: full, into: &output)
      case .matte:
        if let foreground, case .frame = side.picture { side.picture = .image(foreground) }
        side.opacity = opacity
        blend(front: side, back: below, frame: frame, matte: scaled, into: &output)
      case .inverse:
        guard opacity >= 1 else {
          side.opacity = opacity
          let inverse = ScaledMatte(matte.inverted, for: self)
          blend(front: side, back: below, frame: frame, matte: inverse, into: &output)
          break
        }
        blend(front: below, back: side, frame: frame, matte: scaled, into: &output)
      }
      below = BlendInput(.output)
    }
    // A stack that ends with a layer over everything needs no blending.
    settle(below, scene, into: &output)
  }

  /// Draws the lower picture into the output, if it is not there yet.
  private func settle(_ below: BlendInput, _ scene: LookInput, into output: inout Image) {
    if case .output = below.picture, below.isPlain { return }
    blend(front: below, back: below, frame: scene.frame, matte: clear, into: &output)
  }

  /// Whether to estimate the foreground. Mattes by disparity do not need it: they have soft edges where things are sharp.
  private var needsForeground: Bool {
    estimatesForeground && (look.matteSource == .subject || look.matteSource == .depth)
  }

  /// Whether it is a plain picture, which can be blended from any memory.
  private func isPicture(_ side: BlendInput) -> Bool {
    switch side.picture {
    case .image, .row: side.isPlain
    case .frame, .output: false
    }
  }

  private func isFrame(_ side: BlendInput) -> Bool { if case .frame = side.picture { side.isPlain } else { false } }

  func spareImage(like frame: Image) -> Image {
    var image = spare.take() ?? Image(format, width: width, height: height, color: color)
    prepare(&image, like: frame)
    return image
  }

  /// The foreground with the background's light round its edges; `nil` if there is none.
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
    let wrap = ScaledMatte(try LightWrap.matte(for: matte, strength: strength), for: self)
    // Take the image out of the property, so that this is the only reference during writing.
    var result = wrapped.take() ?? Image(format, width: width, height: height, color: color)
    prepare(&result, like: frame)
    blend(front: source, back: Picture.image(foreground), frame: frame, matte: wrap, into: &result)
    wrapped = result
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

  /// Draws the replacement of a frame whose matte failed: the chosen background alone, without any pixels of the frame.
  package func renderStandby(into output: inout Image) {
    output.fit(format, width: width, height: height, color: color, alpha: .opaque)
    let standby: Picture
    if case .frame = background {
      standby = .row(Image(Compositor.standbyColor, format, width: width, height: 2, color: color))
    } else {
      standby = background
    }
    blend(front: standby, back: standby, frame: nil, matte: clear, into: &output)
  }

  func prepare(_ output: inout Image, like frame: Image) {
    output.fit(format, width: width, height: height, color: frame.color, alpha: frame.alpha)
  }
}
