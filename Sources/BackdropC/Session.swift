import Backdrop
import CBackdrop

/// Analyzes and draws the caller's pictures: those of a stream, or single ones.
final class Session: Handle {
  static let title = "session"

  let width: Int, height: Int
  private let isStill: Bool, rate: Double
  private let workers: WorkerPool
  private let networks = ModelCache()
  private let pool = ImagePool(limit: 4)
  private var settings: Settings
  private var look: Look
  private var stream: StreamDescription
  private var renderer: Renderer
  private var pipeline: RenderPipeline
  /// What was found where mattes alone were asked for.
  private var found = Evidence()
  private var spare = Image(.gray8, width: 1, height: 1)
  private var converted: Image?

  /// A session; networks that it needs are loaded.
  ///
  /// - Throws: what is wrong with the size or a setting; `unsupported` where a network is missing.
  init(
    width: Int, height: Int, isStill: Bool, hasDepth: Bool, rate: Double, threads: Int?, settings: Settings
  ) throws(BackdropError) {
    guard width > 0 && height > 0 else {
      throw BackdropError(.wrongArgument, "the size is \(width)×\(height)", hint: "give at least one pixel")
    }
    try ImageLimits.standard.check(width: width, height: height)
    guard rate >= 0 && rate <= 1000 else {
      throw BackdropError(.wrongArgument, "the rate is \(rate)", hint: "give frames in a second, or 0")
    }
    (self.width, self.height, self.isStill, self.rate) = (width, height, isStill, rate)
    (self.settings, look) = (settings, try settings.loadedLook())
    workers = WorkerPool(threads: threads)
    stream = StreamDescription(width: width, height: height, isStill: isStill, hasDepth: hasDepth)
    try Settings.parameters.check(settings)
    renderer = try Self.renderer(settings, look, stream, workers)
    let analyzer = SceneAnalyzer(
      stream, options: Self.analysis(settings, isStill, rate), workers: workers, networks: networks)
    try analyzer.prepare(for: renderer.request)
    pipeline = RenderPipeline(analyzer, renderer)
  }

  private static func analysis(_ settings: Settings, _ isStill: Bool, _ rate: Double) -> AnalyzerOptions {
    var options = settings.plan.analysis
    guard !isStill else { return options }
    options.quality = options.quality ?? .live
    options.person.restsWhenCalm = true
    if rate > 0 { options.person.minimumRate = rate }
    return options
  }

  private static func renderer(
    _ settings: Settings, _ look: Look, _ stream: StreamDescription, _ workers: WorkerPool
  ) throws(BackdropError) -> Renderer {
    let isTransparent = settings.background == BackgroundSource.none
    var behind: BackgroundSource?
    if let background = settings.background, !isTransparent {
      behind = try BackgroundSource(background, width: stream.width, height: stream.height)
    }
    let standby = try settings.standby.map { (path) throws(BackdropError) in
      try StillPicture.load(path).flattened().filling(width: stream.width, height: stream.height)
    }
    return try Renderer(
      look, try look.settings(settings.values), width: stream.width, height: stream.height, background: behind,
      isTransparent: isTransparent, standby: standby, options: settings.drawing(look, isStill: stream.isStill),
      workers: workers)
  }

  /// Sets something by name; nothing changes where that throws.
  func set(_ name: String, _ value: String?) throws(BackdropError) {
    var wanted = settings
    try wanted.set(name, to: value, look)
    let loaded = name == "look" ? try wanted.loadedLook() : look
    if ["background", "standby"].contains(name) || loaded.matteSource != look.matteSource {
      let made = try Self.renderer(wanted, loaded, stream, workers)
      (renderer, pipeline) = (made, RenderPipeline(pipeline.analyzer, made))
    } else {
      let values = try loaded.settings(wanted.values)
      renderer.change(to: wanted.drawing(loaded, isStill: isStill))
      renderer.change(to: loaded, values)
    }
    let options = Self.analysis(wanted, isStill, rate)
    (settings, look) = (wanted, loaded)
    if isStill {
      begin(options)
    } else if try !pipeline.analyzer.change(to: options, reduction: nil) {
      begin(options)
    }
    try pipeline.analyzer.prepare(for: renderer.request)
  }

  private func begin(_ options: AnalyzerOptions) {
    pipeline = RenderPipeline(
      SceneAnalyzer(stream, options: options, workers: workers, networks: networks), renderer)
    found = Evidence()
  }

  /// Forgets what was learned of the stream.
  func reset() { begin(Self.analysis(settings, isStill, rate)) }

  /// The caller's picture as a scene, and what hides parts of it.
  private func scene(_ image: BorrowedImage, _ depth: BorrowedImage?) throws(BackdropError) -> Scene {
    guard image.width == width && image.height == height else {
      throw BackdropError(
        .wrongArgument, "the picture is \(image.width)×\(image.height), the session's are \(width)×\(height)",
        hint: "make a session for that size")
    }
    var picture = image.image(pool)
    if image.format == .grayFloat { picture = picture.converted(to: .bgra8) }
    let map = try depth?.depth()
    // The first depth makes it a stream with depth; one that comes without has lost it.
    if map != nil && !stream.hasDepth {
      stream.hasDepth = true
      begin(Self.analysis(settings, isStill, rate))
    } else if isStill && (map != nil) != stream.hasDepth {
      stream.hasDepth = map != nil
      begin(Self.analysis(settings, isStill, rate))
    }
    return Scene(image: picture, depth: map, time: image.time)
  }

