import Backdrop
import CBackdrop

/// Analyzes and draws the caller's pictures: those of a stream, or single ones.
final class Session: Handle {
  static let title = "session"

  /// What is chosen of it.
  private struct Choice {
    var settings: Settings
    var look: Look
    /// A background in memory, in place of the one that the settings name.
    var picture: Picture?

    /// What the look's parameters are set to.
    var values: LookValues {
      get throws(BackdropError) { try look.settings(settings.values) }
    }

    /// What is behind; `nil` for the look's own.
    var background: BackgroundChoice? { picture.map { .picture($0) } ?? settings.background.map { .named($0) } }
  }

  /// What there is for pictures of one size.
  private struct Stage {
    var stream: StreamDescription
    var renderer: Renderer
    var pipeline: RenderPipeline
  }

  /// Size of the pictures; `nil` for single ones of any size.
  private let size: FrameSize?
  private let isStill: Bool, rate: Double
  private let workers: WorkerPool
  private let networks = ModelCache()
  private let pool = ImagePool(limit: 4)
  private var choice: Choice
  private var stage: Stage?
  private let matteRequest: EvidenceRequest
  /// What was found where mattes alone were asked for.
  private var found = Evidence()
  private var spare = Image(.gray8, width: 1, height: 1)
  private var converted: Image?

  /// A session; networks that it needs are loaded, unless single pictures may have any size.
  ///
  /// - Throws: what is wrong with the size or a setting; `unsupported` where a network is missing.
  init(
    size: FrameSize, isStill: Bool, hasDepth: Bool, rate: Double, threads: Int?, settings: Settings
  ) throws(BackdropError) {
    let isOfAnySize = isStill && size == FrameSize(width: 0, height: 0)
    guard isOfAnySize || size.width > 0 && size.height > 0 else {
      throw BackdropError(.wrongArgument, "the size is \(size)", hint: "give at least one pixel")
    }
    if !isOfAnySize { try ImageLimits.standard.check(width: size.width, height: size.height) }
    guard rate >= 0 && rate <= 1000 else {
      throw BackdropError(.wrongArgument, "the rate is \(rate)", hint: "give frames in a second, or 0")
    }
    (self.size, self.isStill, self.rate) = (isOfAnySize ? nil : size, isStill, rate)
    choice = Choice(settings: settings, look: try settings.loadedLook())
    matteRequest = EvidenceRequest(.backdrop, try Look.backdrop.settings([:]))
    workers = WorkerPool(threads: threads)
    try Settings.parameters.check(settings)
    _ = try choice.values
    if !isOfAnySize {
      let stream = StreamDescription(width: size.width, height: size.height, isStill: isStill, hasDepth: hasDepth)
      try prepare(try stage(for: stream))
    }
  }

  private func analysis(_ settings: Settings) -> AnalyzerOptions {
    var options = settings.plan.analysis
    guard !isStill else { return options }
    options.quality = options.quality ?? .live
    options.person.restsWhenCalm = true
    if rate > 0 { options.person.minimumRate = rate }
    return options
  }

  /// What draws pictures of a kind; those of the kind before are forgotten.
  private func stage(for stream: StreamDescription) throws(BackdropError) -> Stage {
    if let stage, stage.stream == stream { return stage }
    let renderer = try renderer(choice, stream)
    let analyzer = SceneAnalyzer(stream, options: analysis(choice.settings), workers: workers, networks: networks)
    let made = Stage(stream: stream, renderer: renderer, pipeline: RenderPipeline(analyzer, renderer))
    (stage, found) = (made, Evidence())
    return made
  }

  private func prepare(_ stage: Stage) throws(BackdropError) {
    try stage.pipeline.analyzer.prepare(for: stage.renderer.request)
  }

  private func renderer(_ choice: Choice, _ stream: StreamDescription) throws(BackdropError) -> Renderer {
    let isTransparent = choice.background?.isTransparent ?? false
    var behind: BackgroundSource?
    if let background = choice.background, !isTransparent {
      behind = try BackgroundSource(background, width: stream.width, height: stream.height)
    }
    let standby = try choice.settings.standby.map { (path) throws(BackdropError) in
      try SceneInput.picture(path).flattened.filling(width: stream.width, height: stream.height)
    }
    return try Renderer(
      choice.look, try choice.values, width: stream.width, height: stream.height, background: behind,
      isTransparent: isTransparent, before: choice.background?.veil, standby: standby,
      options: choice.settings.drawing(choice.look, isStill: stream.isStill),
      workers: workers)
  }

