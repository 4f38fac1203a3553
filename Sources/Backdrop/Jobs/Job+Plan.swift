import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels
import BackdropPhotos

extension Job {
  /// The look of a job, its background and its outputs, and how to analyze, draw and write.
  public struct Plan: Sendable {
    /// The look.
    public var look: Look
    /// The parameter values; the others have their defaults, or follow the scene.
    public var values: [String: Double] = [:]
    /// Parameters that change during a video, by their names.
    public var keyframes: [String: Keyframes] = [:]
    /// The point or subject in focus, in place of a number; `nil` for the subject.
    public var focus: Focus?
    /// Several values of a parameter in place of one, for a photo.
    public var sweep: ParameterSweep?
    /// The background, for looks that have one; `nil` is black.
    public var background: BackgroundChoice?
    /// How scenes are analyzed.
    public var analysis = AnalyzerOptions()
    /// How they are drawn.
    public var drawing = Renderer.Options()
    /// The output for the drawn frames.
    public var output: OutputTarget?
    /// The output for the mattes, at the frame's size.
    public var matteOutput: OutputTarget?
    /// How both are written.
    public var writing = StreamOutput.Options()
    /// The largest pictures to read besides the input: backgrounds and plates.
    public var limits = ImageLimits.standard
    /// Who sees the results: for others, faults of privacy are errors, not warnings.
    public var audience = Audience.oneself
    /// Whether others may see the real background, also where the look should hide it.
    public var showsRealBackground = false
    /// Threads for drawing; `nil` for one per processor.
    public var threads: Int?
    /// Whether to measure ``JobSummary/timings``; for one job at a time.
    public var measuresStages = false

    /// A plan that writes nothing yet, with the look `backdrop`.
    public init() { self.init(.backdrop) }
    /// A plan that writes nothing yet.
    public init(_ look: Look) { self.look = look }

    /// Whether the result is transparent, without a background.
    public var isTransparent: Bool { background?.isTransparent ?? false }

    /// Whether visible real background is an error, if the look should hide it.
    var hidesRealBackground: Bool { audience == .others && !showsRealBackground }
  }

  /// The place in focus.
  public enum Focus: Sendable, Equatable {
    /// The subject at a point of the upright picture, in its pixels.
    case point(x: Double, y: Double)
    /// The subject.
    case subject

    /// Reads `X,Y` or `subject`.
    ///
    /// - Throws: `wrongArgument` for anything else.
    public init(_ text: String) throws(BackdropError) {
      if text == "subject" {
        self = .subject
        return
      }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 2, let x = Double(parts[0]), let y = Double(parts[1]), x.isFinite, y.isFinite else {
        throw BackdropError(
          .wrongArgument, "'\(text)' is not a point", hint: .writePoint)
      }
      self = .point(x: x, y: y)
    }
  }
}

extension Job.Plan: Parameterized {
  /// The engine's parameters.
  package static let parameters: ParameterTable<Self> =
    AnalyzerOptions.parameters.lifted(to: \.analysis) + Renderer.Options.parameters.lifted(to: \.drawing)
    + Composition.parameters.lifted(to: \.drawing.composition)

  /// Refuses invalid plans before anything is decoded or written.
  func check(_ source: SceneInput) throws(BackdropError) {
    guard output != nil || matteOutput != nil else {
      throw BackdropError(.wrongArgument, "you named no output", hint: .nameOutput)
    }
    try checkPlaces(source)
    if isTransparent && output != nil { _ = try Cutout(look, width: 1, height: 1) }
    try checkFocus(source)
    try analysis.people.check(width: source.width, height: source.height)
    _ = try look.settings(values)
    try checkKeyframes(source)
    try Self.parameters.check(self)
    try checkSweep(source)
    try output?.check(keepsAlpha: isTransparent, writing)
    for target in [output, matteOutput].compactMap({ $0 }) {
      try target.checkMemory(width: source.width, height: source.height, writing, limits)
    }
    if let matteOutput {
      var own = writing
      if output != nil { own.codec = nil }
      try matteOutput.check(keepsAlpha: false, own)
    }
    try checkLight()
    try checkDynamicRange(source)
  }

