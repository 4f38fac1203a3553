import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

/// Finds out what looks ask for: who the picture is about, how near things are, where the focus is. It holds the whole policy:
///
/// - **Which evidence wins.** A screen's colour, where it was asked for. Else the camera's own portrait matte, unless something is
///   asked of the network. Else depth in metres and the person network, joined: depth decides what is near, the network draws the
///   edges. In the dark, where the network sees nobody, depth alone. A face moves the cutoff back only if a body hangs on it
///   (`FaceJudge`). Without depth the network; in a single picture, where it sees nobody or what it sees is not in front, what
///   is near by the phone's disparity, drawn to the picture's edges.
/// - **Without depth.** The subject stands in: near is where it is, all else is far. A look that shapes the depth's matte shapes
///   the subject's in the same way.
/// - **Nobody there.** A stream's matte is 0 everywhere; a single picture is an error.
/// - **Alpha.** What it hides is never shown. Where it keeps little but the subject that was found, somebody cut that out before, and
///   the alpha itself is the matte.
/// - **Several people.** Those who are not chosen are taken out of whatever matte was found (``/BackdropModels/PeopleChooser``).
/// - **Focus.** It is at the subject's distance; in a stream it follows slowly.
///
/// One stream, one analyzer: it is not safe to call from two threads at once.
public final class SceneAnalyzer {
  /// Facts about the stream's scenes, known before the first one.
  let stream: StreamDescription
  var options: AnalyzerOptions
  let workers: WorkerPool
  let networks: ModelCache
  let depthMaker: DepthMatteMaker
  let filter: DepthFilter
  var shaper = MatteShaper()
  let faces: FaceFinder
  var bodies = DepthPersonLocator()
  /// When faces are looked for again, and those that were found.
  var nextFaces = -Double.infinity, lastFaces: [Rect]?
  var range: ClosedRange<Float>?
  var focus: Double?
  var person = PersonState.unopened
  /// Mattes that the last scene's evidence may share, and the next scene's is made in.
  var personMatte: Matte?, depthMatte: Matte?, chosenMatte: Matte?, chromaMatte: Matte?
  /// Keys a screen; `nil` before there was one.
  var keyer: ChromaKeyer?
  /// Keeps the people who were chosen; `nil` before there was a choice.
  var people: PeopleChooser?
  /// What was corrected by hand, and the mattes that it was drawn in.
  var touchUp: (choice: TouchUpChoice, value: TouchUp)?
  let touchUpDrawing = TouchUpDrawing()
  /// What a touch-up begins with where nobody was found.
  var emptyMatte: Matte?
  /// Whose matte people were last chosen from by ``reconsider(_:for:from:into:)``.
  var chosenFrom: PixelStorage?
  static let nothing = Matte(constant: 0, width: 1, height: 1)
  /// The stream's next picture while a scene is analyzed, if it is known.
  var next: Image?
  /// Mattes made so far; while nothing moves the network makes none.
  public internal(set) var matteCount = 0
  /// The networks that make them, each with the size of the pictures that it looks at; none where depth alone does.
  public var networkNames: [String] {
    if case .open(let maker) = person { maker.networkNames } else { [] }
  }
  /// Whether the last scene's alpha was taken for its subject.
  var believesAlpha = false
  /// Whether somebody was seen in any scene so far.
  public internal(set) var hasSeenSomebody = false
  /// Whether a single picture's matte shows what the person network found, and no other network recognized a person in it.
  public internal(set) var seesNoLikeness = false
  /// Whether depth decides in this stream.
  public var usesDepth: Bool { stream.hasDepth && (options.mattes == .auto || options.mattes == .depth) }
  /// Warnings and notes, a sentence each.
  public var warnings: [BackdropError] {
    let far = bodies.tooFar.map { metres in
      BackdropError(
        .unsupported,
        "the face is \(brief((metres * 10).rounded() / 10)) m away, too far for the cutoff to follow; the limit is \(brief(options.farthestFaceMetres)) m",
        hint: .allowFartherFaces)
    }
    let unlike = seesNoLikeness ? [Self.noLikeness] : []
    let elsewhere: [BackdropError] = if case .open(let maker) = person { maker.warnings } else { [] }
    return faces.warnings + (far.map { [$0] } ?? []) + unlike + elsewhere
  }