  /// Sets something by name; nothing changes where that throws.
  func set(_ name: String, _ value: String?) throws(BackdropError) {
    var wanted = choice
    try wanted.settings.set(name, to: value, choice.look)
    if name == "look" { wanted.look = try wanted.settings.loadedLook() }
    if name == "background" { wanted.picture = nil }
    let redraws = ["background", "standby"].contains(name) || wanted.look.matteSource != choice.look.matteSource
    try change(to: wanted, redraws: redraws)
  }

  /// Puts a picture in memory behind; nothing changes where that throws.
  func setBackground(_ image: Image) throws(BackdropError) {
    var wanted = choice
    wanted.picture = Picture(image)
    try change(to: wanted, redraws: true)
  }

  private func change(to wanted: Choice, redraws: Bool) throws(BackdropError) {
    _ = try wanted.values
    let (former, formerStage) = (choice, stage)
    if redraws, var new = stage {
      new.renderer = try renderer(wanted, new.stream)
      new.pipeline = RenderPipeline(new.pipeline.analyzer, new.renderer)
      stage = new
    }
    choice = wanted
    do throws(BackdropError) {
      try adapt()
    } catch {
      (choice, stage) = (former, formerStage)
      try? adapt()
      throw error
    }
  }

  /// Makes what draws, and what analyzes, follow what is chosen.
  private func adapt() throws(BackdropError) {
    guard let stage else { return }
    stage.renderer.change(to: choice.settings.drawing(choice.look, isStill: isStill))
    stage.renderer.change(to: choice.look, try choice.values)
    if isStill {
      begin()
    } else {
      if try !stage.pipeline.analyzer.change(to: analysis(choice.settings), reduction: nil) { begin() }
      if let stage = self.stage { try prepare(stage) }
    }
  }

  /// Forgets what was learned of the stream.
  func begin() {
    guard let stage else { return }
    stage.pipeline.replace(
      SceneAnalyzer(stage.stream, options: analysis(choice.settings), workers: workers, networks: networks))
    found = Evidence()
  }

  /// The caller's picture as a scene, with the caller's depth, if any.
  func scene(_ image: UnsafePointer<bd_image>?, _ depth: UnsafePointer<bd_image>?) throws(BackdropError) -> Scene {
    let image = try BorrowedImage(image, "the picture")
    let map = try depth.map { (depth) throws(BackdropError) in try BorrowedImage(depth, "depth").depth() }
    var picture = image.image(pool)
    if image.format == .grayFloat { picture = picture.converted(to: .gray8) }
    return Scene(image: picture, depth: map, time: image.time)
  }

  private func stage(for scene: Scene) throws(BackdropError) -> Stage {
    let (width, height) = (scene.image.width, scene.image.height)
    if let size, size != FrameSize(width: width, height: height) {
      throw BackdropError(
        .wrongArgument, "the picture is \(width)×\(height), the session's are \(size)",
        hint: "make a session for that size")
    }
    // The first depth makes a stream one with depth; a scene that comes without has lost it.
    let hasDepth = scene.depth != nil || scene.depthFault != nil || !isStill && stage?.stream.hasDepth ?? false
    return try stage(for: StreamDescription(width: width, height: height, isStill: isStill, hasDepth: hasDepth))
  }

  /// Draws a scene, or the standby frame in its place.
  func render(_ scene: Scene, into output: BorrowedImage) throws(BackdropError) -> Rendering {
    let stage = try stage(for: scene)
    let rendering = stage.pipeline.render(scene, into: &spare)
    if isStill, case .standby(.fault(let error)) = rendering.standing { throw error }
    try output.take(rendering.image, spare: &converted)
    return rendering
  }

  /// The matte of a scene.
  func matte(_ scene: Scene, into output: BorrowedImage) throws(BackdropError) {
    let stage = try stage(for: scene)
    try stage.pipeline.analyzer.analyze(scene, for: matteRequest, into: &found)
    try output.take(found.visibleSubject)
  }

  /// The matte that the last picture was drawn through.
  func lastMatte(into output: BorrowedImage) throws(BackdropError) {
    guard let stage else { throw BackdropError(.wrongArgument, "nothing was drawn yet", hint: "draw a picture first") }
    try output.take(try stage.renderer.matte(stage.pipeline.evidence))
  }

