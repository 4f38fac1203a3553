import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropMedia
import BackdropPhotos

/// Draws a look of one input: a photo with depth, a plain picture, a recording or a video.
///
/// A photo goes to a photo, with its metadata, and its depth and mattes where they still fit; to one picture with several
/// values of a parameter; or to a video of what moves. A stream goes to a stream, frame by frame.
public struct LookJob {
  /// What to do.
  public struct Plan {
    /// The look.
    public var look: Look
    /// What its parameters are set to.
    public var wishes: [String: Double] = [:]
    /// What is to be in focus, instead of a number.
    public var focus: Focus?
    /// Several values of a parameter instead of one.
    public var sweep: LookSweep?
    /// What is behind, for looks that have something behind; `nil` is black.
    public var background: String?
    /// Where the result goes.
    public var output: String
    /// How it is written.
    public var options = JobOutput.Options()
    /// Quality of a JPEG or HEIC file, 1…100.
    public var photoQuality = 95
    /// How subjects are found in pictures.
    public var scene = LookScene.Options()
    /// How streams are read.
    public var input = JobInput.Options()
    /// Threads; `nil` for one a processor.
    public var threads: Int?

    /// A plan for a look.
    public init(_ look: Look, to output: String) {
      self.look = look
      self.output = output
    }
  }

  /// What is to be in focus.
  public enum Focus: Sendable, Equatable {
    /// What is at a point of the upright picture, in its pixels.
    case point(x: Double, y: Double)
    /// What the picture is about.
    case subject
  }

  /// What came of it.
  public struct Summary: Sendable, Codable {
    /// The input and the output.
    public var input: String, output: String
    /// The look's name, and what its parameters were.
    public var look: String, settings: [String: Double]
    /// Where nearness and subject were found, where they were needed.
    public var nearnessFrom: LookScene.Origin?, subjectFrom: LookScene.Origin?
    /// Pictures drawn, and the time that it took.
    public var frames = 0, seconds = 0.0
    /// Things worth telling that did not stop the work.
    public var warnings: [String] = []
  }

  let input: String
  let plan: Plan
  private let kind: Kind

  /// What the input is.
  enum Kind {
    case photo, stream
  }

  /// Checks the plan before anything is decoded or written.
  ///
  /// - Throws: what is wrong with the look's settings, the sweep, the input's name or the output's.
  public init(_ input: String, _ plan: Plan) throws(BackdropError) {
    self.input = input
    self.plan = plan
    _ = try plan.look.settings(plan.wishes)
    if let sweep = plan.sweep {
      for value in [sweep.first, sweep.last] {
        var wishes = plan.wishes
        wishes[sweep.parameter] = value
        _ = try plan.look.settings(wishes)
      }
    }
    kind = try Self.kind(of: input)
    guard kind == .stream || plan.output != "-" else {
      throw BackdropError(.wrongArgument, "a photo does not go to a pipe", hint: "name a file with -o")
    }
    if kind == .photo {
      if let file = try Job.Plan.file(among: [input] + files(plan.background), replacedBy: plan.output) {
        throw BackdropError(
          .wrongArgument, "the output would replace '\(file)', which is read", path: plan.output,
          hint: "choose another name")
      }
      _ = try LookOutput(plan.output)
      _ = try OutputFile(plan.output, overwrite: plan.options.overwrite)
    }
  }

  private func files(_ background: String?) -> [String] {
    guard let background, FileKind(background) == .file else { return [] }
    return [background]
  }

  private static func kind(of input: String) throws(BackdropError) -> Kind {
    guard FileKind(input) == .file else { return .stream }
    let head = try InputFile.head(input)
    return switch FileContent(head.span) {
    case .picture, .heic: .photo
    default: .stream
    }
  }

  /// Does the work; nothing is left behind unless all of it succeeds.
  ///
  /// - Parameters:
  ///   - progress: told how many pictures are done, after each.
  ///   - isInterrupted: asked before each picture.
  /// - Throws: `interrupted`; whatever reading, drawing and writing throw.
  public func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> Summary {
    let clock = ContinuousClock()
    let start = clock.now
    var summary = Summary(
      input: input, output: plan.output, look: plan.look.id, settings: [:])
    switch kind {
    case .photo: try drawPhoto(&summary, progress, isInterrupted)
    case .stream: try LookStream(input, plan).run(&summary, progress: progress, isInterrupted: isInterrupted)
    }
    summary.seconds = (clock.now - start) / .seconds(1)
    return summary
  }

  // MARK: - Photos

  private func drawPhoto(
    _ summary: inout Summary, _ progress: (Int) -> Void, _ isInterrupted: () -> Bool
  ) throws(BackdropError) {
    let file = try OutputFile(plan.output, overwrite: plan.options.overwrite)
    let photo = try DepthPhoto.read(input)
    do throws(BackdropError) {
      switch try LookOutput(plan.output) {
      case .photo, .png:
        if let sweep = plan.sweep {
          try Picture.save(try strip(photo, sweep, &summary, progress, isInterrupted), to: file)
          return
        }
        let result = try drawn(photo, &summary)
        progress(1)
        if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
        let changed = photo.replacing(picture: result, keepsGeometry: plan.look.keepsGeometry)
        if case .photo = try LookOutput(plan.output) {
          try changed.write(to: file, options: JPEGPhotoOptions(quality: plan.photoQuality))
        } else {
          let bytes = try changed.png()
          try file.write(bytes.span)
        }
      case .video, .gif: try film(photo, file, &summary, progress, isInterrupted)
      }
    } catch {
      throw error.path == nil && error.kind == .badData ? error.at(input) : error
    }
  }

