/// Draws scenes with a look in front of a background, and makes the ``Rendering``s, the only pictures that others may see.
///
/// Use one renderer for one stream. It is not safe to call from two threads at once.
public final class Renderer {
  /// The audience of the renderings, and options for drawing them.
  public struct Options: Sendable, Equatable {
    /// The shift of the matte's edge, in pixels of the picture: outwards, or inwards below 0.
    public var edgeShift = 0.0
    /// How much light of the background spills over the person's edges, 0…1.
    public var lightWrap = 0.0
    /// Whether to draw the foreground's own colours where mattes are soft, so that the old background does not show through. `nil` does so
    /// for mattes without depth: a network's or camera's matte is soft only at soft edges, but a matte by distance at every edge.
    public var decontaminates: Bool?
    /// How to compose the frame into the picture and how to light it: see ``Composition``.
    public var composition = Composition()
    /// Changes to the light on the subject.
    public var light = SubjectLight()
    /// Whether there is only one scene. It may be drawn several times, so the renderer keeps what it computes for it. If a look shows the
    /// area behind the subject, the renderer fills it with texture.
    public var isStill = false
    /// Whether the standby frame replaces a scene that would show the real background through a look that should hide it. If not, the
    /// rendering only reports it (``Rendering/showsRealBackground``).
    public var failsClosed = false
    package var realBackground = RealBackgroundPolicy.allowed
    /// The colours of a high dynamic range that renderings also have; `nil` for none. For looks that only blend
    /// (``/BackdropLooks/Look/isPlain``), and frames without changed position or light.
    public var dynamicRange: ColorDescription?
    /// Whether renderings have the scenes' size for every look: two views side by side then have half the width each.
    public var keepsSize = false

    /// The defaults, for the user's own files.
    public init() {}
  }

  /// Whether looks that show the real background by design may do so, such as a look that darkens it.
  package enum RealBackgroundPolicy: Sendable, Equatable {
    /// Always: in the user's own files, or with permission.
    case allowed
    /// While the subject is visible: for the person at the machine only.
    case withSubject
    /// Never: in pictures that others see.
    case forbidden
  }

  /// The oldest matte for drawing a scene, in seconds.
  package static let maximumMatteAge = 0.75

  /// The size of the drawn picture: that of the scenes, unless ``Options/composition`` gives it another shape.
  package let width: Int, height: Int
  let sceneWidth: Int, sceneHeight: Int
  package private(set) var look: Look
  /// The values of its parameters, except those that follow the scene.
  package private(set) var settings: LookValues
  package private(set) var request: EvidenceRequest
  private(set) var options: Options
  /// Converts pictures to ``Options/dynamicRange``, for the latest colours.
  var expansion: RangeExpansion?
  private let workers: WorkerPool
  let pool: ImagePool
  var background: BackgroundSource?
  /// The time of the result's first scene, in seconds, from which moving backgrounds count.
  package var timeOrigin = 0.0
  /// The current background: a moving background's picture.
  var behind: Background?
  var hasShadow = false
  var light: LightMatch?
  var subjectLight: LightFollower?
  /// The last relit scene and the last composed one, with what they were made from, kept so that values computed for them stay valid.
  var relitScene: (picture: ObjectIdentifier, options: SubjectLight, scene: Scene, foreground: Image?)?
  var composed:
    (key: (picture: ObjectIdentifier, subject: ObjectIdentifier, frame: Rect), scene: Scene, evidence: Evidence)?
  let cutout: Cutout?
  private let estimator: ForegroundEstimator
  private var foreground = Image(.gray8, width: 1, height: 1)
  private var compositor: Compositor?
  /// The compositor's settings.
  private var drawnSettings: LookValues?
  private var judge: PrivacyGuard
  private var standby: Image?
  /// The look's matte if it differs from the subject's, kept so that values computed for it stay valid.
  private var made: (numbers: [Double], disparity: PixelStorage?, subject: PixelStorage?, matte: Matte)?