  /// What a matte without a person in it is called.
  static let noLikeness = BackdropError(
    .badData, "Backdrop recognized no person in the picture; the matte may keep something else",
    hint: .cropOrChooseNetwork)

  /// The person network of the stream.
  enum PersonState {
    case unopened
    /// There is none, and depth alone will do.
    case absent
    case open(PersonMatteMaker)
  }

  static let noDepth = BackdropError(.unsupported, "a matte from depth needs depth, and this frame has none")
  /// Of the way to a new scale of distances, or a new focus, this much is gone each frame.
  private static let pace = 0.05
  /// The longer side of the distances that stand in for depth.
  private static let standInSide = 384

  /// Makes an analyzer; networks are loaded by ``prepare(for:)``, or with the first scene that needs them.
  ///
  /// - Parameters:
  ///   - stream: facts about the stream.
  ///   - options: how scenes are analyzed.
  ///   - workers: threads that the work is shared by.
  ///   - networks: where loaded networks stay for the next stream.
  public init(
    _ stream: StreamDescription, options: AnalyzerOptions = AnalyzerOptions(), workers: WorkerPool,
    networks: ModelCache = ModelCache()
  ) {
    (self.stream, self.options, self.workers, self.networks) = (stream, options, workers, networks)
    depthMaker = DepthMatteMaker(DepthMatteRecipe(), workers: workers)
    filter = DepthFilter(options.depthFilter)
    faces = FaceFinder(networks: networks)
  }

  /// Loads what scenes of this stream will need for a request.
  ///
  /// - Throws: `unsupported` if there is no network where one is needed, or mattes shall be made from depth and there is none;
  ///   `wrongArgument` for a clean plate that nobody looks at, or a touch-up of a stream; what is wrong with a touch-up.
  public func prepare(for request: EvidenceRequest) throws(BackdropError) {
    _ = try loadedTouchUp()
    guard request.needsSubject || request.needsFocus || request.needsDisparity && !stream.hasDepth else { return }
    _ = try peopleChooser()
    if options.mattes == .chroma { return try options.refusePlate() }
    // A photo may bring its own matte, or depth of its own scale.
    if stream.isStill && !stream.hasDepth && (options.asksNothingOfNetwork || options.mattes == .depth) { return }
    if options.mattes == .depth && !stream.hasDepth { throw Self.noDepth }
    if usesDepth && request.isShaped {
      if options.mattes == .auto { try options.refusePlate() }
      return
    }
    try personMaker()?.prepare(width: stream.width, height: stream.height)
  }

  /// Takes over other options as far as a running stream allows; what was learned of it is kept.
  ///
  /// - Parameters:
  ///   - wanted: the other options.
  ///   - reduction: how many times smaller the picture is to whose edges mattes are drawn; `nil` for the usual.
  /// - Returns: whether it could; otherwise a new analyzer is needed.
  /// - Throws: `wrongArgument` for options out of range.
  public func change(to wanted: AnalyzerOptions, reduction: Int?) throws(BackdropError) -> Bool {
    guard wanted.isCompatible(with: options) else { return false }
    if case .open(let maker) = person {
      try maker.change(to: wanted.person, reduction: reduction)
      // While nothing moves the last matte would stay.
      if wanted.farthestFaceMetres != options.farthestFaceMetres { maker.expire() }
    }
    options = wanted
    keyer?.options = wanted.chroma
    people?.choice = wanted.people
    return true
  }

