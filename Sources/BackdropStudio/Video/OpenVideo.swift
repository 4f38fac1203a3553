import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropVideo

/// What a page is told of a video.
struct VideoCard: Codable, Sendable {
  var id: Int
  var name: String
  /// Of the upright pictures as they are seen.
  var width: Int, height: Int
  /// In seconds.
  var duration: Double
  var framesPerSecond: Double
  var soundTracks: Int
  var codec: String
  /// Things worth telling.
  var notes: [String]
}

/// A video on the page: the file, its small pictures, and its pictures with a look.
///
/// Used on the video room's queue alone.
final class OpenVideo {
  /// Pixels of the longer side of what is drawn: while it plays, and at rest.
  static let playingSide = 640, restingSide = 1280
  /// A jump ahead by no more than so many seconds is read through.
  private static let nearby = 1.5

  let card: VideoCard
  let path: String
  let thumbnails: VideoThumbnails
  private let networks: ModelCache
  private let workers: WorkerPool
  private var reading: Reading?
  private var drawing: Drawing?
  /// Counts the places that it was read from, each of which begins an analysis of its own.
  private var round = 0

  /// Where the file is being read, at one size.
  private struct Reading {
    var source: any SceneSource
    var size: FrameSize
    /// The time at which it began, the scene that is shown, and the one after it.
    var origin: Double
    var shown: Scene, upcoming: Scene?
  }

  /// How its scenes are being drawn.
  private struct Drawing {
    var pipeline: RenderPipeline
    var background: String
    var round: Int
    /// The scene that was analyzed last, and for which look.
    var analyzed: (time: Double, look: String)?
    var image = Image(.i420, width: 2, height: 2)
  }

  /// Opens a file.
  ///
  /// - Throws: what is wrong with it.
  init(_ path: String, id: Int, name: String, networks: ModelCache, workers: WorkerPool) throws(BackdropError) {
    var source: any SceneSource
    do throws(BackdropError) {
      source = try SceneInput.open(path)
      guard !source.isStill else {
        throw BackdropError(.unsupported, "this is a picture, not a video", hint: "open it in the room Photos")
      }
      // What has no picture at all is told now.
      guard try source.next() != nil else { throw BackdropError(.badData, "the video has no frames") }
    } catch {
      // The page knows it by its own name.
      throw BackdropError(error.kind, error.message, hint: error.remedy)
    }
    let reader = (source as? VideoSource)?.reader
    let aspect = source.pixelAspect.value
    let width = max(1, Int((Double(source.width) * (aspect > 0 ? aspect : 1)).rounded()))
    let rate = source.framesPerSecond
    let known = reader?.duration ?? (reader == nil ? source.frameCount.map { Double($0) / max(1, rate) } : nil)
    let duration = if let known { known } else { try Self.length(of: path, rate: rate) }
    card = VideoCard(
      id: id, name: name, width: width, height: source.height, duration: duration, framesPerSecond: rate,
      soundTracks: reader?.audioStreamCount ?? 0, codec: reader?.codecName ?? "recording",
      notes: source.warnings.map(\.message))
    (self.path, self.networks, self.workers) = (path, networks, workers)
    thumbnails = VideoThumbnails(path, duration: duration, width: width, height: source.height)
  }

  deinit { thumbnails.stop() }

  /// Reads a file that does not say how long it is.
  private static func length(of path: String, rate: Double) throws(BackdropError) -> Double {
    var source = try SceneInput.open(path)
    var end = 0.0
    while let scene = try source.next() { end = scene.time + 1 / max(1, rate) }
    return max(end, 1 / max(1, rate))
  }