  /// Prepares to draw scenes of `width` × `height` pixels.
  ///
  /// - Parameters:
  ///   - background: the background, in the size of ``Composition/size(width:height:)``; `nil` is black.
  ///   - isTransparent: whether to leave out the background; renderings then have alpha.
  ///   - veil: a translucent colour in place of a background that is left out.
  ///   - standby: a picture for the standby frame; `nil` for the background alone.
  /// - Throws: `unsupported` for a look that cannot leave the background out.
  package init(
    _ look: Look, _ settings: LookValues, width: Int, height: Int, background: BackgroundSource? = nil,
    isTransparent: Bool = false, before veil: ColorText? = nil, standby: Image? = nil, options: Options = Options(),
    workers: WorkerPool
  ) throws(BackdropError) {
    (self.look, self.settings, sceneWidth, sceneHeight) = (look, settings, width, height)
    (self.width, self.height) = options.composition.size(width: width, height: height)
    (self.background, self.standby, self.options, self.workers) = (background, standby, options, workers)
    judge = PrivacyGuard(look, settings)
    request = EvidenceRequest(look, settings)
    cutout = isTransparent ? try Cutout(look, width: self.width, height: self.height, before: veil) : nil
    estimator = ForegroundEstimator(workers: workers)
    pool = ImagePool(limit: 4)
    request = makeRequest()
  }

  /// Changes the look and its parameter values, from the next scene on.
  package func change(to look: Look, _ settings: LookValues) {
    guard look != self.look || settings != self.settings else { return }
    if look != self.look { (compositor, made) = (nil, nil) }
    (self.look, self.settings) = (look, settings)
    judge = PrivacyGuard(look, settings)
    request = makeRequest()
  }

  /// Changes the background, from the next scene on.
  ///
  /// - Throws: `unsupported` for a picture that cannot be drawn in the format of the scenes.
  package func change(background: BackgroundSource) throws(BackdropError) {
    try compositor?.setBackground(background.initial)
    (self.background, behind, hasShadow, light) = (background, background.initial, false, nil)
    request = makeRequest()
    compositor?.lightWrap = lightWrap
  }

  /// Changes the standby frame's picture; `nil` for the background alone.
  package func change(standby: Image?) { self.standby = standby }

  /// Changes audience and options, from the next scene on; the picture's shape stays.
  package func change(to options: Options) {
    precondition(
      options.composition.size(width: sceneWidth, height: sceneHeight) == (width, height),
      "this renderer was made for another size")
    // The measurements so far stay valid; only the goal changes.
    if options.light != self.options.light { subjectLight?.options = options.light }
    self.options = options
    request = makeRequest()
    compositor?.lightWrap = lightWrap
  }

  var isTransparent: Bool { cutout != nil }

  private var lightWrap: Double { background?.isPictureOrColor ?? true ? options.lightWrap : 0 }

  /// The pixel format of drawings of scenes in `format`: looks that do more than blend need a format without Y′CbCr.
  package func outputFormat(for format: PixelFormat) -> PixelFormat {
    if cutout != nil { return .bgra8 }
    guard Compositor.formats.contains(format) else { return format.isYUV ? .i420 : .bgra8 }
    return format.isYUV && (!look.isPlain || options.composition != Composition()) ? .bgra8 : format
  }

  /// The width of the drawn picture: that of the scenes, or twice that if a look shows two views side by side.
  package var outputWidth: Int { options.keepsSize ? width : width * look.widthFactor }

  // MARK: - Drawing

  /// Prepares to draw scenes of that kind, so that the standby frame can be drawn even if a scene fails. It also advances a moving
  /// background.
  package func prepare(_ format: PixelFormat, _ color: ColorDescription, at time: Double) throws(BackdropError) {
    guard cutout == nil else { return }
    let format = outputFormat(for: format)
    if compositor == nil || compositor?.color != color || compositor?.format != format {
      let new = try Compositor(
        look, settings: settings, width: width, height: height, format: format, color: color, workers: workers)
      new.lightWrap = lightWrap
      new.isStill = options.isStill
      behind = behind ?? background?.initial
      if let behind { try new.setBackground(behind) }
      (compositor, drawnSettings, hasShadow) = (new, settings, false)
    }
    if let changed = try background?.background(at: time - timeOrigin) {
      behind = changed
      try compositor?.setBackground(changed)
      hasShadow = false
    }
  }