  /// Finds what a request asks for in the next scene.
  ///
  /// - Parameters:
  ///   - scene: the scene.
  ///   - request: the evidence to find.
  ///   - evidence: the stream's.
  ///   - next: the picture of the scene after that one, if it is known: a network may run on it ahead of time.
  /// - Throws: why the subject, or distances, could not be found; the evidence then shows nobody.
  public func analyze(
    _ scene: Scene, for request: EvidenceRequest, into evidence: inout Evidence, next: Image? = nil
  ) throws(BackdropError) {
    self.next = next
    evidence.alpha = scene.alpha
    defer { self.next = nil }
    do throws(BackdropError) {
      if let fault = scene.depthFault, request.needsDisparity, stream.isStill, scene.disparity == nil { throw fault }
      let hasDistances = scene.depth.map { !$0.isEmpty } ?? (scene.disparity != nil)
      let standsIn = request.needsDisparity && !hasDistances
      if request.needsSubject || standsIn {
        try findSubject(scene, request, into: &evidence)
      } else if request.needsFocus {
        // A focus of one's own will do where nobody is found.
        do throws(BackdropError) {
          try findSubject(scene, request, into: &evidence)
        } catch {
          guard error.kind != .interrupted else { throw error }
          evidence.clearSubject()
        }
      } else {
        evidence.clearSubject()
      }
      if request.needsFaces { findFaces(scene, into: &evidence) } else { evidence.faces = nil }
      if request.needsDisparity { findDisparity(scene, into: &evidence) } else { evidence.disparity = nil }
      if request.needsFocus { findFocus(into: &evidence) }
    } catch {
      evidence.clearSubject()
      throw error
    }
  }

  // MARK: - Distances

  func findDisparity(_ scene: Scene, into evidence: inout Evidence) {
    if let map = scene.disparity {
      if evidence.disparity == nil || !stream.isStill { evidence.disparity = map.normalized() }
      evidence.disparityOrigin = .depth
    } else if let depth = scene.depth, !depth.isEmpty, let range = follow(depth.disparity) {
      evidence.disparity = depth.disparity.normalized(in: range)
      evidence.disparityOrigin = .depth
    } else {
      evidence.disparity = NormalizedDisparity(
        subject: evidence.subject, side: stream.isStill ? 2 * Self.standInSide : Self.standInSide)
      evidence.disparityOrigin = evidence.subjectOrigin
    }
  }

  /// A scale that follows the scene slowly, so that a focus stays where it is.
  private func follow(_ disparity: DisparityMap) -> ClosedRange<Float>? {
    // A sensor's stray values are not to set the scale.
    let ends = disparity.percentiles([1, 99])
    guard ends.count == 2, ends[1] > ends[0] else { return range }
    let pace = Float(Self.pace)
    if let old = range {
      let (low, high) = (
        old.lowerBound + (ends[0] - old.lowerBound) * pace, old.upperBound + (ends[1] - old.upperBound) * pace
      )
      range = low...max(low, high)
    } else {
      range = ends[0]...ends[1]
    }
    return range
  }

  func findFocus(into evidence: inout Evidence) {
    let found: Double? =
      evidence.subjectOrigin == nil ? nil : evidence.disparity?.median(under: evidence.subject)
    if let found { focus = focus.map { $0 + (found - $0) * (stream.isStill ? 1 : 4 * Self.pace) } ?? found }
    // Somebody who is out of sight for a moment takes no focus along.
    evidence.focus = focus
  }
}

/// Facts about a stream's scenes, known before the first one comes.
public struct StreamDescription: Sendable, Equatable {
  /// Size of the pictures.
  public var width: Int, height: Int
  /// Whether there is one scene only.
  public var isStill: Bool
  /// Whether scenes come with depth in metres.
  public var hasDepth: Bool

  /// The largest picture of a file that is read for it.
  public var limits: ImageLimits

  /// Makes a description.
  public init(
    width: Int, height: Int, isStill: Bool = false, hasDepth: Bool = false, limits: ImageLimits = .standard
  ) {
    (self.width, self.height, self.isStill, self.hasDepth) = (width, height, isStill, hasDepth)
    self.limits = limits
  }
}
