import Backdrop

/// A video's description for the page.
struct VideoInfo: Codable, Sendable {
  var id: Int
  var name: String
  /// The size of the upright pictures with square pixels.
  var width: Int, height: Int
  /// In seconds.
  var duration: Double
  var framesPerSecond: Double
  var soundTracks: Int
  var codec: String
  var notes: [String]
}

/// An open video: the file, its thumbnails, and its pictures with a look.
///
/// Used only on the video workspace's queue.
final class OpenVideo {
  /// The longer side of drawings in pixels: during playback, and at rest.
  static let playingSide = 640, restingSide = 1280
  /// A jump ahead of at most this many seconds reads the frames in between: up to the first limit always, up to the
  /// second only if the picture at the target is not kept.
  private static let (nearby, farther) = (0.2, 1.5)

  let info: VideoInfo
  let path: String
  let thumbnails: VideoThumbnails
  private let networks: ModelCache
  private let workers: WorkerPool
  /// The file, read from start to end.
  private var source: SceneInput
  /// The time at which the source was last reopened, in seconds; its own times count from there.
  private var offset = 0.0
  private var moment: Moment
  private var drawings: [Drawing] = []
  private let tiles: LookTiles
  /// Counts the jumps in reading; after each, the analysis starts anew.
  private var round = 0

  /// The frame at a time.
  private struct Moment {
    var scene: Scene
    /// The time of the next frame, in seconds.
    var end: Double
    /// Whether ``source`` continues after this frame, and the next scene if it is already read.
    var isRead = true
    var upcoming: Scene?
    /// The scene at the size last drawn.
    var drawn: Scene?

    func contains(_ seconds: Double) -> Bool { scene.time <= seconds + 1e-6 && seconds + 1e-6 < end }
  }

  /// The engine that draws scenes at one size, and its state.
  private struct Drawing {
    var engine: StreamEngine
    var size: FrameSize
    var background: String
    var round: Int
    /// The last analyzed scene, and its look.
    var analyzed: (time: Double, look: String)?
    var image = Image(.i420, width: 2, height: 2)
  }

  init(_ path: String, id: Int, name: String, networks: ModelCache, workers: WorkerPool) throws(BackdropError) {
    var source = try SceneInput.open(path)
    guard !source.isStill else {
      throw BackdropError(.unsupported, "this is a photo, not a video", hint: "open it in the workspace Photos")
    }
    // Refuses a file without any picture.
    guard let first = try source.next() else { throw BackdropError(.badData, "the video has no frames") }
    let reader = source.video?.reader
    let (width, rate) = (source.width, source.framesPerSecond)
    let known = reader?.duration ?? (reader == nil ? source.frameCount.map { Double($0) / max(1, rate) } : nil)
    let duration = if let known { known } else { try Self.length(of: path, rate: rate) }
    info = VideoInfo(
      id: id, name: name, width: width, height: source.height, duration: duration, framesPerSecond: rate,
      soundTracks: reader?.audioStreamCount ?? 0, codec: reader?.codecName ?? "recording",
      notes: source.warnings.map(\.message))
    (self.path, self.networks, self.workers) = (path, networks, workers)
    tiles = LookTiles(workers: workers, networks: networks)
    thumbnails = VideoThumbnails(
      path, duration: duration, width: width, height: source.height,
      frameSize: Self.size(of: info, side: Self.restingSide))
    moment = Moment(scene: first, end: Self.end(of: first, source))
    self.source = source
  }

  deinit { thumbnails.stop() }

  /// Reads a file to find its length.
  private static func length(of path: String, rate: Double) throws(BackdropError) -> Double {
    var source = try SceneInput.open(path)
    var end = 0.0
    while let scene = try source.next() { end = scene.time + 1 / max(1, rate) }
    return max(end, 1 / max(1, rate))
  }

  /// The picture at a time in seconds, with at most `side` pixels on its longer side, drawn like the export; without an edit, the
  /// video's own.
  func picture(at seconds: Double, _ edit: VideoEdit?, side: Int) throws(BackdropError) -> Image {
    try go(to: seconds)
    let size = Self.size(of: info, side: side)
    let scene = try scene(size)
    guard let edit else { return scene.flattened }
    var plan = try edit.plan()
    var drawing = try takenDrawing(for: &plan, edit, size)
    defer { drawings.append(drawing) }
    let renderer = drawing.engine.renderer
    renderer.change(to: plan.look, try plan.look.settings(plan.lookValues(at: scene.time - edit.start)))
    renderer.timeOrigin = edit.start
    if drawing.analyzed?.time != scene.time || drawing.analyzed?.look != edit.look {
      // A scene that cannot be analyzed becomes the standby frame, as in the export.
      do throws(BackdropError) {
        try drawing.engine.analyze(scene)
      } catch {
        return renderer.standby(.fault(error), at: scene.time, into: &drawing.image).image
      }
      drawing.analyzed = (scene.time, edit.look)
    }
    return drawing.engine.draw(scene, into: &drawing.image).rendering.image
  }

  /// The picture at a time with a look, at the size of a tile, without the values of the edit.
  func tile(at seconds: Double, _ edit: VideoEdit) throws(BackdropError) -> [UInt8] {
    let plan = try edit.plan()
    try go(to: seconds)
    let name = "\(moment.scene.time) \(edit.background)"
    if !tiles.isOf(name) {
      try tiles.update(name, moment.scene, background: edit.background)
      // The tiles' analysis used the networks, which remember frames.
      startAnew()
    }
    return try tiles.jpeg(plan.look)
  }