  /// Draws a scene, or the standby frame in its place.
  ///
  /// - Parameters:
  ///   - evidence: the evidence that a ``SceneAnalyzer`` found in this scene for `request`.
  ///   - wantsMatte: whether to return the scene's own matte too, made by ``matte(_:)``.
  ///   - spare: memory for the drawing, if it fits.
  /// - Returns: the picture. If it is not the scene, its ``Rendering/standing`` gives the reason. The matte is `nil` if it was not
  ///   requested or does not exist.
  package func render(
    _ scene: Scene, _ evidence: Evidence, wantsMatte: Bool = false, into spare: inout Image
  ) -> (rendering: Rendering, matte: Matte?) {
    do throws(BackdropError) {
      let frame = try composition(of: scene, evidence)
      let (rendering, drawn) = try render(scene, evidence, at: frame, into: &spare)
      guard wantsMatte else { return (rendering, nil) }
      // A moved frame moves its matte too.
      return (rendering, frame == nil ? drawn : try matte(evidence))
    } catch {
      return (standby(.fault(error), at: scene.time, into: &spare), nil)
    }
  }

  /// - Returns: the picture, and the matte for drawing, `nil` if nothing of the scene is drawn.
  private func render(
    _ scene: Scene, _ evidence: Evidence, at frame: ComposedScene?, into spare: inout Image
  ) throws(BackdropError) -> (Rendering, Matte?) {
    let found = relit(scene, evidence)
    let (scene, evidence) = try compose(found.scene, found.evidence, frame)
    let settings = resolved(evidence)
    if let reason = refusal(evidence) { return (standby(reason, at: scene.time, into: &spare), nil) }
    let matte = try matte(settings, evidence)
    // In the user's own files, a look that selects by distance shows everything at that distance.
    let isJudged = options.failsClosed || look.matteSource != .disparity
    let exposed = isJudged ? judge.exposedBackground(matte, evidence) : 0
    if options.failsClosed && exposed > PrivacyGuard.maximumExposedBackground {
      return (standby(.backgroundExposed(exposed), at: scene.time, into: &spare), matte)
    }
    try prepare(scene.image.format, scene.image.color, at: scene.time)
    try draw(scene, matte, evidence, settings, into: &spare)
    let rendering = seal(
      spare, deep: deepened(spare, scene, matte), .shown, time: scene.time, matteAge: evidence.age,
      exposedBackground: exposed)
    return (rendering, matte)
  }

  /// The settings, with values that follow the scene.
  package func resolved(_ evidence: Evidence) -> LookValues {
    var result = settings
    if let focus = evidence.focus {
      result = result.following(.subject, at: focus).following(.behind, at: min(max(1.05 - focus, 0), 0.9))
    }
    if settings.follows(.separation), let disparity = evidence.disparity {
      result = result.following(.separation, at: HistogramMask.separating(disparity, before: evidence.focus))
    }
    return result
  }

  /// The matte that the look draws through, at its own size.
  ///
  /// - Throws: `badData` if the look needs distances and there are none; `wrongArgument` for an edge shifted too far.
  package func matte(_ evidence: Evidence) throws(BackdropError) -> Matte { try matte(resolved(evidence), evidence) }

  private func matte(_ settings: LookValues, _ evidence: Evidence) throws(BackdropError) -> Matte {
    let matte = try unshiftedMatte(settings, evidence)
    guard options.edgeShift != 0 && look.matteSource != .nothing else { return evidence.limited(matte) }
    let radius = options.edgeShift * Double(matte.width) / Double(width)
    let element = StructuringElement.disc(radius: abs(radius))
    return evidence.limited(Matte(q15: radius > 0 ? try matte.q15.dilated(element) : try matte.q15.eroded(element)))
  }

  private func unshiftedMatte(_ settings: LookValues, _ evidence: Evidence) throws(BackdropError) -> Matte {
    switch look.matteSource {
    case .depth: return evidence.subject
    case .nothing: return Matte(constant: 1, width: 1, height: 1)
    case .subject, .disparity: break
    }
    let (disparity, subject) = (evidence.disparity?.values.storage, evidence.subject.q15.storage)
    let numbers = look.matteNumbers(settings)
    if let made, made.numbers == numbers, made.disparity === disparity, made.subject === subject { return made.matte }
    let matte: Matte
    if look.matteSource == .subject {
      matte = try look.feathered(evidence.subject, settings)
    } else {
      guard let map = evidence.disparity else { throw BackdropError(.badData, "this frame has no depth") }
      matte = try look.matte(settings, from: map) ?? Matte(constant: 1, width: 1, height: 1)
    }
    // A stream must not hold storage here that the next scene writes into.
    if options.isStill { made = (numbers, disparity, subject, matte) }
    return matte
  }