  /// The picture that is seen at a time, drawn as it will be exported but smaller.
  ///
  /// - Parameters:
  ///   - seconds: in the video.
  ///   - side: the longer side at most, in pixels.
  /// - Throws: what is wrong with the edit; why the file cannot be read.
  func picture(at seconds: Double, _ edit: VideoEdit, side: Int) throws(BackdropError) -> Image {
    var plan = try edit.plan()
    let scene = try scene(at: max(0, min(seconds, card.duration)), side: side)
    var drawing = try self.drawing(for: &plan, edit)
    self.drawing = nil
    let renderer = drawing.pipeline.renderer
    renderer.change(to: plan.look, try plan.look.settings(plan.values(at: scene.time - edit.start)))
    if drawing.analyzed?.time != scene.time || drawing.analyzed?.look != edit.look {
      // A scene that cannot be analyzed is the standby frame, as in the export.
      do throws(BackdropError) {
        try drawing.pipeline.analyze(scene)
      } catch {
        let rendering = renderer.standby(.fault(error), at: scene.time, into: &drawing.image)
        self.drawing = drawing
        return rendering.image
      }
      drawing.analyzed = (scene.time, edit.look)
    }
    let rendering = drawing.pipeline.draw(scene, into: &drawing.image)
    self.drawing = drawing
    return rendering.image
  }

  /// The picture itself that is seen at a time.
  func original(at seconds: Double, side: Int) throws(BackdropError) -> Image {
    try scene(at: max(0, min(seconds, card.duration)), side: side).image
  }

  /// Parameters of a look that have no effect on what was analyzed last, and why, as a part of a sentence.
  func inactive(_ look: Look) -> [String: String] {
    guard let findings = drawing?.pipeline.evidence.findings else { return [:] }
    return look.inactive(where: findings.facts(isStill: false, hasBackground: look.hasBackground)).mapValues(\.absence)
  }

  // MARK: - Reading

  private func scene(at seconds: Double, side: Int) throws(BackdropError) -> Scene {
    let size = Self.size(of: card, side: side)
    if var known = reading, known.size == size {
      let behind = seconds - known.shown.time
      if behind >= -1e-6, behind < Self.nearby {
        reading = nil
        try advance(&known, to: seconds)
        reading = known
        return known.shown
      }
    }
    var options = SceneInput.Options()
    options.part.size = size
    // The last picture is there at the end, too.
    let origin = max(0, min(seconds, card.duration - 1.5 / max(1, card.framesPerSecond)))
    if origin > 0 { options.part.start = TimeInVideo(seconds: origin) }
    var source = try SceneInput.open(path, options: options)
    guard var first = try source.next() else { throw BackdropError(.badData, "the video ends before this time") }
    first.time += origin
    var made = Reading(source: source, size: size, origin: origin, shown: first, upcoming: try source.next())
    made.upcoming?.time += origin
    round += 1
    try advance(&made, to: seconds)
    reading = made
    return made.shown
  }

  private func advance(_ reading: inout Reading, to seconds: Double) throws(BackdropError) {
    while let next = reading.upcoming, next.time <= seconds + 1e-6 {
      reading.shown = next
      reading.upcoming = try reading.source.next()
      reading.upcoming?.time += reading.origin
    }
  }

  private static func size(of card: VideoCard, side: Int) -> FrameSize {
    let scale = min(1, Double(side) / Double(max(card.width, card.height)))
    func even(_ side: Int) -> Int { min(4096, max(64, Int((Double(side) * scale / 2).rounded()) * 2)) }
    return FrameSize(width: even(card.width), height: even(card.height))
  }

  // MARK: - Drawing

  private func drawing(for plan: inout Job.Plan, _ edit: VideoEdit) throws(BackdropError) -> Drawing {
    guard let reading else { preconditionFailure("a scene is read before it is drawn") }
    let renderer = drawing?.pipeline.renderer
    if let drawing, drawing.background == edit.background, drawing.round == round,
      renderer?.width == reading.size.width, renderer?.height == reading.size.height
    {
      return drawing
    }
    // What is left out is shown as squares, which a screen can show.
    if plan.isTransparent { plan.background = .picture(Picture(Self.squares(reading.size))) }
    let pipeline = try plan.pipeline(reading.source, workers: workers, networks: networks)
    return Drawing(pipeline: pipeline, background: edit.background, round: round)
  }

  /// Grey squares of 16 pixels, as pictures without a background are shown everywhere.
  private static func squares(_ size: FrameSize) -> Image {
    var image = Image(.rgb8, width: size.width, height: size.height, color: .jpeg)
    for y in 0..<size.height {
      var row = image.mutableRow(y)
      for x in 0..<size.width {
        let level: UInt8 = (x >> 4 + y >> 4) & 1 == 0 ? 204 : 246
        for channel in 0..<3 { row[3 * x + channel] = level }
      }
    }
    return image
  }
}