  /// Draws a picture, or the standby frame in its place.
  func render(
    _ image: BorrowedImage, _ depth: BorrowedImage?, into output: BorrowedImage
  ) throws(BackdropError) -> Rendering {
    var scene = try scene(image, depth)
    let alpha = scene.takeAlpha()
    let rendering = pipeline.render(scene, limitedBy: alpha, into: &spare)
    if isStill, case .standby(.fault(let error)) = rendering.standing { throw error }
    try output.take(rendering.image, spare: &converted)
    spare = rendering.image
    return rendering
  }

  /// The matte of a picture.
  func matte(_ image: BorrowedImage, _ depth: BorrowedImage?, into output: BorrowedImage) throws(BackdropError) {
    var scene = try scene(image, depth)
    let alpha = scene.takeAlpha()
    try pipeline.analyzer.analyze(scene, for: EvidenceRequest(.backdrop, try Look.backdrop.settings([:])), into: &found)
    try output.take(alpha.map { found.subject.limited(by: $0) } ?? found.subject)
  }

  /// The matte that the last picture was drawn through.
  func lastMatte(into output: BorrowedImage) throws(BackdropError) {
    try output.take(try renderer.matte(pipeline.evidence))
  }

  /// Draws the standby frame.
  func standby(at time: Double, into output: BorrowedImage) throws(BackdropError) {
    let rendering = renderer.standby(.requested, at: time, into: &spare)
    try output.take(rendering.image, spare: &converted)
    spare = rendering.image
  }

  /// The format and size of what is drawn of pictures in a format.
  func output(for format: PixelFormat) -> (format: PixelFormat, width: Int, height: Int) {
    (renderer.outputFormat(for: format), renderer.outputWidth, height)
  }

  /// What is known of it.
  struct Report: Encodable {
    var look: String
    var values: [String: Double]
    var networks: [String]
    var mattes: Int
    var subjectFrom: Evidence.Origin?
    var cutoffMetres: Double?
    var focus: Double?
    var matteAge: Double
    var warnings: [Warning]
  }

  /// What is known of it now.
  var report: Report {
    let (evidence, analyzer) = (pipeline.evidence, pipeline.analyzer)
    let resolved = renderer.resolved(evidence)
    var values: [String: Double] = [:]
    for parameter in look.parameters { values[parameter.name] = resolved[.parameter(parameter.name)] }
    return Report(
      look: look.id, values: values, networks: analyzer.networkNames, mattes: analyzer.matteCount,
      subjectFrom: evidence.subjectOrigin ?? found.subjectOrigin, cutoffMetres: evidence.cutoffMetres,
      focus: evidence.focus,
      matteAge: evidence.age, warnings: analyzer.warnings.map { Warning($0) })
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_create(
  _ options: UnsafePointer<bd_session_options>!, _ session: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(session) { () throws(BackdropError) in
    guard let pointer = options else {
      throw BackdropError(.wrongArgument, "there are no options", hint: "begin with BD_SESSION_OPTIONS")
    }
    let given = try pointer.checked(\.size, "bd_session_options")
    guard given.threads >= 0 && given.threads <= 1024 else {
      throw BackdropError(.wrongArgument, "the number of threads is \(given.threads)", hint: "0 is one a processor")
    }
    return try Session(
      width: Int(given.width), height: Int(given.height), isStill: given.is_still != 0, hasDepth: given.has_depth != 0,
      rate: given.rate, threads: given.threads == 0 ? nil : Int(given.threads),
      settings: try Settings(try namedOptions(given.options, given.option_count)))
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_free(_ session: OpaquePointer!) { HandleTable.shared.remove(session) }

/// Declared in backdrop.h.
@c @implementation
public func bd_session_set(
  _ session: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    try session.set(try text(name, "name"), value.map { String(cString: $0) })
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_output(
  _ session: OpaquePointer!, _ format: Int32, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let drawn = session.output(for: try BorrowedImage.format(format, "pictures"))
    var image = bd_image()
    image.size = MemoryLayout<bd_image>.size
    (image.format, image.width, image.height) = (
      BorrowedImage.number(drawn.format) ?? 0, Int32(drawn.width), Int32(drawn.height)
    )
    image.alpha = drawn.format == .bgra8 ? Int32(BD_ALPHA_STRAIGHT) : 0
    try place(output).pointee = image
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_render(
  _ session: OpaquePointer!, _ image: UnsafePointer<bd_image>!, _ depth: UnsafePointer<bd_image>!,
  _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    try session.render(
      try BorrowedImage(image, "the picture"),
      try depth.map { (depth) throws(BackdropError) in try BorrowedImage(depth, "depth") },
      into: try BorrowedImage(output, "the result")
    ).told()
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_matte(
  _ session: OpaquePointer!, _ image: UnsafePointer<bd_image>!, _ depth: UnsafePointer<bd_image>!,
  _ matte: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    try session.matte(
      try BorrowedImage(image, "the picture"),
      try depth.map { (depth) throws(BackdropError) in try BorrowedImage(depth, "depth") },
      into: try BorrowedImage(matte, "the matte"))
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_last_matte(_ session: OpaquePointer!, _ matte: UnsafeMutablePointer<bd_image>!) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    try session.lastMatte(into: try BorrowedImage(matte, "the matte"))
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_standby(
  _ session: OpaquePointer!, _ time: Double, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    try session.standby(at: time, into: try BorrowedImage(output, "the result"))
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_reset(_ session: OpaquePointer!) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    session.reset()
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_describe(
  _ session: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in try give(session.report, to: json) }
}
