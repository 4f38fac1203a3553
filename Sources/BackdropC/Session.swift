import Backdrop
import CBackdrop

/// Analyzes and draws the caller's pictures: a stream, or single pictures.
final class Session: Handle {
  static let title = "session"

  private struct Choice {
    var settings: Settings
    var look: Look
    /// A background in memory, which replaces the settings' background.
    var picture: Picture?

    /// All choices, without the standby picture.
    var stream: StreamSettings {
      var stream = settings.stream
      stream.look = look
      if let picture { stream.background = .picture(picture) }
      return stream
    }
  }

  /// The size of the pictures; `nil` for single ones of any size.
  private let size: FrameSize?
  private let use: StreamEngine.Use
  private let workers: WorkerPool
  private let networks = ModelCache()
  private let pool = ImagePool(limit: 4)
  private var choice: Choice
  /// The engine for pictures of one size.
  private var engine: StreamEngine?
  private var spare = Image(.gray8, width: 1, height: 1)
  private var converted: Image?

  /// Creates a session and loads the required networks, unless it is for single pictures of any size.
  init(
    _ stream: StreamDescription, for use: StreamEngine.Use, threads: Int?, settings: Settings
  ) throws(BackdropError) {
    let size = FrameSize(width: stream.width, height: stream.height)
    let isOfAnySize = use == .still && size == FrameSize(width: 0, height: 0)
    guard isOfAnySize || size.width > 0 && size.height > 0 else {
      throw BackdropError(.wrongArgument, "the size is \(size)", hint: "give at least one pixel")
    }
    if !isOfAnySize { try ImageLimits.standard.check(width: size.width, height: size.height) }
    (self.size, self.use) = (isOfAnySize ? nil : size, use)
    choice = Choice(settings: settings, look: try settings.loadedLook())
    // The program that shows a camera's pictures needs the other processors.
    let isCamera = if case .live(.some) = use { true } else { false }
    workers = WorkerPool(threads: threads ?? (isCamera ? WorkerPool.halfOfProcessors : nil))
    if !isOfAnySize { try engine(for: stream).prepare() }
  }

  /// The engine for pictures of a size; an engine for another size is replaced.
  private func engine(for stream: StreamDescription) throws(BackdropError) -> StreamEngine {
    if let engine, engine.stream.width == stream.width, engine.stream.height == stream.height,
      use != .still || engine.stream.hasDepth == stream.hasDepth
    {
      return engine
    }
    var settings = choice.stream
    settings.standby = try standbyPicture(choice, stream)
    let made = try StreamEngine(settings, stream, for: use, workers: workers, networks: networks)
    engine = made
    return made
  }

  private func standbyPicture(_ choice: Choice, _ stream: StreamDescription) throws(BackdropError) -> Image? {
    guard let path = choice.settings.standby else { return nil }
    return try SceneInput.picture(path).flattened.filling(width: stream.width, height: stream.height)
  }

  /// Changes a setting; if it throws, nothing changes.
  func set(_ name: String, _ value: String?) throws(BackdropError) {
    var wanted = choice
    try wanted.settings.set(name, to: value, choice.look)
    if name == "look" { wanted.look = try wanted.settings.loadedLook() }
    if name == "background" { wanted.picture = nil }
    let redraws = ["background", "standby"].contains(name) || wanted.look.matteSource != choice.look.matteSource
    try change(to: wanted, redraws: redraws)
  }

  /// Sets a picture in memory as background; if it throws, nothing changes.
  func setBackground(_ image: Image) throws(BackdropError) {
    var wanted = choice
    wanted.picture = Picture(image)
    try change(to: wanted, redraws: true)
  }

  private func change(to wanted: Choice, redraws: Bool) throws(BackdropError) {
    if let engine {
      var settings = wanted.stream
      settings.standby = redraws ? try standbyPicture(wanted, engine.stream) : engine.settings.standby
      try engine.change(to: settings, reloads: redraws)
    }
    choice = wanted
  }

  /// Forgets the analysis of earlier pictures.
  func begin() { engine?.begin() }

