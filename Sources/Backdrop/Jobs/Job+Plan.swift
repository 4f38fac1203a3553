extension Job {
  /// The settings and outputs of a job. The settings' members, such as the look and the background, are members of the plan too.
  @dynamicMemberLookup
  public struct Plan: Sendable {
    /// How to analyze and draw scenes. For others (``StreamSettings/audience``), faults of privacy are errors, not warnings.
    public var settings: StreamSettings
    /// Parameters that change during a video, by their names.
    public var keyframes: [String: Keyframes] = [:]
    /// The point or subject in focus, in place of a number; `nil` for the subject.
    public var focus: Focus?
    /// Several values of a parameter in place of one, for a photo.
    package var sweep: ParameterSweep?
    /// The output for the drawn frames.
    public var output: OutputTarget?
    /// The output for the mattes, at the frame's size.
    public var matteOutput: OutputTarget?
    /// How both are written.
    public var writing = StreamOutput.Options()
    /// The largest pictures to read besides the input: backgrounds and plates.
    public var limits = ImageLimits.standard
    /// Threads for drawing; `nil` for one per processor.
    public var threads: Int?
    /// Whether to measure `JobSummary.timings`; for one job at a time.
    public var measuresStages = false

    /// A plan that writes nothing yet, with the look `backdrop`.
    public init() { self.init(.backdrop) }
    /// A plan that writes nothing yet.
    public init(_ look: Look) { settings = StreamSettings(look) }

    /// A member of the settings.
    public subscript<Value>(dynamicMember member: KeyPath<StreamSettings, Value>) -> Value { settings[keyPath: member] }

    /// A member of the settings.
    public subscript<Value>(dynamicMember member: WritableKeyPath<StreamSettings, Value>) -> Value {
      get { settings[keyPath: member] }
      set { settings[keyPath: member] = newValue }
    }
  }

  /// What is in focus.
  public enum Focus: Sendable, Equatable {
    /// The subject at a point of the upright picture, in its pixels.
    case point(x: Double, y: Double)
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
        throw BackdropError(.wrongArgument, "'\(text)' is not a point", hint: .writePoint)
      }
      self = .point(x: x, y: y)
    }
  }
}

extension Job.Plan: Parameterized {
  package static let parameters = StreamSettings.parameters.lifted(to: \Self.settings)

  /// Refuses invalid plans before anything is decoded or written.
  func check(_ source: SceneInput) throws(BackdropError) {
    guard output != nil || matteOutput != nil else {
      throw BackdropError(.wrongArgument, "you named no output", hint: .nameOutput)
    }
    try checkOutputFiles(source)
    if settings.isTransparent && output != nil { _ = try Cutout(settings.look, width: 1, height: 1) }
    try checkFocus(source)
    try settings.analysis.people.check(width: source.width, height: source.height)
    _ = try settings.look.settings(settings.values)
    try checkKeyframes(source)
    try Self.parameters.check(self)
    try checkSweep(source)
    try output?.check(keepsAlpha: settings.isTransparent, writing)
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
    guard output.isVideo, !settings.isTransparent, writing.codec?.canBeDeep ?? true else {
      throw VideoSettings.tooShallow(output.path)
    }
    guard settings.look.isPlain, settings.look.keepsGeometry, settings.drawing.composition == Composition(),
      !settings.drawing.light.isActive
    else {
      throw BackdropError(
        .unsupported, "Backdrop keeps high dynamic range only when it replaces a background and does nothing else",
        hint: .leaveDynamicRangeOut)
    }
  }

  private func checkFocus(_ source: any SceneSource) throws(BackdropError) {
    guard let focus else { return }
    guard let name = settings.look.focusParameter else {
      throw BackdropError(.wrongArgument, "the look '\(settings.look.id)' has no focus to set", hint: .leaveFocusOut)
    }
    guard settings.values[name] == nil else {
      throw BackdropError(.wrongArgument, "you set the focus twice", hint: "give a point or \(name), not both")
    }
    guard case .point(let x, let y) = focus else { return }
    guard x >= 0 && x < Double(source.width) && y >= 0 && y < Double(source.height) else {
      throw BackdropError(
        .wrongArgument, "the point \(brief(x)),\(brief(y)) is outside the picture (\(source.width)×\(source.height))",
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
      var values = settings.values
      values[sweep.parameter] = value
      _ = try settings.look.settings(values)
    }
  }

  /// Refuses light wrap without a new background to take the light from.
  private func checkLight() throws(BackdropError) {
    guard settings.drawing.lightWrap > 0, let background = settings.background, !background.isNew else { return }
    throw BackdropError(
      .wrongArgument, "light wrap needs a new background, not \(background.description.prefix { $0 != ":" })",
      hint: .leaveLightWrapOut)
  }

  /// The settings for an engine that draws everything: the job itself judges for others.
  var judgedSettings: StreamSettings {
    var settings = settings
    settings.audience = .oneself
    return settings
  }

  /// The engine that draws this plan's scenes, with its networks loaded.
  package func engine(
    _ source: SceneInput, workers: WorkerPool, networks: ModelCache
  ) throws(BackdropError) -> StreamEngine {
    var settings = judgedSettings
    settings.values = lookValues(at: 0)
    if let sweep { settings.values[sweep.parameter] = sweep.first }
    // Mattes need no background.
    if settings.isTransparent && output == nil { settings.background = nil }
    settings.analysis.person.runsAhead = source.info.isWorthReadingAhead
    settings.analysis.person.threads = settings.analysis.person.threads ?? threads
    settings.drawing.dynamicRange = writing.keepsDynamicRange ? source.dynamicRange : nil
    let stream = StreamDescription(
      width: source.width, height: source.height, hasDepth: source.providesDepth, limits: limits)
    let engine = try StreamEngine(
      settings, stream, for: source.isStill ? .still : .file, workers: workers, networks: networks)
    if self.settings.hidesRealBackground, let blur = engine.renderer.legibleBlur {
      throw BackdropError(.wrongArgument, blur.text, hint: .blurMore(background: blur.hint))
    }
    try engine.prepare()
    return engine
  }
}