  /// Refuses to keep a high dynamic range if the source has none, or if the look does more than blend the frame with a background.
  private func checkDynamicRange(_ source: SceneInput) throws(BackdropError) {
    guard writing.keepsDynamicRange, let output else { return }
    guard source.dynamicRange != nil else {
      let isResized = source.video?.frames.dynamicRange != nil
      throw BackdropError(
        .wrongArgument,
        isResized
          ? "keeping high dynamic range requires the video's own size"
          : "the input is not a high dynamic range video (PQ or HLG)", path: source.name,
        hint: .leaveDynamicRangeOut)
    }
    guard output.isVideo, !isTransparent, writing.codec?.canBeDeep ?? true else {
      throw VideoSettings.tooShallow(output.path)
    }
    guard look.isPlain, look.keepsGeometry, drawing.composition == Composition(), !drawing.light.isActive else {
      throw BackdropError(
        .unsupported, "Backdrop keeps high dynamic range only when it replaces a background and does nothing else",
        hint: .leaveDynamicRangeOut)
    }
  }

  private func checkFocus(_ source: any SceneSource) throws(BackdropError) {
    guard let focus else { return }
    guard let name = look.focusParameter else {
      throw BackdropError(.wrongArgument, "the look '\(look.id)' has no focus to set", hint: .leaveFocusOut)
    }
    guard values[name] == nil else {
      throw BackdropError(.wrongArgument, "you set the focus twice", hint: "give a point or \(name), not both")
    }
    guard case .point(let x, let y) = focus else { return }
    guard x >= 0 && x < Double(source.width) && y >= 0 && y < Double(source.height) else {
      throw BackdropError(
        .wrongArgument,
        "the point \(brief(x)),\(brief(y)) is outside the picture (\(source.width)×\(source.height))",
        hint: "count pixels from the upper left corner of the upright picture")
    }
  }

  private func checkSweep(_ source: any SceneSource) throws(BackdropError) {
    guard let sweep else { return }
    guard source.isStill else {
      throw BackdropError(
        .wrongArgument, "a sweep works on a photo, not on a video or recording", path: source.name, hint: .leaveSweepOut
      )
    }
    for value in [sweep.first, sweep.last] {
      var values = values
      values[sweep.parameter] = value
      _ = try look.settings(values)
    }
  }

  /// Refuses light wrap without a new background to take the light from.
  private func checkLight() throws(BackdropError) {
    guard drawing.lightWrap > 0, let background, !background.isNew else { return }
    throw BackdropError(
      .wrongArgument, "light wrap needs a new background, not \(background.description.prefix { $0 != ":" })",
      hint: .leaveLightWrapOut)
  }

  /// The engine that draws this plan's scenes, with its networks loaded.
  ///
  /// - Throws: errors in look or background; errors of loading networks.
  package func engine(
    _ source: SceneInput, workers: WorkerPool, networks: ModelCache
  ) throws(BackdropError) -> StreamEngine {
    var settings = StreamSettings(look)
    settings.values = values(at: 0)
    // Mattes need no background.
    settings.background = isTransparent && output == nil ? nil : background
    (settings.analysis, settings.drawing) = (analysis, drawing)
    settings.analysis.person.runsAhead = source.info.isWorthReadingAhead
    settings.analysis.person.threads = analysis.person.threads ?? threads
    settings.drawing.dynamicRange = writing.keepsDynamicRange ? source.dynamicRange : nil
    let stream = StreamDescription(
      width: source.width, height: source.height, hasDepth: source.providesDepth, limits: limits)
    let engine = try StreamEngine(
      settings, stream, for: source.isStill ? .still : .file, workers: workers, networks: networks)
    if hidesRealBackground, let blur = engine.renderer.legibleBlur {
      throw BackdropError(.wrongArgument, blur.text, hint: .blurMore(background: blur.remedy))
    }
    try engine.prepare()
    return engine
  }
}