  /// The photo with the look; the picture that was read is gone when it returns.
  private func drawn(_ photo: DepthPhoto, _ summary: inout Summary) throws(BackdropError) -> Image {
    let (drawing, settings) = try prepare(photo, side: nil, &summary)
    let result = try drawing.draw(plan.look, settings)
    summary.frames = 1
    note(drawing.scene, &summary)
    return result
  }

  private func prepare(
    _ photo: DepthPhoto, side: Int?, _ summary: inout Summary
  ) throws(BackdropError) -> (LookDrawing, LookSettings) {
    let workers = WorkerPool(threads: plan.threads)
    var scene = try LookScene(photo, options: plan.scene, workers: workers)
    if let side { scene = try scene.reduced(to: side) }
    let drawing = LookDrawing(scene: scene, workers: workers, background: plan.background)
    let settings = try drawing.settings(plan.look, plan.wishes, focus: plan.focus)
    for parameter in plan.look.parameters { summary.settings[parameter.name] = settings[.parameter(parameter.name)] }
    return (drawing, settings)
  }

  private func note(_ scene: LookScene, _ summary: inout Summary) {
    (summary.nearnessFrom, summary.subjectFrom) = (scene.nearnessOrigin, scene.subjectOrigin)
  }

  /// The values that a sweep, or the look's own motion, goes through.
  private func steps(_ sweep: LookSweep, _ settings: [String: Double]) throws(BackdropError) -> [LookSettings] {
    var result: [LookSettings] = []
    for value in sweep.values {
      var wishes = settings
      wishes[sweep.parameter] = value
      result.append(try plan.look.settings(wishes))
    }
    return result
  }

  /// All values of a sweep, side by side with their names.
  private func strip(
    _ photo: DepthPhoto, _ sweep: LookSweep, _ summary: inout Summary, _ progress: (Int) -> Void,
    _ isInterrupted: () -> Bool
  ) throws(BackdropError) -> Image {
    let (drawing, _) = try prepare(photo, side: 480, &summary)
    var tiles: [LookSheet.Tile] = []
    for (value, settings) in zip(sweep.values, try steps(sweep, summary.settings)) {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      tiles.append(
        LookSheet.Tile(
          name: "\(sweep.parameter) \(brief((value * 1000).rounded() / 1000))",
          image: try drawing.draw(plan.look, settings)))
      progress(tiles.count)
    }
    summary.frames = tiles.count
    note(drawing.scene, &summary)
    return try LookSheet.page(tiles, columns: tiles.count <= 24 ? tiles.count : 12)
  }

  /// A video of a sweep, or of what moves in the look.
  private func film(
    _ photo: DepthPhoto, _ file: OutputFile, _ summary: inout Summary, _ progress: (Int) -> Void,
    _ isInterrupted: () -> Bool
  ) throws(BackdropError) {
    let film = LookFilm(file, isGIF: try LookOutput(plan.output) == .gif, options: plan.options)
    let sweep: LookSweep
    if let given = plan.sweep {
      sweep = given
    } else if let motion = plan.look.motion,
      let range = plan.look.parameters.first(where: { $0.name == motion.parameter })?.range
    {
      // The last picture is the one before the first.
      let count = max(2, Int((motion.seconds * film.motionRate).rounded()))
      let step = (range.upperBound - range.lowerBound) / Double(count)
      sweep = LookSweep(motion.parameter, from: range.lowerBound, to: range.upperBound - step, count: count)
    } else {
      throw BackdropError(
        .wrongArgument, "nothing moves in the look '\(plan.look.id)'", path: plan.output,
        hint: "add --sweep \(plan.look.parameters.first?.name ?? "focus")=FROM…TO:60, or name the output .jpg")
    }
    let (drawing, _) = try prepare(photo, side: film.side, &summary)
    for settings in try steps(sweep, summary.settings) {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      try film.append(try drawing.draw(plan.look, settings), isSweep: plan.sweep != nil)
      summary.frames += 1
      progress(summary.frames)
    }
    try film.finish()
    note(drawing.scene, &summary)
  }
}

/// What kind of file a photo's result goes to.
enum LookOutput {
  case photo, png, video, gif

  /// By the name's ending.
  ///
  /// - Throws: `wrongArgument` for any that is not written.
  init(_ path: String) throws(BackdropError) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    switch name.lastIndex(of: ".").map({ name[name.index(after: $0)...].lowercased() }) ?? "" {
    case "jpg", "jpeg", "jpe", "heic", "heif": self = .photo
    case "png": self = .png
    case "mp4", "m4v", "mov", "mkv", "webm": self = .video
    case "gif": self = .gif
    case let ending:
      throw BackdropError(
        .wrongArgument, ending.isEmpty ? "the output's name has no ending" : "photos are not written as .\(ending)",
        path: path, hint: "name it .jpg, .heic, .png, or .mp4, .webm, .gif for what moves")
    }
  }
}