  /// Draws the standby frame.
  func standby(at time: Double, into output: BorrowedImage) throws(BackdropError) {
    let stage = try stage(
      for: stage?.stream ?? StreamDescription(width: output.width, height: output.height, isStill: isStill))
    try output.take(stage.renderer.standby(.requested, at: time, into: &spare).image, spare: &converted)
  }

  /// Whether the background is left out.
  var isTransparent: Bool { choice.background?.isTransparent ?? false }

  /// The format and size of what is drawn of pictures in a format, of a size where the session has none.
  func output(for format: PixelFormat, _ size: FrameSize) -> (format: PixelFormat, size: FrameSize) {
    let size = self.size ?? size
    let drawn = stage?.renderer.outputFormat(for: format) ?? (isTransparent ? .bgra8 : format)
    return (drawn, FrameSize(width: size.width * choice.look.widthFactor, height: size.height))
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
    let evidence = stage?.pipeline.evidence ?? Evidence()
    let analyzer = stage?.pipeline.analyzer
    let resolved = stage?.renderer.resolved(evidence)
    var values: [String: Double] = [:]
    for parameter in choice.look.parameters { values[parameter.name] = resolved?[.parameter(parameter.name)] }
    return Report(
      look: choice.look.id, values: values, networks: analyzer?.networkNames ?? [], mattes: analyzer?.matteCount ?? 0,
      subjectFrom: evidence.subjectOrigin ?? found.subjectOrigin, cutoffMetres: evidence.cutoffMetres,
      focus: evidence.focus, matteAge: evidence.age, warnings: analyzer?.warnings.map { Warning($0) } ?? [])
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_create(
  _ options: UnsafePointer<bd_session_options>!, _ session: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(session) { () throws(BackdropError) in
    guard let options else {
      throw BackdropError(.wrongArgument, "there are no options", hint: "begin with BD_SESSION_OPTIONS")
    }
    let given = try options.checked(\.size, "bd_session_options")
    return try Session(
      size: FrameSize(width: Int(given.width), height: Int(given.height)), isStill: given.is_still != 0,
      hasDepth: given.has_depth != 0,
      rate: given.rate, threads: try threadCount(given.threads),
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
    try session.set(try text(name, "name"), value.map { FilePath.text($0) })
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_set_background(
  _ session: OpaquePointer!, _ picture: UnsafePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    try session.setBackground(try BorrowedImage(picture, "the background").image(nil))
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_output(
  _ session: OpaquePointer!, _ format: Int32, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let place = try place(output)
    let given = FrameSize(width: Int(place.pointee.width), height: Int(place.pointee.height))
    let drawn = session.output(for: try BorrowedImage.format(format, "pictures"), given)
    var image = bd_image()
    image.size = MemoryLayout<bd_image>.size
    (image.format, image.width, image.height) = (
      BorrowedImage.number(drawn.format) ?? 0, Int32(clamping: drawn.size.width), Int32(clamping: drawn.size.height)
    )
    image.alpha = session.isTransparent ? Int32(BD_ALPHA_STRAIGHT) : 0
    place.pointee = image
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
    let output = try BorrowedImage(output, "the result")
    return try session.render(try session.scene(image, depth), into: output).told()
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_matte(
  _ session: OpaquePointer!, _ image: UnsafePointer<bd_image>!, _ depth: UnsafePointer<bd_image>!,
  _ matte: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let matte = try BorrowedImage(matte, "the matte")
    try session.matte(try session.scene(image, depth), into: matte)
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_render_frame(
  _ session: OpaquePointer!, _ frame: OpaquePointer!, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let output = try BorrowedImage(output, "the result")
    return try HandleTable.shared.withShared(frame, Frame.self) { (frame) throws(BackdropError) in
      try session.render(frame.scene, into: output).told()
    }
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_session_matte_frame(
  _ session: OpaquePointer!, _ frame: OpaquePointer!, _ matte: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let matte = try BorrowedImage(matte, "the matte")
    return try HandleTable.shared.withShared(frame, Frame.self) { (frame) throws(BackdropError) in
      try session.matte(frame.scene, into: matte)
      return bd_status(BD_OK)
    }
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
    session.begin()
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