  func scene(_ image: UnsafePointer<bd_image>?, _ depth: UnsafePointer<bd_image>?) throws(BackdropError) -> Scene {
    let image = try BorrowedImage(image, "the picture")
    let map = try depth.map { (depth) throws(BackdropError) in try BorrowedImage(depth, "depth").depth() }
    var picture = image.image(pool)
    if image.format == .grayFloat { picture = picture.converted(to: .gray8) }
    // Editors pass videos without transparency as RGBA.
    picture.dropFullAlpha()
    var scene = Scene(image: picture, depth: map, time: image.time)
    // Once a stream has had depth, a picture without depth is faulty.
    if map == nil, use != .still, engine?.stream.hasDepth ?? false {
      scene.depthFault = BackdropError(.badData, "this frame has no depth")
    }
    return scene
  }

  private func engine(for scene: Scene) throws(BackdropError) -> StreamEngine {
    let (width, height) = (scene.image.width, scene.image.height)
    if let size, size != FrameSize(width: width, height: height) {
      throw BackdropError(
        .wrongArgument, "the picture is \(width)×\(height), but the session expects \(size)",
        hint: "make a session for that size")
    }
    let hasDepth = scene.depth != nil || scene.depthFault != nil
    return try engine(for: StreamDescription(width: width, height: height, hasDepth: hasDepth))
  }

  /// Draws a scene, or the standby frame in its place.
  func render(_ scene: Scene, into output: BorrowedImage) throws(BackdropError) -> Rendering {
    let rendering = try engine(for: scene).render(scene, into: &spare).rendering
    if use == .still, case .standby(.fault(let error)) = rendering.standing { throw error }
    try output.store(rendering.image, spare: &converted)
    return rendering
  }

  func matte(_ scene: Scene, into output: BorrowedImage) throws(BackdropError) {
    let engine = try engine(for: scene)
    try engine.analyze(scene, for: .matte)
    try output.store(engine.evidence.visibleSubject)
  }

  func lastMatte(into output: BorrowedImage) throws(BackdropError) {
    guard let engine else {
      throw BackdropError(.wrongArgument, "the session has drawn nothing yet", hint: "draw a picture first")
    }
    try output.store(try engine.matte())
  }

  func standby(at time: Double, into output: BorrowedImage) throws(BackdropError) {
    let stream = engine?.stream ?? StreamDescription(width: output.width, height: output.height)
    let rendering = try engine(for: stream).standby(.requested, at: time, into: &spare)
    try output.store(rendering.image, spare: &converted)
  }

  var isTransparent: Bool { choice.stream.isTransparent }

  /// The format and size of the drawing for pictures in a format; `size` applies if the session has no fixed size.
  func output(for format: PixelFormat, _ size: FrameSize) -> (format: PixelFormat, size: FrameSize) {
    let size = self.size ?? size
    let drawn = engine?.renderer.outputFormat(for: format) ?? (isTransparent ? .bgra8 : format)
    return (drawn, FrameSize(width: size.width * choice.look.widthFactor, height: size.height))
  }

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