  /// Prepares for a picture that will be requested soon; the request itself reports an error.
  func approach(_ seconds: Double) { try? go(to: seconds) }

  /// The parameters of a plan's look that have no effect on the last analyzed scene, and the facts that they lack.
  func inactive(_ plan: Job.Plan) -> [String: StreamFact] {
    guard let findings = drawings.last?.engine.evidence.findings else { return [:] }
    let facts = findings.facts(isStill: false, hasBackground: plan.look.hasBackground)
    return plan.look.inactive(where: facts, values: plan.values)
  }

  /// Makes the networks forget earlier frames.
  func startAnew() { round += 1 }

  // MARK: - Reading

  /// Moves to the frame at a time.
  private func go(to wanted: Double) throws(BackdropError) {
    let seconds = max(0, min(wanted, info.duration))
    guard !moment.contains(seconds) else { return }
    let ahead = seconds - moment.scene.time
    if moment.isRead && ahead > 0 && ahead < Self.nearby { return try advance(to: seconds) }
    if let kept = thumbnails.frames?.picture(at: seconds) {
      let image = try JPEG.decode(kept.jpeg, as: .i420).converted(to: .i420, color: source.color)
      // The analysis can continue only from one frame to a near one.
      if !(ahead > 0 && ahead < Self.nearby) { round += 1 }
      moment = Moment(scene: Scene(image: image, time: kept.from), end: kept.until, isRead: false)
      return
    }
    if moment.isRead && ahead > 0 && ahead < Self.farther { return try advance(to: seconds) }
    round += 1
    // The end of the video shows its last picture.
    let origin = max(0, min(seconds, info.duration - 1.5 / max(1, info.framesPerSecond)))
    if let video = source.video, let scene = try video.scene(at: origin) {
      moment = Moment(scene: scene, end: Self.end(of: scene, source))
    } else {
      try open(at: origin)
    }
    try advance(to: seconds)
  }

  /// Reopens, at a time, a file that cannot seek.
  private func open(at origin: Double) throws(BackdropError) {
    var options = SceneInput.Options()
    if origin > 0 { options.part.start = TimeInVideo(seconds: origin) }
    (source, offset) = (try SceneInput.open(path, options: options), origin)
    guard let first = try read() else { throw BackdropError(.badData, "the video ends before this time") }
    moment = Moment(scene: first, end: Self.end(of: first, source))
  }

  private func read() throws(BackdropError) -> Scene? {
    var scene = try source.next()
    scene?.time += offset
    return scene
  }

  private func advance(to seconds: Double) throws(BackdropError) {
    while moment.end <= seconds + 1e-6 {
      var next = moment.upcoming.take()
      if next == nil { next = try read() }
      guard let next else {
        moment.end = .infinity
        return
      }
      guard next.time <= seconds + 1e-6 else {
        // The frame lasted longer than the file says.
        (moment.upcoming, moment.end) = (next, next.time)
        return
      }
      moment = Moment(scene: next, end: Self.end(of: next, source))
    }
  }

  /// The end of a scene of a source, in seconds.
  private static func end(of scene: Scene, _ source: SceneInput) -> Double { scene.time + source.duration(of: scene) }

  private func scene(_ size: FrameSize) throws(BackdropError) -> Scene {
    if let known = moment.drawn, known.image.width == size.width, known.image.height == size.height { return known }
    let scene = try moment.scene.filling(width: size.width, height: size.height)
    moment.drawn = scene
    return scene
  }

  private static func size(of info: VideoInfo, side: Int) -> FrameSize {
    FrameSize(even: info.width, info.height, scale: min(1, Double(side) / Double(max(info.width, info.height))))
  }

  // MARK: - Drawing

  /// The drawing of an edit at a size, for the current round.
  private func takenDrawing(
    for plan: inout Job.Plan, _ edit: VideoEdit, _ size: FrameSize
  ) throws(BackdropError) -> Drawing {
    // Squares stand for a transparent background, because a screen cannot show transparency.
    if plan.isTransparent { plan.background = .picture(Picture(Self.squares(size))) }
    let background = edit.backgroundText
    guard let index = drawings.firstIndex(where: { $0.size == size && $0.background == background }) else {
      drawings.removeAll { $0.size == size }
      var part = VideoPart()
      part.size = size
      let engine = try plan.engine(source.part(part), workers: workers, networks: networks)
      return Drawing(engine: engine, size: size, background: background, round: round)
    }
    var known = drawings.remove(at: index)
    // The drawings share the networks, including what they remember of earlier frames.
    if known.round != round || index != drawings.count {
      known.engine.begin()
      try known.engine.prepare()
      (known.round, known.analyzed) = (round, nil)
    }
    return known
  }

  /// Grey squares of 16 pixels, the usual sign of transparency.
  private static func squares(_ size: FrameSize) -> Image {
    let levels = Plane<UInt8>(width: size.width, height: size.height) { x, y in
      (x >> 4 + y >> 4) & 1 == 0 ? 204 : 246
    }
    return Image(gray: levels).converted(to: .rgb8)
  }
}