  private func refusal(_ evidence: Evidence) -> StandbyReason? {
    if evidence.age > Self.maximumMatteAge { return .matteTooOld(evidence.age) }
    if options.realBackground == .forbidden {
      if !judge.hidesRealBackground { return .backgroundIsPrivate }
      if let legibleBlur { return .backgroundIsLegible(legibleBlur) }
    }
    if watchesSubject && (evidence.subjectOrigin == nil || evidence.subject.coverage(everyRow: 8) < 0.002) {
      return .subjectLost
    }
    return nil
  }

  /// Whether the chosen settings show the real background with any matte.
  private var showsRealBackground: Bool { !judge.hidesRealBackground || legibleBlur != nil }

  /// The blur of the real background if it is too weak to hide writing.
  package var legibleBlur: LegibleBlur? { look.hasBackground ? background?.legibleBlur : nil }

  /// The chosen blur of the real background if it is too weak, whether or not the look shows it.
  package var backgroundBlur: LegibleBlur? { background?.legibleBlur }

  /// Whether the standby frame appears when the subject is lost: for looks that show the real background, or things at some distance.
  private var watchesSubject: Bool {
    options.realBackground != .allowed && (showsRealBackground || look.matteSource == .disparity)
  }

  private func makeRequest() -> EvidenceRequest {
    var request = EvidenceRequest(look, settings)
    if watchesSubject { request.needsSubject = true }
    request.needsFaces = options.light.isActive && request.needsSubject
    return request
  }

  private func draw(
    _ scene: Scene, _ matte: Matte, _ evidence: Evidence, _ settings: LookValues, into output: inout Image
  ) throws(BackdropError) {
    let decontaminates =
      options.decontaminates ?? (evidence.subjectOrigin == .person || evidence.subjectOrigin == .matte)
    // A keyed foreground needs no estimate.
    let isEstimated = decontaminates && evidence.foreground == nil
    // If a look shows the frame beyond the matte, parts hidden by alpha must stay hidden.
    let showsFrame = !judge.hidesRealBackground || !(background?.isPictureOrColor ?? true)
    var shown = scene
    shown.image = evidence.foreground ?? scene.image
    let picture = showsFrame ? shown.flattened : shown.image
    if let cutout {
      if isEstimated && options.isStill && !picture.format.isYUV {
        let estimator = ForegroundEstimator(workers: workers)
        estimator.savesMemory = true
        return try cutout.cut(picture, estimatedBy: estimator, matte: matte, into: &output)
      }
      if isEstimated { try estimator.estimate(picture, matte: matte, into: &foreground) }
      try cutout.cut(picture, foreground: isEstimated ? foreground : nil, matte: matte, into: &output)
      return
    }
    guard let compositor else { preconditionFailure("the renderer is prepared before it draws") }
    try drawShadow(matte, compositor)
    if settings != drawnSettings {
      try compositor.change(to: settings)
      drawnSettings = settings
    }
    compositor.estimatesForeground = isEstimated
    var image =
      picture.format == compositor.format
      ? picture : picture.converted(to: compositor.format, color: compositor.color, pool: pool)
    image = try lightMatched(image, matte)
    let standsIn = evidence.disparity != nil && evidence.disparityOrigin != .depth
    try compositor.render(
      image, matte: matte, disparity: evidence.disparity, subject: standsIn ? evidence.subject : nil, into: &output)
    if options.keepsSize && output.width != width { output = try output.scaled(toWidth: width, height: height) }
  }

  // MARK: - Standby

  /// Makes the standby frame: the standby picture, else the background alone, else black. It never contains any part of a scene.
  package func standby(_ reason: StandbyReason, at time: Double, into spare: inout Image) -> Rendering {
    if let standby {
      return seal(standby, .standby(reason), time: time)
    }
    if let cutout {
      cutout.clear(&spare)
      return seal(spare, .standby(reason), time: time)
    }
    do throws(BackdropError) {
      try prepare(compositor?.format ?? .i420, compositor?.color ?? .video, at: time)
      if hasShadow, let behind {
        try compositor?.setBackground(behind)
        hasShadow = false
      }
      compositor?.renderStandby(into: &spare)
    } catch {
      // If the background becomes unreadable, black is better than the last picture.
      spare = Image(compositor?.format ?? .i420, width: width, height: height, color: compositor?.color ?? .video)
      spare.fill(.black)
    }
    return seal(spare, .standby(reason), time: time)
  }
}