  var report: Report {
    let evidence = engine?.evidence ?? Evidence()
    let analyzer = engine?.analyzer
    let resolved = engine?.renderer.resolved(evidence)
    var values: [String: Double] = [:]
    for parameter in choice.look.parameters { values[parameter.name] = resolved?[.parameter(parameter.name)] }
    return Report(
      look: choice.look.id, values: values, networks: analyzer?.networkNames ?? [], mattes: analyzer?.matteCount ?? 0,
      subjectFrom: evidence.subjectOrigin, cutoffMetres: evidence.cutoffMetres,
      focus: evidence.focus, matteAge: evidence.age, warnings: analyzer?.warnings.map { Warning($0) } ?? [])
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_create")
public func bd_session_create(
  _ options: UnsafePointer<bd_session_options>!, _ session: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(session) { () throws(BackdropError) in
    guard let options else {
      throw BackdropError(.wrongArgument, "the options are missing", hint: "begin with BD_SESSION_OPTIONS")
    }
    let given = try options.checked(\.size, "bd_session_options")
    return try Session(
      StreamDescription(width: Int(given.width), height: Int(given.height), hasDepth: given.has_depth != 0),
      for: try given.use, threads: try threadCount(given.threads),
      settings: try Settings(try namedOptions(given.options, given.option_count)))
  }
}

extension bd_session_options {
  fileprivate var use: StreamEngine.Use {
    get throws(BackdropError) {
      guard rate >= 0 && rate <= 1000 else {
        throw BackdropError(.wrongArgument, "the frame rate is \(rate)", hint: "give frames per second, or 0")
      }
      guard is_still == 0 || is_file == 0 else {
        throw BackdropError(.wrongArgument, "a single picture has no frames", hint: "set either is_still or is_file")
      }
      if is_still != 0 { return .still }
      return is_file != 0 ? .file : .live(rate: rate > 0 ? rate : nil)
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_free")
public func bd_session_free(_ session: OpaquePointer!) { HandleTable.shared.remove(session) }

/// Declared in backdrop.h.
@_cdecl("bd_session_set")
public func bd_session_set(
  _ session: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    try session.set(try text(name, "name"), value.map { FilePath.text($0) })
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_set_background")
public func bd_session_set_background(_ session: OpaquePointer!, _ picture: UnsafePointer<bd_image>!) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    try session.setBackground(try BorrowedImage(picture, "the background").image(nil))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_output")
public func bd_session_output(
  _ session: OpaquePointer!, _ format: Int32, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    let result = try resultPointer(output)
    let given = FrameSize(width: Int(result.pointee.width), height: Int(result.pointee.height))
    let drawn = session.output(for: try BorrowedImage.format(format, "pictures"), given)
    var image = bd_image()
    image.size = MemoryLayout<bd_image>.size
    (image.format, image.width, image.height) = (
      BorrowedImage.number(drawn.format) ?? 0, Int32(clamping: drawn.size.width), Int32(clamping: drawn.size.height)
    )
    image.alpha = session.isTransparent ? Int32(BD_ALPHA_STRAIGHT) : 0
    result.pointee = image
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_render")
public func bd_session_render(
  _ session: OpaquePointer!, _ image: UnsafePointer<bd_image>!, _ depth: UnsafePointer<bd_image>!,
  _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let output = try BorrowedImage(output, "the result")
    return try session.render(try session.scene(image, depth), into: output).standing.keptStatus()
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_matte")
public func bd_session_matte(
  _ session: OpaquePointer!, _ image: UnsafePointer<bd_image>!, _ depth: UnsafePointer<bd_image>!,
  _ matte: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    let matte = try BorrowedImage(matte, "the matte")
    try session.matte(try session.scene(image, depth), into: matte)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_render_frame")
public func bd_session_render_frame(
  _ session: OpaquePointer!, _ frame: OpaquePointer!, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  call(session, Session.self) { (session) throws(BackdropError) in
    let output = try BorrowedImage(output, "the result")
    return try HandleTable.shared.withShared(frame, Frame.self) { (frame) throws(BackdropError) in
      try session.render(frame.scene, into: output).standing.keptStatus()
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_matte_frame")
public func bd_session_matte_frame(
  _ session: OpaquePointer!, _ frame: OpaquePointer!, _ matte: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    let matte = try BorrowedImage(matte, "the matte")
    try HandleTable.shared.withShared(frame, Frame.self) { (frame) throws(BackdropError) in
      try session.matte(frame.scene, into: matte)
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_last_matte")
public func bd_session_last_matte(_ session: OpaquePointer!, _ matte: UnsafeMutablePointer<bd_image>!) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    try session.lastMatte(into: try BorrowedImage(matte, "the matte"))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_standby")
public func bd_session_standby(
  _ session: OpaquePointer!, _ time: Double, _ output: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in
    try session.standby(at: time, into: try BorrowedImage(output, "the result"))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_reset")
public func bd_session_reset(_ session: OpaquePointer!) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in session.begin() }
}

/// Declared in backdrop.h.
@_cdecl("bd_session_describe")
public func bd_session_describe(
  _ session: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> bd_status {
  perform(session, Session.self) { (session) throws(BackdropError) in try give(session.report, to: json) }
}
